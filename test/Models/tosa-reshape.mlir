// A reshape of tosa beside an unknown extent: the extents around it, and within it, are told apart.

// RUN: shard-opt %s --shard-lower-tosa --canonicalize --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-print-loops --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=LOOPS

// CHECK-LABEL: func.func @rows(
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2, 3]] : tensor<1x?x8x1xf32> into tensor<?x8xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2, 3]] output_shape [%{{.*}}, 4, 1, 2] : tensor<?x8xf32> into tensor<?x4x1x2xf32>
// LOOPS: operand 0: (d0, d1, d2) -> (0, d0, d2 * 2 + d1, 0)
// LOOPS: result 0: (d0, d1, d2) -> (d0, d2, 0, d1)
func.func @rows(%x: tensor<1x?x8x1xf32>) -> tensor<?x4x1x2xf32> {
  %s = tosa.const_shape {values = dense<[-1, 4, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.reshape %x, %s : (tensor<1x?x8x1xf32>, !tosa.shape<4>) -> tensor<?x4x1x2xf32>
  return %0 : tensor<?x4x1x2xf32>
}

// -----

// CHECK-LABEL: func.func @around(
// CHECK-NOT: collapse_shape
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2], [3, 4]] output_shape [2, 3, %{{.*}}, 1, 8] : tensor<6x?x8xf32> into tensor<2x3x?x1x8xf32>
// LOOPS: operand 0: (d0, d1, d2, d3) -> (d1 * 3 + d0, d2, d3)
// LOOPS: result 0: (d0, d1, d2, d3) -> (d1, d0, d2, 0, d3)
func.func @around(%x: tensor<6x?x8xf32>) -> tensor<2x3x?x1x8xf32> {
  %s = tosa.const_shape {values = dense<[2, 3, -1, 1, 8]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %0 = tosa.reshape %x, %s : (tensor<6x?x8xf32>, !tosa.shape<5>) -> tensor<2x3x?x1x8xf32>
  return %0 : tensor<2x3x?x1x8xf32>
}

// -----

// Twice as many rows of half the length: the unknown extents are others.
// CHECK-LABEL: func.func @halves(
// CHECK: tensor.collapse_shape %{{.*}} : tensor<?x8xf32> into tensor<?xf32>
// LOOPS: loops:{{$}}
func.func @halves(%x: tensor<?x8xf32>) -> tensor<1x?x4xf32> {
  %s = tosa.const_shape {values = dense<[1, -1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %0 = tosa.reshape %x, %s : (tensor<?x8xf32>, !tosa.shape<3>) -> tensor<1x?x4xf32>
  return %0 : tensor<1x?x4xf32>
}
