// MLIR folds an op that takes one value twice to a constant, which has no elements where the type
// is dynamic. Partition makes a splat that takes its extents from the operand, or drops the op.

// RUN: shard-opt %s --shard-spmd | FileCheck %s

shard.grid @g(shape = 2)

// CHECK-LABEL: func.func @constants(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x6x?xi32>
func.func @constants(%a: tensor<?x6x?xi32> {shard.sharding = #shard.sharding<@g, [[0], [], []]>})
    -> (tensor<?x6x?xi1>, tensor<?x6x?xi1>) {
  // CHECK-NOT: dense
  // CHECK-DAG: %[[ROWS:.+]] = tensor.dim %[[A]], %c0
  // CHECK-DAG: %[[COLUMNS:.+]] = tensor.dim %[[A]], %c2
  // CHECK-DAG: tensor.splat %true[%[[ROWS]], %[[COLUMNS]]] : tensor<?x6x?xi1>
  // CHECK-DAG: tensor.splat %false[%[[ROWS]], %[[COLUMNS]]] : tensor<?x6x?xi1>
  // CHECK-NOT: arith.cmpi
  // CHECK: return
  %0 = arith.cmpi sle, %a, %a : tensor<?x6x?xi32>
  %1 = arith.cmpi ne, %a, %a : tensor<?x6x?xi32>
  return %0, %1 : tensor<?x6x?xi1>, tensor<?x6x?xi1>
}

// CHECK-LABEL: func.func @values(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?xi32>
// CHECK-NEXT: return %[[A]], %[[A]], %[[A]]
func.func @values(%a: tensor<?xi32> {shard.sharding = #shard.sharding<@g, [[0]]>})
    -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %0 = arith.ori %a, %a : tensor<?xi32>
  %1 = arith.andi %a, %a : tensor<?xi32>
  %2 = arith.maxsi %a, %a : tensor<?xi32>
  return %0, %1, %2 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}
