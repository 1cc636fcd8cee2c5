// RUN: shard-opt %s --shard-fold-numbers | FileCheck %s

// Extents are asked for where they were first stated: a dimension that a tensor does not have is
// not looked for in what the tensor is made of.

// CHECK-LABEL: func.func @f(
// CHECK: %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape
// CHECK: tensor.dim %[[FLAT]], %[[SEVEN]] : tensor<?xf32>
// CHECK: %[[WIDE:.*]] = tensor.expand_shape
// CHECK: tensor.dim %[[WIDE]], %[[SEVEN]] : tensor<1x?xf32>
// CHECK-NOT: tensor.dim %{{.*}} : tensor<?x?xf32>
func.func @f(%x: tensor<1x?xf32>, %n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<1x?xf32> into tensor<?xf32>
  %a = tensor.dim %c, %c7 : tensor<?xf32>
  %e = tensor.expand_shape %c [[0, 1]] output_shape [1, %n] : tensor<?xf32> into tensor<1x?xf32>
  %b = tensor.dim %e, %c7 : tensor<1x?xf32>
  %r = tensor.empty(%a, %b) : tensor<?x?xf32>
  %s = tensor.dim %r, %c0 : tensor<?x?xf32>
  %t = tensor.dim %r, %c1 : tensor<?x?xf32>
  return %s, %t : index, index
}
