// RUN: shard-opt %s --split-input-file --verify-diagnostics

// Shardings and annotations of the SSA form that are errors.

// an axis splits one dimension
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // grid_use_c5
  // expected-error@+1 {{grid axis duplicated: axis 0 stands twice}}
  %0 = shard.sharding @g split_axes = [[0], [0]] : !shard.sharding
  return
}

// -----

// an axis splits a dimension once
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // grid_use_c5
  // expected-error@+1 {{grid axis duplicated: axis 1 stands twice}}
  %0 = shard.sharding @g split_axes = [[1, 1]] : !shard.sharding
  return
}

// -----

// axes are not negative
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // grid_use_c4
  // expected-error@+1 {{grid axis is expected to be non-negative}}
  %0 = shard.sharding @g split_axes = [[-1]] : !shard.sharding
  return
}

// -----

// split axes are axes of the grid
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // grid_use_c2
  // expected-error@+1 {{0-based grid axis index 2 is out of bounds}}
  %0 = shard.sharding @g split_axes = [[0, 2]] : !shard.sharding
  return
}

// -----

// op-local checks come before the symbol checks
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // grid_use_c5
  // expected-error@+1 {{grid axis duplicated}}
  %0 = shard.sharding @h split_axes = [[0], [0]] : !shard.sharding
  return
}

// -----

// the grid is there
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // grid_use_c1
  // expected-error@+1 {{Undefined required grid symbol "h".}}
  %0 = shard.sharding @h split_axes = [[0]] : !shard.sharding
  return
}

// -----

// at least one list stands
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // expected-error@+1 {{expected '['}}
  %0 = shard.sharding @g split_axes = [] : !shard.sharding
  return
}

// -----

// partial axes split no dimension
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c3
  // expected-error@+1 {{axis 1 cannot be partial: it splits dimension 1}}
  %0 = shard.sharding @g split_axes = [[], [1]] partial = sum [1] : !shard.sharding
  return
}

// -----

// partial axes stand once
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // partial_axes_attr_c3
  // expected-error@+1 {{partial axis 1 stands twice}}
  %0 = shard.sharding @g split_axes = [[0]] partial = sum [1, 1] : !shard.sharding
  return
}

// -----

// partial axes are not negative
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // partial_axes_attr_c2
  // expected-error@+1 {{partial axis -2 is negative; axes count from 0}}
  %0 = shard.sharding @g split_axes = [[0]] partial = sum [-2] : !shard.sharding
  return
}

// -----

// partial axes are axes of the grid
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // grid_use_c2
  // expected-error@+1 {{0-based grid axis index 3 is out of bounds}}
  %0 = shard.sharding @g split_axes = [[0]] partial = max [3] : !shard.sharding
  return
}

// -----

// partial names at least one axis
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // partial_axes_attr_c1
  // expected-error@+1 {{expected at least one partial axis}}
  %0 = shard.sharding @g split_axes = [[0]] partial = max [] : !shard.sharding
  return
}

// -----

// partial names a kind
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // expected-error@+1 {{expected a reduction kind: sum, max, min, product, average, bitwise_and, bitwise_or, bitwise_xor, umin, umax or generic}}
  %0 = shard.sharding @g split_axes = [[0]] partial = most [1] : !shard.sharding
  return
}

// -----

// two halo sizes per split dimension
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c5
  // expected-error@+1 {{halo sizes must be specified for all split axes.}}
  %0 = shard.sharding @g split_axes = [[0], [1]] halo_sizes = [1, 1] : !shard.sharding
  return
}

// -----

// no halo sizes for dimensions that are not split
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c5
  // expected-error@+1 {{halo sizes must be specified for all split axes.}}
  %0 = shard.sharding @g split_axes = [[0], []] halo_sizes = [1, 1, 1, 1] : !shard.sharding
  return
}

// -----

// halo sizes are not negative
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c6
  // expected-error@+1 {{halo size -1 is negative}}
  %0 = shard.sharding @g split_axes = [[0]] halo_sizes = [1, -1] : !shard.sharding
  return
}

// -----

// sums of halo sizes and extents do not overflow
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c6
  // expected-error@+1 {{halo size 1099511627777 is above 2^40}}
  %0 = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 1099511627777] : !shard.sharding
  return
}

// -----

// halos and offsets exclude each other
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c4
  // expected-error@+1 {{halo sizes and shard offsets are mutually exclusive}}
  %0 = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 1] sharded_dims_offsets = [0, 4, 8] : !shard.sharding
  return
}

// -----

// one SSA value per dynamic halo
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // update_halo_c2
  // expected-error@+1 {{expects one SSA value per '?' of halo_sizes}}
  %0 = "shard.sharding"() <{grid = @g, operandSegmentSizes = array<i32: 0, 0>, split_axes = #shard<axisarray[[0]]>, static_halo_sizes = array<i64: 1, -9223372036854775808>, static_sharded_dims_offsets = array<i64>}> : () -> !shard.sharding
  return
}

// -----

// n + 1 offsets for n blocks
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c8
  // expected-error@+1 {{sharded dims offsets has wrong size. Dimension 0 has 2 blocks and needs 3 offsets, got 2}}
  %0 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 8] : !shard.sharding
  return
}

// -----

// several axes: the blocks are a product
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c8
  // expected-error@+1 {{sharded dims offsets has wrong size. Dimension 0 has 8 blocks and needs 9 offsets, got 7}}
  %0 = shard.sharding @g split_axes = [[0, 1]] sharded_dims_offsets = [0, 1, 2, 3, 4, 5, 8] : !shard.sharding
  return
}

// -----

// no offsets too many
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c11
  // expected-error@+1 {{sharded dims offsets has wrong size. There are 1 too many}}
  %0 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 4, 8, 8] : !shard.sharding
  return
}

// -----

// offsets of the second dimension
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c8
  // expected-error@+1 {{sharded dims offsets has wrong size. Dimension 1 has 4 blocks and needs 5 offsets, got 2}}
  %0 = shard.sharding @g split_axes = [[0], [1]] sharded_dims_offsets = [0, 4, 8, 0, 2] : !shard.sharding
  return
}

// -----

// offsets do not decrease
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c10
  // expected-error@+1 {{sharded dims offsets must be non-decreasing. Dimension 0 has 4 behind 5}}
  %0 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 5, 4] : !shard.sharding
  return
}

// -----

// offsets do not decrease across an SSA value
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c10
  // expected-error@+1 {{sharded dims offsets must be non-decreasing. Dimension 0 has 4 behind 5}}
  %0 = shard.sharding @g split_axes = [[1]] sharded_dims_offsets = [0, 5, %i, 4, 8] : !shard.sharding
  return
}

// -----

// offsets start at 0
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: i64) {
  // sharding_c9
  // expected-error@+1 {{sharded dims offsets must start at 0, those of dimension 0 start at 1}}
  %0 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [1, 4, 8] : !shard.sharding
  return
}

// -----

// offsets need known sizes
shard.grid @d(shape = 2x?)
func.func @f() {
  // sharding_c7
  // expected-error@+1 {{sharded dims offsets are not allowed for device grids with dynamic shape.}}
  %0 = shard.sharding @d split_axes = [[0]] sharded_dims_offsets = [0, 4, 8] : !shard.sharding
  return
}

// -----

// no more split dimensions than the tensor has
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8xf32>) {
  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  // shard_c1
  // expected-error@+1 {{sharding splits dimension 1, but the tensor has rank 1}}
  %0 = shard.shard %t to %s : tensor<8xf32>
  return
}

// -----

// a scalar has no dimension
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<f32>) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // shard_c1
  // expected-error@+1 {{sharding splits dimension 0, but the tensor has rank 0}}
  %0 = shard.shard %t to %s : tensor<f32>
  return
}

// -----

// offsets end at the extent, not behind
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %s = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 4, 9] : !shard.sharding
  // shard_c2
  // expected-error@+1 {{sharded dims offsets of dimension 0 end at 9, not at its extent 8}}
  %0 = shard.shard %t to %s : tensor<8x8xf32>
  return
}

// -----

// offsets end at the extent, not before
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %s = shard.sharding @g split_axes = [[0], [1]] sharded_dims_offsets = [0, 4, 8, 0, 1, 2, 3, 4] : !shard.sharding
  // shard_c2
  // expected-error@+1 {{sharded dims offsets of dimension 1 end at 4, not at its extent 8}}
  %0 = shard.shard %t to %s : tensor<8x8xf32>
  return
}

// -----

// one value, one grid; annotations of annotations and for users may be on others
shard.grid @h(shape = 8)
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %u = shard.sharding @h split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %t to %s : tensor<8x8xf32>
  // expected-note@-1 {{other annotation}}
  // sharding_c12
  // expected-error@+1 {{annotates with grid @h a value that is annotated with grid @g; where only some users want it, annotate it for users}}
  %1 = shard.shard %t to %u : tensor<8x8xf32>
  %2 = shard.shard %t to %u annotate_for_users : tensor<8x8xf32>
  %3 = shard.shard %0 to %u : tensor<8x8xf32>
  return
}

// -----

// source and result have one type
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>, %s: !shard.sharding) {
  // expected-error@+1 {{failed to verify that all of {result, src} have same type}}
  %0 = "shard.shard"(%t, %s) : (tensor<8x8xf32>, !shard.sharding) -> tensor<8x8xi32>
  return
}

// -----

// shard_shape: one result per dimension
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: index) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // shard_shape_c1
  // expected-error@+1 {{expects one result per dimension: 2, got 1}}
  %0 = shard.shard_shape dims = [8, %i] sharding = %s device = [0, 0] : index
  return
}

// -----

// shard_shape: one coordinate per axis
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: index) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // shard_shape_c4
  // expected-error@+1 {{expects one device coordinate per axis of grid @g: 2, got 1}}
  %0:2 = shard.shard_shape dims = [8, %i] sharding = %s device = [0] : index, index
  return
}

// -----

// shard_shape: a device of the grid
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: index) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // shard_shape_c5
  // expected-error@+1 {{device coordinate 1 is 4, but axis y has size 4}}
  %0:2 = shard.shard_shape dims = [8, %i] sharding = %s device = [0, 4] : index, index
  return
}

// -----

// shard_shape: extents are not negative
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: index) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // shard_shape_c2
  // expected-error@+1 {{extent of dimension 1 is -2, which is negative}}
  %0:2 = shard.shard_shape dims = [8, -2] sharding = %s device = [0, %i] : index, index
  return
}

// -----

// shard_shape: no more split dimensions than dims
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: index) {
  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  // shard_shape_c3
  // expected-error@+1 {{sharding splits dimension 1, but there are 1 dims}}
  %0 = shard.shard_shape dims = [8] sharding = %s device = [0, %i] : index
  return
}

// -----

// as many values as '?'
shard.grid @g(shape = 2x4)
func.func @f() {
  // sharding_c1
  // expected-error@+1 {{expects one SSA value per '?' of halo_sizes}}
  %0 = "shard.sharding"() <{grid = @g, split_axes = #shard<axisarray[[0]]>, static_halo_sizes = array<i64: 1, -9223372036854775808>, operandSegmentSizes = array<i32: 0, 0>}> : () -> !shard.sharding
  return
}
