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

// Numbers of poison are zeros: MLIR's folder of tensor.from_elements crashes on others.
// RUN: shard-run %s --entry numbers --verify | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=ZERO
// ZERO-LABEL: func.func @numbers(
// ZERO-NOT: ub.poison
func.func @numbers(%a: tensor<4xi64> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<4xi64> {
  %c1 = arith.constant 1 : i64
  %q = ub.poison : i64
  %p = arith.addi %q, %c1 : i64
  %r = tensor.from_elements %q, %p, %q, %c1 : tensor<4xi64>
  %s = arith.addi %r, %a : tensor<4xi64>
  return %s : tensor<4xi64>
}
