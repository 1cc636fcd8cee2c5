// MLIR's decomposition of a softmax of two types makes an invalid op. If this test
// fails, MLIR is mended: delete lib/Codegen/Workarounds/SoftmaxTypes.cpp and this
// file.

// RUN: not mlir-opt %s --transform-interpreter 2>&1 | FileCheck %s

// CHECK: error: 'linalg.generic' op expected type of operand #2 ('tensor<?x8xf32>') to match type of corresponding result ('tensor<4x?xf32>')
module attributes {transform.with_named_sequence} {
  func.func @f(%a: tensor<4x?xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %0 = linalg.softmax dimension(1) ins(%a : tensor<4x?xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
    return %0 : tensor<?x8xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %1 = transform.structured.decompose_interface %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
