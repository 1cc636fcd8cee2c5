// MLIR makes of a slice of an unpacked tensor an unpack into a smaller tensor, also where the
// slice cuts a dimension without tiles: the packed tensor has too many elements along it. With a
// computed size the result has all rows and no one is told. If this test fails, MLIR is
// mended: delete DropUnpackOfPack in lib/Models/Canonicalizations.cpp, what leaves the patterns
// for linalg.unpack out, and this file.

// RUN: not mlir-opt %s --canonicalize 2>&1 | FileCheck %s
// RUN: shard-opt %s --shard-fold-collectives | FileCheck %s --check-prefix=OURS
// RUN: shard-run %s --entry main --grid 2 --hint 'result0=[[0],[]]' --verify | FileCheck %s --check-prefix=PASS

// CHECK: error: expected 'tensor<2x3x1xf32>' for the packed domain value, got 'tensor<4x3x1xf32>'

// OURS-LABEL: func.func @rows(
// OURS: tensor.extract_slice
func.func @rows(%a: tensor<4x3x1xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %u = linalg.unpack %a inner_dims_pos = [1] inner_tiles = [1] into %e : tensor<4x3x1xf32> -> tensor<4x3xf32>
  %r = tensor.extract_slice %u[0, 0] [2, 3] [1, 1] : tensor<4x3xf32> to tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// What was packed is there, and casts move into the op as before.
//
// OURS-LABEL: func.func @packed(
// OURS-SAME: %[[A:.*]]: tensor<4x3xf32>,
// OURS: %[[U:.*]] = linalg.unpack {{.*}} : tensor<4x3x1xf32> -> tensor<4x3xf32>
// OURS: return %[[A]], %[[U]]
func.func @packed(%a: tensor<4x3xf32>, %b: tensor<4x3x1xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %p = tensor.empty() : tensor<4x3x1xf32>
  %e = tensor.empty() : tensor<4x3xf32>
  %packed = linalg.pack %a inner_dims_pos = [1] inner_tiles = [1] into %p : tensor<4x3xf32> -> tensor<4x3x1xf32>
  %u = linalg.unpack %packed inner_dims_pos = [1] inner_tiles = [1] into %e : tensor<4x3x1xf32> -> tensor<4x3xf32>
  %c = tensor.cast %b : tensor<4x3x1xf32> to tensor<?x3x1xf32>
  %v = linalg.unpack %c inner_dims_pos = [1] inner_tiles = [1] into %e : tensor<?x3x1xf32> -> tensor<4x3xf32>
  return %u, %v : tensor<4x3xf32>, tensor<4x3xf32>
}

// One row and two of padding on two devices: the second one has padding alone.
//
// PASS-NOT: FAIL
// PASS: PASS
func.func @main(%a: tensor<1x3x1xf32>) -> tensor<3x3xf32> {
  %e = tensor.empty() : tensor<1x3xf32>
  %u = linalg.unpack %a inner_dims_pos = [1] inner_tiles = [1] into %e : tensor<1x3x1xf32> -> tensor<1x3xf32>
  %fill = arith.constant -3.0 : f32
  %padded = tensor.pad %u low[0, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %fill : f32
  } : tensor<1x3xf32> to tensor<3x3xf32>
  return %padded : tensor<3x3xf32>
}
