// RUN: shard-opt %s --shard-block-scans=blocks=4 --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-block-scans --split-input-file | FileCheck %s --check-prefix=GRID

// No module with a grid: nothing to do without blocks.
// GRID-LABEL: @sum
// GRID-NOT: expand_shape
// GRID-LABEL: @not_scans

// CHECK-DAG: #[[SLIDES:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 + d2)>
// CHECK-DAG: #[[BEFORE:.*]] = affine_map<(d0, d1) -> (d0 + d1)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: @sum
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[INIT:.*]]: tensor<8xf32>)
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %[[A]] {{.*}} into tensor<4x2xf32>
// CHECK: tensor.pad %[[PARTS]] low[0, 1] high[0, 0]
// CHECK: %[[WITHIN:.*]] = linalg.generic {indexing_maps = [#[[SLIDES]],
// CHECK: %[[LAST:.*]] = tensor.extract_slice %[[WITHIN]][0, 1] [4, 1] [1, 1]
// CHECK: %[[TOTALS:.*]] = tensor.collapse_shape %[[LAST]]
// CHECK: %[[AROUND:.*]] = tensor.pad %[[TOTALS]] low[4] high[0]
// CHECK: %[[SUMS:.*]] = linalg.generic {indexing_maps = [#[[BEFORE]], {{.*}} ins(%[[AROUND]],
// CHECK: %[[ALL:.*]] = linalg.generic {indexing_maps = [#[[ROWS]], {{.*}} ins(%[[SUMS]] : tensor<4xf32>) outs(%[[WITHIN]] :
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[ALL]]
// CHECK: linalg.generic {{.*}} ins(%[[FLAT]] : tensor<8xf32>) outs(%[[INIT]] :
func.func @sum(%a: tensor<8xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[7] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<15xf32>
  %w = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p, %w : tensor<15xf32>, tensor<8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%x: f32, %unused: f32, %carried: f32):
    %s = arith.addf %carried, %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// An element that is not neutral; a difference, which is not associative.
// CHECK-LABEL: @not_scans
// CHECK-NOT: expand_shape
func.func @not_scans(%a: tensor<8xf32>, %init: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[7] high[0] {
  ^bb0(%i: index):
    tensor.yield %one : f32
  } : tensor<8xf32> to tensor<15xf32>
  %q = tensor.pad %a low[7] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<15xf32>
  %w = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p, %w : tensor<15xf32>, tensor<8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%x: f32, %unused: f32, %carried: f32):
    %s = arith.addf %carried, %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%q, %w : tensor<15xf32>, tensor<8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%x: f32, %unused: f32, %carried: f32):
    %s = arith.subf %carried, %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// As many blocks as there are devices.
shard.grid @small(shape = 2)
shard.grid @large(shape = 2x2)

// CHECK-LABEL: @max
// GRID-LABEL: @max
// GRID: tensor.pad %{{.*}} low[0] high[2]
// GRID: tensor.expand_shape {{.*}} into tensor<4x4xf32>
// GRID: tensor.extract_slice %{{.*}}[0, 0] [4, 1] [1, 1]
// GRID: tensor.extract_slice %{{.*}}[0] [14] [1]
func.func @max(%a: tensor<14xf32>, %init: tensor<14xf32>) -> tensor<14xf32> {
  %least = arith.constant 0xFF800000 : f32
  %p = tensor.pad %a low[0] high[13] {
  ^bb0(%i: index):
    tensor.yield %least : f32
  } : tensor<14xf32> to tensor<27xf32>
  %w = tensor.empty() : tensor<14xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p, %w : tensor<27xf32>, tensor<14xf32>) outs(%init : tensor<14xf32>) {
  ^bb0(%x: f32, %unused: f32, %carried: f32):
    %s = arith.maximumf %x, %carried : f32
    linalg.yield %s : f32
  } -> tensor<14xf32>
  return %r : tensor<14xf32>
}

// An op with a hint keeps its loops.
// GRID-LABEL: @hinted
// GRID-NOT: expand_shape
func.func @hinted(%a: tensor<8xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %q = tensor.pad %a low[7] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<15xf32>
  %w = tensor.empty() : tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%q, %w : tensor<15xf32>, tensor<8xf32>) outs(%init : tensor<8xf32>) attrs = {shard.loops = #shard.sharding<@small, [[0], []]>} {
  ^bb0(%x: f32, %unused: f32, %carried: f32):
    %s = arith.addf %carried, %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// A running sum of a tensor of four dimensions, which JAX's way to linalg makes a pooling of
// images with windows of one column.
// CHECK-LABEL: @pooling
// CHECK: tensor.expand_shape %{{.*}} into tensor<2x4x2x3x5xf32>
// CHECK-NOT: linalg.pooling
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<2x8x3x5xf32>) outs(%{{.*}} : tensor<2x8x3x5xf32>)
func.func @pooling(%a: tensor<2x8x3x5xf32>, %init: tensor<2x8x3x5xf32>) -> tensor<2x8x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 7, 0, 0] high[0, 0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x8x3x5xf32> to tensor<2x15x3x5xf32>
  %w = tensor.empty() : tensor<8x1xf32>
  %r = linalg.pooling_nhwc_sum ins(%p, %w : tensor<2x15x3x5xf32>, tensor<8x1xf32>)
      outs(%init : tensor<2x8x3x5xf32>) -> tensor<2x8x3x5xf32>
  return %r : tensor<2x8x3x5xf32>
}

// -----

// The rows that a window takes are not all, or both dimensions slide: no scans.
// CHECK-LABEL: @poolings
// CHECK-NOT: expand_shape
func.func @poolings(%a: tensor<2x8x3x5xf32>, %init: tensor<2x8x3x5xf32>,
                    %square: tensor<1x4x4x1xf32>, %to: tensor<1x4x4x1xf32>)
    -> (tensor<2x8x3x5xf32>, tensor<1x4x4x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 6, 0, 0] high[0, 0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x8x3x5xf32> to tensor<2x14x3x5xf32>
  %w = tensor.empty() : tensor<7x1xf32>
  %r = linalg.pooling_nhwc_sum ins(%p, %w : tensor<2x14x3x5xf32>, tensor<7x1xf32>)
      outs(%init : tensor<2x8x3x5xf32>) -> tensor<2x8x3x5xf32>
  %q = tensor.pad %square low[0, 3, 3, 0] high[0, 0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x4x4x1xf32> to tensor<1x7x7x1xf32>
  %v = tensor.empty() : tensor<4x4xf32>
  %s = linalg.pooling_nhwc_sum ins(%q, %v : tensor<1x7x7x1xf32>, tensor<4x4xf32>)
      outs(%to : tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32>
  return %r, %s : tensor<2x8x3x5xf32>, tensor<1x4x4x1xf32>
}
