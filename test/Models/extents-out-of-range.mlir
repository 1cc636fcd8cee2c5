// RUN: shard-opt %s --shard-fold-numbers | FileCheck %s

// A dimension that a tensor does not have stays what it is, behind reshapes and fills, too.

// CHECK-LABEL: func.func @f(
// CHECK: tensor.dim %{{.*}}, %{{.*}} : tensor<?xf32>
// CHECK: tensor.dim %{{.*}}, %{{.*}} : tensor<1x?xf32>
func.func @f(%x: tensor<1x?xf32>, %n: index) -> (index, index) {
  %c7 = arith.constant 7 : index
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<1x?xf32> into tensor<?xf32>
  %a = tensor.dim %c, %c7 : tensor<?xf32>
  %e = tensor.expand_shape %c [[0, 1]] output_shape [1, %n] : tensor<?xf32> into tensor<1x?xf32>
  %b = tensor.dim %e, %c7 : tensor<1x?xf32>
  %r = tensor.empty(%a, %b) : tensor<?x?xf32>
  %s = tensor.dim %r, %c7 : tensor<?x?xf32>
  %t = arith.addi %s, %a : index
  return %t, %b : index, index
}
