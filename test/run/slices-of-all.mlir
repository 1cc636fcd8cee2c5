// Slices that take all elements of a split dimension, one after another, are not looked up each:
// an all_reduce sends an element twice, one all_gather sends it once for all of them. The columns
// cannot be split evenly.
//
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=SPMD
// CHECK: PASS
// SPMD: shard.all_gather
// SPMD-NOT: shard.all_

shard.grid @grid(shape = 4)
func.func @main(%x: tensor<4x15xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> tensor<15xf32> {
  %0 = tensor.extract_slice %x[0, 0] [1, 15] [1, 1] : tensor<4x15xf32> to tensor<15xf32>
  %1 = tensor.extract_slice %x[1, 0] [1, 15] [1, 1] : tensor<4x15xf32> to tensor<15xf32>
  %2 = tensor.extract_slice %x[2, 0] [1, 15] [1, 1] : tensor<4x15xf32> to tensor<15xf32>
  %3 = tensor.extract_slice %x[3, 0] [1, 15] [1, 1] : tensor<4x15xf32> to tensor<15xf32>
  %4 = arith.mulf %0, %1 : tensor<15xf32>
  %5 = arith.mulf %4, %2 : tensor<15xf32>
  %6 = arith.mulf %5, %3 : tensor<15xf32>
  return %6 : tensor<15xf32>
}
