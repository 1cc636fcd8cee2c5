// Operands that are equal only when another op has been folded: the greedy driver would make a
// constant of a type that does not say how large it is.
// RUN: shard-opt %s --shard-fold-collectives | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4x?xi8>
// CHECK: %[[SIZE:.*]] = tensor.dim %[[A]], %c1
// CHECK: %[[ZEROS:.*]] = tensor.splat %{{.*}}[%[[SIZE]]] : tensor<4x?xi8>
// CHECK: return %[[ZEROS]]
func.func @main(%a: tensor<4x?xi8>, %c: tensor<4x?xi1>) -> tensor<4x?xi8> {
  %0 = arith.select %c, %a, %a : tensor<4x?xi1>, tensor<4x?xi8>
  %1 = arith.xori %a, %0 : tensor<4x?xi8>
  return %1 : tensor<4x?xi8>
}
