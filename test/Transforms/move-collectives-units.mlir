// A block of one row: a dimension of one element that no loop of a reshape indexes is the
// one that the axes have split. What is gathered in two forms, merged and transposed, is
// gathered once.
// RUN: shard-opt %s --shard-move-collectives --cse --canonicalize | FileCheck %s
// What is tried reports nothing.
// RUN: shard-opt %s --shard-move-collectives -o /dev/null 2>&1 | count 0
// RUN: shard-run %s --entry merged --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry apart --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry columns --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry scaled --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry sliced --verify | FileCheck %s --check-prefix=EXEC

// EXEC: PASS

shard.grid @grid(shape = 4)

// CHECK-LABEL: func @merged
// CHECK: %[[G:.*]] = shard.all_gather %arg0 {{.*}} gather_axis = 0 : tensor<1x8x32xf32> -> tensor<4x8x32xf32>
// CHECK: tensor.collapse_shape %[[G]] {{.*}} : tensor<4x8x32xf32> into tensor<32x32xf32>
// CHECK: linalg.transpose ins(%[[G]] : tensor<4x8x32xf32>)
// CHECK-NOT: shard.all_gather
func.func @merged(%w: tensor<1x8x32xf32> {shard.local = #shard.local<tensor<4x8x32xf32>, <@grid, [[0], [], []]>>})
    -> (tensor<32x32xf32>, tensor<32x4x8xf32>) {
  %m = tensor.collapse_shape %w [[0, 1], [2]] : tensor<1x8x32xf32> into tensor<8x32xf32>
  %g = shard.all_gather %m on @grid grid_axes = [0] gather_axis = 0 : tensor<8x32xf32> -> tensor<32x32xf32>
  %e = tensor.empty() : tensor<32x1x8xf32>
  %t = linalg.transpose ins(%w : tensor<1x8x32xf32>) outs(%e : tensor<32x1x8xf32>) permutation = [2, 0, 1]
  %h = shard.all_gather %t on @grid grid_axes = [0] gather_axis = 1 : tensor<32x1x8xf32> -> tensor<32x4x8xf32>
  return %g, %h : tensor<32x32xf32>, tensor<32x4x8xf32>
}

// CHECK-LABEL: func @apart
// CHECK: %[[G:.*]] = shard.all_gather %arg0 {{.*}} : tensor<8x32xf32> -> tensor<32x32xf32>
// CHECK: tensor.expand_shape %[[G]] {{.*}} : tensor<32x32xf32> into tensor<4x8x32xf32>
// CHECK-NOT: shard.all_gather
func.func @apart(%w: tensor<8x32xf32> {shard.local = #shard.local<tensor<32x32xf32>, <@grid, [[0], []]>>})
    -> (tensor<32x32xf32>, tensor<4x8x32xf32>) {
  %m = tensor.expand_shape %w [[0, 1], [2]] output_shape [1, 8, 32] : tensor<8x32xf32> into tensor<1x8x32xf32>
  %g = shard.all_gather %w on @grid grid_axes = [0] gather_axis = 0 : tensor<8x32xf32> -> tensor<32x32xf32>
  %h = shard.all_gather %m on @grid grid_axes = [0] gather_axis = 0 : tensor<1x8x32xf32> -> tensor<4x8x32xf32>
  return %g, %h : tensor<32x32xf32>, tensor<4x8x32xf32>
}

// Here the columns are split: of the two ways to read the block the other one.
// CHECK-LABEL: func @columns
// CHECK: %[[G:.*]] = shard.all_gather %arg0 {{.*}} gather_axis = 1 : tensor<1x8xf32> -> tensor<1x32xf32>
// CHECK: tensor.collapse_shape %[[G]] {{.*}} : tensor<1x32xf32> into tensor<32xf32>
// CHECK-NOT: shard.all_gather
func.func @columns(%w: tensor<1x8xf32> {shard.local = #shard.local<tensor<1x32xf32>, <@grid, [[], [0]]>>})
    -> (tensor<32xf32>, tensor<1x32xf32>) {
  %m = tensor.collapse_shape %w [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
  %g = shard.all_gather %m on @grid grid_axes = [0] gather_axis = 0 : tensor<8xf32> -> tensor<32xf32>
  %h = shard.all_gather %w on @grid grid_axes = [0] gather_axis = 1 : tensor<1x8xf32> -> tensor<1x32xf32>
  return %g, %h : tensor<32xf32>, tensor<1x32xf32>
}

// The factors are the same on all devices. If the unit in front were widened, they would be
// gathered; so the other reading of the block is taken.
// CHECK-LABEL: func @scaled
// CHECK: %[[G:.*]] = shard.all_gather %arg0 {{.*}} gather_axis = 1 : tensor<1x10x1xf32> -> tensor<1x40x1xf32>
// CHECK: linalg.generic {{.*}} ins(%[[G]], %arg1 :
// CHECK-NOT: shard.all_gather
func.func @scaled(%x: tensor<1x10x1xf32> {shard.local = #shard.local<tensor<1x40x1xf32>, <@grid, [[], [0], []]>>}, %scale: tensor<1x1x64xf32> {shard.local = #shard.local<tensor<1x1x64xf32>, <@grid, [[], [], []]>>})
    -> tensor<40x64xf32> {
  %e = tensor.empty() : tensor<1x10x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
    iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %scale : tensor<1x10x1xf32>, tensor<1x1x64xf32>) outs(%e : tensor<1x10x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<1x10x64xf32>
  %c = tensor.collapse_shape %y [[0, 1], [2]] : tensor<1x10x64xf32> into tensor<10x64xf32>
  %g = shard.all_gather %c on @grid grid_axes = [0] gather_axis = 0 : tensor<10x64xf32> -> tensor<40x64xf32>
  return %g : tensor<40x64xf32>
}

// What is gathered is computed from a slice of what all devices have: the slice is not
// needed, and nothing is gathered.
// CHECK-LABEL: func @sliced
// CHECK-NOT: shard.all
// CHECK: linalg.map {{.*}} ins(%arg0, %arg0 : tensor<40xi64>, tensor<40xi64>)
// CHECK-NOT: shard.all
func.func @sliced(%x: tensor<40xi64> {shard.local = #shard.local<tensor<40xi64>, <@grid, [[]]>>}) -> tensor<40x1xi64> {
  %s = shard.all_slice %x on @grid grid_axes = [0] slice_axis = 0 : tensor<40xi64> -> tensor<10xi64>
  %e = tensor.empty() : tensor<10xi64>
  %y = linalg.map { arith.addi } ins(%s, %s : tensor<10xi64>, tensor<10xi64>) outs(%e : tensor<10xi64>)
  %w = tensor.expand_shape %y [[0, 1]] output_shape [10, 1] : tensor<10xi64> into tensor<10x1xi64>
  %g = shard.all_gather %w on @grid grid_axes = [0] gather_axis = 0 : tensor<10x1xi64> -> tensor<40x1xi64>
  return %g : tensor<40x1xi64>
}

// `dimensions = [1]` is no list of the extents of the operand, though it is equal to them.
// CHECK-LABEL: func @broadcast
// CHECK: shard.all_gather %arg0 {{.*}} tensor<1xi32> -> tensor<4xi32>
// CHECK: linalg.broadcast {{.*}} dimensions = [1]
func.func @broadcast(%x: tensor<1xi32>) -> tensor<4x3xi32> {
  %e = tensor.empty() : tensor<1x3xi32>
  %0 = linalg.broadcast ins(%x : tensor<1xi32>) outs(%e : tensor<1x3xi32>) dimensions = [1]
  %1 = shard.all_gather %0 on @grid grid_axes = [0] gather_axis = 0 : tensor<1x3xi32> -> tensor<4x3xi32>
  return %1 : tensor<4x3xi32>
}

