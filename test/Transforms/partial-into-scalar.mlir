// An op with a scalar result takes no partial operand: the value is reduced
// where it is made.
//
// RUN: shard-opt %s --sharding-propagation | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=VERIFY

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @main
// CHECK: tensor.expand_shape
// CHECK-NOT: partial
// CHECK: tensor.dim
// VERIFY: PASS
func.func @main(%a: tensor<7xf32> {shard.sharding = #shard.sharding<@grid, [[]], partial = sum [0]>})
    -> (tensor<7xf32>, index) {
  %wide = tensor.expand_shape %a [[0, 1]] output_shape [1, 7] : tensor<7xf32> into tensor<1x7xf32>
  %one = arith.constant 1 : index
  %extent = tensor.dim %wide, %one : tensor<1x7xf32>
  %empty = tensor.empty() : tensor<7xf32>
  %negated = linalg.negf ins(%a : tensor<7xf32>) outs(%empty : tensor<7xf32>) -> tensor<7xf32>
  return %negated, %extent : tensor<7xf32>, index
}
