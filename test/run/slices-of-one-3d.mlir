// Slices of one element of two split dimensions, on a grid of three axes, with short and empty
// blocks and another user of the tensor.
//
// RUN: shard-run %s --verify 2>/dev/null | FileCheck %s
// CHECK: all_reduce {{.*}}tensor.extract_slice
// CHECK: PASS

shard.grid @grid(shape = 2x3x2)
func.func @main(%x: tensor<5x3x7xf32> {shard.sharding = #shard.sharding<@grid, [[2,0],[1],[?]]>}, %i: index, %j: index) -> (tensor<7xf32>, tensor<7xf32>, tensor<1x7xf32>, tensor<5x3x7xf32>) {
  %0 = tensor.extract_slice %x[%i, %j, 0] [1, 1, 7] [1, 1, 1] : tensor<5x3x7xf32> to tensor<7xf32>
  %1 = tensor.extract_slice %x[4, 2, 0] [1, 1, 7] [1, 1, 1] : tensor<5x3x7xf32> to tensor<7xf32>
  %2 = tensor.extract_slice %x[%i, 1, 0] [1, 1, 7] [1, 1, 1] : tensor<5x3x7xf32> to tensor<1x7xf32>
  %3 = arith.addf %x, %x : tensor<5x3x7xf32>
  return %0, %1, %2, %3 : tensor<7xf32>, tensor<7xf32>, tensor<1x7xf32>, tensor<5x3x7xf32>
}
