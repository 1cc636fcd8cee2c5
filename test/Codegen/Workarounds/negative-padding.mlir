// MLIR merges two pads by adding up their padding: what the first one cuts off comes
// back. And it takes a pad between equal types for an identity. If this test fails,
// MLIR is mended: delete lib/Codegen/Workarounds/NegativePadding.cpp and this file,
// if bufferization, which writes outside of the buffer, is mended too.

// RUN: mlir-opt %s --canonicalize | FileCheck %s
// RUN: shard-opt %s --shard-expand-negative-padding --canonicalize | FileCheck %s --check-prefix=OURS

// CHECK-LABEL: func @merged(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
// CHECK: return %[[A]]
// OURS-LABEL: func @merged(
// OURS: %[[KEPT:.*]] = tensor.extract_slice %{{.*}}[0] [2] [1]
// OURS: %[[PADDED:.*]] = tensor.pad %[[KEPT]] low[0] high[2]
// OURS: return %[[PADDED]]
func.func @merged(%a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %a low[0] high[-2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<2xf32>
  %1 = tensor.pad %0 low[0] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @shifted(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
// CHECK: return %[[A]]
// OURS-LABEL: func @shifted(
// OURS: %[[KEPT:.*]] = tensor.extract_slice %{{.*}}[2] [2] [1]
// OURS: %[[PADDED:.*]] = tensor.pad %[[KEPT]] low[0] high[2]
// OURS: return %[[PADDED]]
func.func @shifted(%a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %a low[-2] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
