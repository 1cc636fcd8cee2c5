// Elementwise ops compute in front of broadcasts, where fewer elements are.
// RUN: shard-opt %s --shard-normalize-ops --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-spmd --split-input-file | FileCheck %s --check-prefix=SPMD

// The keys of all pairs: one is gathered, in front of its broadcast.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[R:.*]] = arith.muli %arg0, %arg0 : tensor<8xi32>
// CHECK: %[[ROWS:.*]] = linalg.broadcast ins(%[[R]] : tensor<8xi32>) {{.*}} dimensions = [1]
// CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<8xi32>) outs({{.*}} : tensor<8xi32>)
// CHECK: %[[COLUMNS:.*]] = linalg.broadcast ins(%[[C]] : tensor<8xi32>) {{.*}} dimensions = [0]
// CHECK: arith.cmpi slt, %[[ROWS]], %[[COLUMNS]] : tensor<8x8xi32>
// SPMD-LABEL: func.func @pairs
// SPMD: shard.all_gather {{.*}} : tensor<2xi32> -> tensor<8xi32>
// SPMD-NOT: shard.
// SPMD: return
#map = affine_map<(i, j) -> (i, j)>
shard.grid @grid(shape = 4)
func.func @pairs(%x: tensor<8xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> (tensor<8x8xi1> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %e = tensor.empty() : tensor<8x8xi32>
  %r = linalg.broadcast ins(%x : tensor<8xi32>) outs(%e : tensor<8x8xi32>) dimensions = [1]
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8xi32>) outs(%e : tensor<8x8xi32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  } -> tensor<8x8xi32>
  %0 = arith.muli %r, %r : tensor<8x8xi32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<8x8xi32>) outs(%e : tensor<8x8xi32>) {
  ^bb0(%a: i32, %o: i32):
    %m = arith.muli %a, %a : i32
    linalg.yield %m : i32
  } -> tensor<8x8xi32>
  %2 = arith.cmpi slt, %0, %1 : tensor<8x8xi32>
  return %2 : tensor<8x8xi1>
}

// -----

// Numbers, scalars, named ops and extents of the run.
// CHECK-LABEL: func.func @operands
// CHECK: %[[A:.*]] = arith.addf %arg0, %{{.*}} : tensor<4xf32>
// CHECK: linalg.broadcast ins(%[[A]] :
// CHECK: %[[E:.*]] = linalg.exp ins(%arg1 : tensor<?xf32>)
// CHECK: linalg.broadcast ins(%[[E]] :
func.func @operands(%x: tensor<4xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<3x4xf32>, tensor<?x5xf32>) {
  %two = arith.constant dense<2.0> : tensor<3x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %b = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<3x4xf32>) dimensions = [0]
  %0 = arith.addf %b, %two : tensor<3x4xf32>
  %f = tensor.empty(%n) : tensor<?x5xf32>
  %d = linalg.broadcast ins(%y : tensor<?xf32>) outs(%f : tensor<?x5xf32>) dimensions = [1]
  %1 = linalg.exp ins(%d : tensor<?x5xf32>) outs(%f : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<?x5xf32>
}

// -----

// These stay: along other dimensions, with a hint between, of places, and beside what is no broadcast.
// CHECK-LABEL: func.func @stay
// CHECK: arith.addf {{.*}} : tensor<4x4xf32>
// CHECK: math.exp {{.*}} : tensor<4x4xf32>
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<4x4xf32>)
// CHECK: arith.mulf {{.*}} : tensor<4x4xf32>
#map = affine_map<(i, j) -> (i, j)>
shard.grid @grid(shape = 2)
func.func @stay(%x: tensor<4xf32>, %y: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [1]
  %c = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [0]
  %0 = arith.addf %r, %c : tensor<4x4xf32>
  %h = shard.shard %c to %s : tensor<4x4xf32>
  %1 = math.exp %h : tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %m = arith.mulf %a, %f : f32
    linalg.yield %m : f32
  } -> tensor<4x4xf32>
  %3 = arith.mulf %r, %y : tensor<4x4xf32>
  return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// So does what has a type of other extents than the broadcast.
// CHECK-LABEL: func.func @extents
// CHECK: linalg.exp ins({{.*}} : tensor<3x4xf32>) outs({{.*}} : tensor<?x4xf32>) -> tensor<?x4xf32>
func.func @extents(%x: tensor<4xf32>, %n: index) -> tensor<?x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %b = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<3x4xf32>) dimensions = [0]
  %d = tensor.empty(%n) : tensor<?x4xf32>
  %0 = linalg.exp ins(%b : tensor<3x4xf32>) outs(%d : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// So does a transposition, even one that keeps the order: its permutation has the rank behind the
// broadcast.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[B:.*]] = linalg.broadcast ins(%{{.*}} : tensor<4x1xf32>)
// CHECK: linalg.transpose ins(%[[B]] : tensor<4x1x1xf32>){{.*}} permutation = [0, 1, 2]
func.func @transposed(%x: tensor<4x1xf32>) -> tensor<4x1x1xf32> {
  %e = tensor.empty() : tensor<4x1x1xf32>
  %b = linalg.broadcast ins(%x : tensor<4x1xf32>) outs(%e : tensor<4x1x1xf32>) dimensions = [2]
  %0 = linalg.transpose ins(%b : tensor<4x1x1xf32>) outs(%e : tensor<4x1x1xf32>) permutation = [0, 1, 2]
  return %0 : tensor<4x1x1xf32>
}

// -----

// An op that computes behind a reshape of dimensions of one element moves in front of both.
// CHECK-LABEL: func.func @reshaped
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK: linalg.broadcast ins(%[[SUM]] : tensor<4xf32>)
// CHECK-NOT: arith
func.func @reshaped(%x: tensor<4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %b = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [0]
  %w = tensor.expand_shape %b [[0], [1, 2]] output_shape [4, 4, 1] : tensor<4x4xf32> into tensor<4x4x1xf32>
  %s = arith.addf %w, %w : tensor<4x4x1xf32>
  %0 = tensor.collapse_shape %s [[0], [1, 2]] : tensor<4x4x1xf32> into tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
