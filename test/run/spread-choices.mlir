// Every other element of a split field is updated, as in red-black relaxation: nothing is
// gathered. Offsets, strides that leave rows behind, and equal elements.
// RUN: shard-run %s --verify | FileCheck %s

// CHECK-NOT: all_gather
// CHECK: update_halo
// CHECK-NOT: all_gather
// CHECK: PASS
shard.grid @grid(shape = 4) axes ["m"]
func.func @main(%u: tensor<32x9xf32> {shard.sharding = #shard.sharding<@grid, [["m"], []]>}) -> tensor<32x9xf32> {
  %up = tensor.extract_slice %u[0, 1] [30, 7] [1, 1] : tensor<32x9xf32> to tensor<30x7xf32>
  %down = tensor.extract_slice %u[2, 1] [30, 7] [1, 1] : tensor<32x9xf32> to tensor<30x7xf32>
  %sum = arith.addf %up, %down : tensor<30x7xf32>
  %red = tensor.extract_slice %sum[0, 0] [15, 4] [2, 2] : tensor<30x7xf32> to tensor<15x4xf32>
  %0 = tensor.insert_slice %red into %u[1, 1] [15, 4] [2, 2] : tensor<15x4xf32> into tensor<32x9xf32>
  %black = tensor.extract_slice %sum[1, 1] [10, 3] [3, 2] : tensor<30x7xf32> to tensor<10x3xf32>
  %1 = tensor.insert_slice %black into %0[2, 2] [10, 3] [3, 2] : tensor<10x3xf32> into tensor<32x9xf32>
  %ones = arith.constant dense<1.0> : tensor<7x9xf32>
  %2 = tensor.insert_slice %ones into %1[3, 0] [7, 9] [4, 1] : tensor<7x9xf32> into tensor<32x9xf32>
  return %2 : tensor<32x9xf32>
}
