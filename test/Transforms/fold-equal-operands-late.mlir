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

// The users of a reshape that is expanded are folded, too.
// RUN: shard-opt %s --shard-expand-reshapes | FileCheck %s --check-prefix=RESHAPE

// RESHAPE-LABEL: func.func @reshaped(
// RESHAPE-NOT: dense
// RESHAPE: tensor.splat %{{.*}}[%{{.*}}] : tensor<?xi1>
func.func @reshaped(%a: tensor<2x?xi1>) -> tensor<?xi1> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<2x?xi1> into tensor<?xi1>
  %1 = arith.xori %0, %0 : tensor<?xi1>
  return %1 : tensor<?xi1>
}
