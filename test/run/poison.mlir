// ub.poison is a value like others: it is split, and what nothing reads of it does not matter.
//
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: no collectives
// CHECK: PASS

shard.grid @grid(shape = 4)
func.func @main(%x: tensor<16x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<16x8xf32> {
  %true = arith.constant true
  %p = ub.poison : tensor<16x8xf32>
  %0 = linalg.exp ins(%x : tensor<16x8xf32>) outs(%p : tensor<16x8xf32>) -> tensor<16x8xf32>
  %1 = arith.select %true, %0, %p : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
