// What a body computes of equal elements, or of zero, may be one of its operands.
// RUN: shard-opt %s --shard-normalize-ops --split-input-file | FileCheck %s

// Two inputs are one tensor: what is selected is the tensor, whatever the flag.
// CHECK-LABEL: func.func @equal
// CHECK-SAME: (%[[A:.*]]: tensor<4x6xf32>
// CHECK-NEXT: return %[[A]]
#map = affine_map<(i, j) -> (i, j)>
func.func @equal(%a: tensor<4x6xf32>, %flag: i1) -> tensor<4x6xf32> {
  %init = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : tensor<4x6xf32>, tensor<4x6xf32>) outs(%init : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.select %flag, %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// By another map it is another element.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: (%[[A:.*]]: tensor<4x4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[A]] :
func.func @transposed(%a: tensor<4x4xf32>, %flag: i1) -> tensor<4x4xf32> {
  %init = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#map, affine_map<(i, j) -> (j, i)>, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%init : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.select %flag, %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Products by zero leave the init as it is; those of floats may be NaN.
// CHECK-LABEL: func.func @zero
// CHECK-SAME: %[[INIT:[a-z0-9]+]]: tensor<5x6xi32>
// CHECK-NOT: ins({{.*}}xi32
// CHECK: %[[PRODUCT:.*]] = linalg.matmul
// CHECK-NEXT: return %[[INIT]], %[[INIT]], %[[PRODUCT]]
func.func @zero(%a: tensor<5x9xi32>, %b: tensor<9x6xi32>, %f: tensor<5x9xf32>,
    %init: tensor<5x6xi32>, %floats: tensor<5x6xf32>) -> (tensor<5x6xi32>, tensor<5x6xi32>, tensor<5x6xf32>) {
  %zeros = arith.constant dense<0> : tensor<9x6xi32>
  %left = arith.constant dense<0> : tensor<5x9xi32>
  %zero = arith.constant dense<0.0> : tensor<9x6xf32>
  %0 = linalg.matmul ins(%a, %zeros : tensor<5x9xi32>, tensor<9x6xi32>) outs(%init : tensor<5x6xi32>) -> tensor<5x6xi32>
  %1 = linalg.matmul ins(%left, %b : tensor<5x9xi32>, tensor<9x6xi32>) outs(%init : tensor<5x6xi32>) -> tensor<5x6xi32>
  %2 = linalg.matmul ins(%f, %zero : tensor<5x9xf32>, tensor<9x6xf32>) outs(%floats : tensor<5x6xf32>) -> tensor<5x6xf32>
  return %0, %1, %2 : tensor<5x6xi32>, tensor<5x6xi32>, tensor<5x6xf32>
}

// An init of one number is that number in the first iteration alone.
// CHECK-LABEL: func.func @init
// CHECK: linalg.matmul
func.func @init(%a: tensor<5x9xi32>, %b: tensor<9x6xi32>) -> tensor<5x6xi32> {
  %init = arith.constant dense<0> : tensor<5x6xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x9xi32>, tensor<9x6xi32>) outs(%init : tensor<5x6xi32>) -> tensor<5x6xi32>
  return %0 : tensor<5x6xi32>
}
