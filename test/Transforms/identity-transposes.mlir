// A transpose that keeps the order is its operand, with a cast where types differ: MLIR folds
// the cast of its output into it and then takes the operand as it is.
// RUN: shard-opt %s --shard-fold-collectives | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[C:.*]] = tensor.cast %{{.*}} : tensor<?xf32> to tensor<5xf32>
// CHECK-NEXT: return %[[C]]
func.func @main(%a: tensor<?xf32>) -> tensor<5xf32> {
  %c5 = arith.constant 5 : index
  %0 = tensor.empty(%c5) : tensor<?xf32>
  %1 = linalg.transpose ins(%a : tensor<?xf32>) outs(%0 : tensor<?xf32>) permutation = [0]
  %2 = tensor.cast %1 : tensor<?xf32> to tensor<5xf32>
  return %2 : tensor<5xf32>
}
