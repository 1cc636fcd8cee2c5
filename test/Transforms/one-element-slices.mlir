// Slices of one row that are looked up: the halves of a butterfly take one exchange of their
// tensor, which leaves columns to each device.

// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=EXEC
// EXEC: PASS

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @butterfly
// CHECK: shard.all_to_all {{.*}} : tensor<1x8xf32> -> tensor<2x4xf32>
// CHECK-NOT: shard.all_{{gather|to_all|reduce}}
// CHECK-NOT: shard.update_halo
// CHECK: return
func.func @butterfly(%x: tensor<2x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<2x8xf32> {
  %0 = tensor.extract_slice %x[0, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<1x8xf32>
  %1 = tensor.extract_slice %x[1, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<1x8xf32>
  %2 = arith.addf %0, %1 : tensor<1x8xf32>
  %3 = arith.subf %0, %1 : tensor<1x8xf32>
  %4 = tensor.concat dim(0) %2, %3 : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<2x8xf32>
  return %4 : tensor<2x8xf32>
}
