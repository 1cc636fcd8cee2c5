// RUN: shard-opt %s --split-input-file --verify-diagnostics

// Shardings of the attribute form, and where they stand, that are errors.

// one entry per dimension
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c12
  // expected-error@+1 {{sharding has 1 dimensions, but 'tensor<8x8xf32>' has rank 2}}
  %0 = shard.constraint %t to <@g, [[0]]> : tensor<8x8xf32>
  return
}

// -----

// axes by name exist
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c1
  // expected-error@+1 {{dimension 0 names axis "z", which grid @g does not have; its axes are "x", "y"}}
  %0 = shard.constraint %t to <@g, [["z"], []]> : tensor<8x8xf32>
  return
}

// -----

// axes by number exist
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c2
  // expected-error@+1 {{dimension 1 names axis 2, but grid @g has only 2 axes}}
  %0 = shard.constraint %t to <@g, [[], [2]]> : tensor<8x8xf32>
  return
}

// -----

// the grid exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // grid_use_c1
  // expected-error@+1 {{Undefined required grid symbol "h".}}
  %0 = shard.constraint %t to <@h, [[], [0]]> : tensor<8x8xf32>
  return
}

// -----

// no axis stands twice
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // sharding_attr_c2
  // expected-error@+1 {{axis "x" stands twice}}
  %0 = shard.constraint %t to <@g, [["x"], ["x"]]> : tensor<8x8xf32>
  return
}

// -----

// a name and a number of one axis are one axis
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c5
  // expected-error@+1 {{dimension 1 uses axis 0, which is in use already}}
  %0 = shard.constraint %t to <@g, [["x"], [0]]> : tensor<8x8xf32>
  return
}

// -----

// a partial axis splits nothing
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // sharding_attr_c2
  // expected-error@+1 {{axis "x" stands twice}}
  %0 = shard.constraint %t to <@g, [["x"], []], partial = sum ["x"]> : tensor<8x8xf32>
  return
}

// -----

// a replicated axis splits nothing
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c5
  // expected-error@+1 {{replicated uses axis 0, which is in use already}}
  %0 = shard.constraint %t to <@g, [["x"], []], replicated = [0]> : tensor<8x8xf32>
  return
}

// -----

// partial axes exist
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c2
  // expected-error@+1 {{partial names axis "z"}}
  %0 = shard.constraint %t to <@g, [["x"], []], partial = sum ["z"]> : tensor<8x8xf32>
  return
}

// -----

// sub-axes do not overlap
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // sharding_attr_c2
  // expected-error@+1 {{axis "y":(1)4 overlaps axis "y":(1)2}}
  %0 = shard.constraint %t to <@g, [["y":(1)2], ["y":(1)4]]> : tensor<8x8xf32>
  return
}

// -----

// a sub-axis and its axis overlap
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // sharding_attr_c2
  // expected-error@+1 {{axis "y" overlaps axis "y":(1)2}}
  %0 = shard.constraint %t to <@g, [["y":(1)2], ["y"]]> : tensor<8x8xf32>
  return
}

// -----

// sub-axes divide the axis
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c4
  // expected-error@+1 {{dimension 0 has the sub-axis "y":(1)3, which does not divide the axis of size 4}}
  %0 = shard.constraint %t to <@g, [["y":(1)3], []]> : tensor<8x8xf32>
  return
}

// -----

// pre-size and size divide the axis together
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c4
  // expected-error@+1 {{dimension 0 has the sub-axis "y":(2)4, which does not divide the axis of size 4}}
  %0 = shard.constraint %t to <@g, [["y":(2)4], []]> : tensor<8x8xf32>
  return
}

// -----

// a sub-axis is smaller than the axis
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c14
  // expected-error@+1 {{dimension 0 has the sub-axis "y":(1)4, which is the whole axis of size 4: a sub-axis is smaller; name the axis alone}}
  %0 = shard.constraint %t to <@g, [["y":(1)4], []]> : tensor<8x8xf32>
  return
}

// -----

// sub-axes of known sizes only
shard.grid @d(shape = ?)
func.func @f(%t: tensor<8xf32>) {
  // resolve_c3
  // expected-error@+1 {{dimension 0 has the sub-axis 0:(1)2 of an axis of unknown size}}
  %0 = shard.constraint %t to <@d, [[0:(1)2]]> : tensor<8xf32>
  return
}

// -----

// sub-axis sizes are at least 2
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // axis_ref_attr_c6
  // expected-error@+1 {{sub-axis size 1 is less than 2}}
  %0 = shard.constraint %t to <@g, [["y":(1)1], []]> : tensor<8x8xf32>
  return
}

// -----

// pre-sizes are positive
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // axis_ref_attr_c5
  // expected-error@+1 {{sub-axis pre-size 0 is not positive}}
  %0 = shard.constraint %t to <@g, [["y":(0)2], []]> : tensor<8x8xf32>
  return
}

// -----

// pre-sizes are positive
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // axis_ref_attr_c5
  // expected-error@+1 {{sub-axis pre-size 0 is not positive}}
  %0 = shard.constraint %t to <@g, [["y":(0)0], []]> : tensor<8x8xf32>
  return
}

// -----

// axes by number are not negative
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // axis_ref_attr_c3
  // expected-error@+1 {{axis -1 is negative; axes count from 0}}
  %0 = shard.constraint %t to <@g, [[-1], []]> : tensor<8x8xf32>
  return
}

// -----

// axes by number are small
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // axis_ref_attr_c4
  // expected-error@+1 {{axis 40000 is too large a number}}
  %0 = shard.constraint %t to <@g, [[40000], []]> : tensor<8x8xf32>
  return
}

// -----

// names are not empty
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // axis_ref_attr_c1
  // expected-error@+1 {{expected a name of the axis, got an empty one}}
  %0 = shard.constraint %t to <@g, [[""], []]> : tensor<8x8xf32>
  return
}

// -----

// an axis is a name in quotes or a number
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{expected an axis: a name in quotes or a number}}
  %0 = shard.constraint %t to <@g, [[x], []]> : tensor<8x8xf32>
  return
}

// -----

// ? is the last entry
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{expected '?' to be the last entry}}
  %0 = shard.constraint %t to <@g, [[?, "x"], []]> : tensor<8x8xf32>
  return
}

// -----

// a priority is p and a number
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{expected a priority: p0, p1, ...}}
  %0 = shard.constraint %t to <@g, [["x"]q1, []]> : tensor<8x8xf32>
  return
}

// -----

// a priority has a number
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{expected a priority: p0, p1, ...}}
  %0 = shard.constraint %t to <@g, [["x"]p, []]> : tensor<8x8xf32>
  return
}

// -----

// sections have known names
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{expected partial, replicated, halo or offsets, got 'repeated'}}
  %0 = shard.constraint %t to <@g, [["x"], []], repeated = ["y"]> : tensor<8x8xf32>
  return
}

// -----

// sections stand once
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{'halo' stands twice}}
  %0 = shard.constraint %t to <@g, [["x"], []], halo = [1, 1], halo = [1, 1]> : tensor<8x8xf32>
  return
}

// -----

// partial names a kind
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{expected valid keyword or string}}
  %0 = shard.constraint %t to <@g, [["x"], []], partial = ["y"]> : tensor<8x8xf32>
  return
}

// -----

// partial names axes
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // sharding_attr_c1
  // expected-error@+1 {{expected a reduction kind and at least one axis of a partial sharding}}
  %0 = shard.constraint %t to <@g, [["x"], []], partial = sum []> : tensor<8x8xf32>
  return
}

// -----

// two halo widths per split dimension
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // sharding_attr_c4
  // expected-error@+1 {{expected 2 halo widths for each of 2 split dimensions, got 2}}
  %0 = shard.constraint %t to <@g, [["x"], ["y"]], halo = [1, 1]> : tensor<8x8xf32>
  return
}

// -----

// halo widths are not negative
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // sharding_attr_c5
  // expected-error@+1 {{halo width -1 is negative}}
  %0 = shard.constraint %t to <@g, [["x"], []], halo = [1, -1]> : tensor<8x8xf32>
  return
}

// -----

// sums of halo widths and extents do not overflow
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // sharding_attr_c5
  // expected-error@+1 {{halo width 9223372036854775807 is above 2^40}}
  %0 = shard.constraint %t to <@g, [["x"], []], halo = [9223372036854775807, 1]> : tensor<8x8xf32>
  return
}

// -----

// halo and offsets exclude each other
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // sharding_attr_c3
  // expected-error@+1 {{halo and offsets exclude each other}}
  %0 = shard.constraint %t to <@g, [["x"], []], halo = [1, 1], offsets = [0, 4, 8]> : tensor<8x8xf32>
  return
}

// -----

// n + 1 offsets for n blocks
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c7
  // expected-error@+1 {{dimension 0 has 2 blocks and needs 3 offsets, got 2}}
  %0 = shard.constraint %t to <@g, [["x"], []], offsets = [0, 8]> : tensor<8x8xf32>
  return
}

// -----

// offsets start at 0
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c8
  // expected-error@+1 {{offsets of dimension 0 start at 2, not at 0}}
  %0 = shard.constraint %t to <@g, [["x"], []], offsets = [2, 4, 8]> : tensor<8x8xf32>
  return
}

// -----

// offsets do not decrease
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c9
  // expected-error@+1 {{offsets of dimension 0 decrease}}
  %0 = shard.constraint %t to <@g, [["x"], []], offsets = [0, 9, 8]> : tensor<8x8xf32>
  return
}

// -----

// offsets end at the extent
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c10
  // expected-error@+1 {{offsets of dimension 1 end at 7, not at its extent 8}}
  %0 = shard.constraint %t to <@g, [[], ["x"]], offsets = [0, 4, 7]> : tensor<8x8xf32>
  return
}

// -----

// no offsets too many
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c11
  // expected-error@+1 {{takes 3 offsets, one more for each split dimension than it has blocks, got 4}}
  %0 = shard.constraint %t to <@g, [["x"], []], offsets = [0, 4, 8, 8]> : tensor<8x8xf32>
  return
}

// -----

// on arguments: a sharding
shard.grid @g(shape = 2x4) axes ["x", "y"]
// dialect_attr_c5
// expected-error@+1 {{attribute "shard.sharding" of argument 0 expects a #shard.sharding attribute}}
func.func private @f(tensor<8xf32> {shard.sharding = "x"})

// -----

// on arguments: of tensors
shard.grid @g(shape = 2x4) axes ["x", "y"]
// dialect_attr_c2
// expected-error@+1 {{attribute "shard.sharding" of argument 0 expects a ranked tensor to shard, got 'f32'}}
func.func private @f(f32 {shard.sharding = #shard.sharding<@g, []>})

// -----

// on arguments: of their rank
shard.grid @g(shape = 2x4) axes ["x", "y"]
// resolve_c12
// expected-error@+1 {{attribute "shard.sharding" of argument 0 sharding has 2 dimensions, but 'tensor<8xf32>' has rank 1}}
func.func private @f(tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>})

// -----

// on results: on a grid that exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
// dialect_attr_c1
// expected-error@+1 {{attribute "shard.sharding" of result 0 no grid is called "h"}}
func.func private @f() -> (tensor<8xf32> {shard.sharding = #shard.sharding<@h, [[0]]>})

// -----

// on results: by axes that exist
shard.grid @g(shape = 2x4) axes ["x", "y"]
// resolve_c1
// expected-error@+1 {{attribute "shard.sharding" of result 0 dimension 0 names axis "w", which grid @g does not have}}
func.func private @f() -> (tensor<8xf32> {shard.sharding = #shard.sharding<@g, [["w"]]>})

// -----

// partial by a kind that is for integers
shard.grid @g(shape = 2x4) axes ["x", "y"]
// resolve_c13
// expected-error@+1 {{attribute "shard.sharding" of result 0 is partial by bitwise_xor, which is for integers, but the elements are 'f32'}}
func.func private @f() -> (tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[]], partial = bitwise_xor ["x"]>})

// -----

// on ops: of one result
shard.grid @g(shape = 2x4) axes ["x", "y"]
// dialect_attr_c10
// expected-error@+1 {{attribute "shard.sharding" expects an op of one result, this one has 0}}
func.func private @f() attributes {shard.sharding = #shard.sharding<@g, [[0]]>}

// -----

// on ops: of its rank
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8xf32>) {
  // resolve_c12
  // expected-error@+1 {{attribute "shard.sharding" sharding has 2 dimensions}}
  %0 = arith.negf %t {shard.sharding = #shard.sharding<@g, [[], []]>} : tensor<8xf32>
  return
}

// -----

// on ops: a sharding
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8xf32>) {
  // dialect_attr_c8
  // expected-error@+1 {{attribute "shard.sharding" expects a #shard.sharding attribute}}
  %0 = arith.negf %t {shard.sharding = 1} : tensor<8xf32>
  return
}

// -----

// of loops: axes that exist
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8xf32>) {
  // resolve_c2
  // expected-error@+1 {{attribute "shard.loops" dimension 0 names axis 4, but grid @g has only 2 axes}}
  %0 = arith.negf %t {shard.loops = #shard.sharding<@g, [[4]]>} : tensor<8xf32>
  return
}

// -----

// of loops: no partial axes
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8xf32>) {
  // dialect_attr_c9
  // expected-error@+1 {{says which axes shard each loop: no partial axes, halos or offsets}}
  %0 = arith.negf %t {shard.loops = #shard.sharding<@g, [[0]], partial = sum [1]>} : tensor<8xf32>
  return
}

// -----

// local: an attribute of its kind
shard.grid @g(shape = 2x4) axes ["x", "y"]
// dialect_attr_c6
// expected-error@+1 {{attribute "shard.local" of argument 0 expects a #shard.local attribute}}
func.func private @f(tensor<8xf32> {shard.local = #shard.sharding<@g, [[0]]>})

// -----

// local: the type fits
shard.grid @g(shape = 2x4) axes ["x", "y"]
// dialect_attr_c4
// expected-error@+1 {{expects the local type 'tensor<4xf32>' of 'tensor<8xf32>', got 'tensor<8xf32>'}}
func.func private @f(tensor<8xf32> {shard.local = #shard.local<tensor<8xf32>, <@g, [[0]]>>})

// -----

// local: the element type fits
shard.grid @g(shape = 2x4) axes ["x", "y"]
// dialect_attr_c4
// expected-error@+1 {{expects the local type 'tensor<4xf32>' of 'tensor<8xf32>', got 'tensor<4xf16>'}}
func.func private @f(tensor<4xf16> {shard.local = #shard.local<tensor<8xf32>, <@g, [[0]]>>})

// -----

// local: of results as well
shard.grid @g(shape = 2x4) axes ["x", "y"]
// dialect_attr_c4
// expected-error@+1 {{expects the local type 'tensor<5xf32>' of 'tensor<9xf32>', got 'tensor<3xf32>'}}
func.func private @f() -> (tensor<3xf32> {shard.local = #shard.local<tensor<9xf32>, <@g, [[0]]>>})

// -----

// local: whole axes only
shard.grid @g(shape = 2x4) axes ["x", "y"]
// dialect_attr_c3
// expected-error@+1 {{expects whole axes, not sub-axes}}
func.func private @f(tensor<4xf32> {shard.local = #shard.local<tensor<8xf32>, <@g, [[1:(1)2]]>>})

// -----

// local: of closed dimensions
shard.grid @g(shape = 2x4) axes ["x", "y"]
// dialect_attr_c27
// expected-error@+1 {{expects closed dimensions: a block has one sharding}}
func.func private @f(tensor<8xf32> {shard.local = #shard.local<tensor<8xf32>, <@g, [[?]]>>})

// -----

// local: not on ops
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8xf32>) {
  // dialect_attr_c7
  // expected-error@+1 {{attribute "shard.local" is for arguments and results of functions only}}
  %0 = arith.negf %t {shard.local = #shard.local<tensor<8xf32>, <@g, [[0]]>>} : tensor<8xf32>
  return
}

// -----

// group: at least one value
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // group_c1
  // expected-error@+1 {{expects at least one value}}
  "shard.group"() <{id = 0 : i64}> : () -> ()
  return
}

// -----

// group: like shapes
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // group_c3
  // expected-error@+1 {{joins values of different shapes: value 1 is a 'tensor<4xf32>', value 0 a 'tensor<8xf32>'}}
  shard.group %a, %b id = 0 : tensor<8xf32>, tensor<4xf32>
  return
}

// -----

// offsets are counted, which needs sizes
shard.grid @g(shape = ?x4)
func.func @f(%t: tensor<8xf32>) {
  // resolve_c6
  // expected-error@+1 {{offsets need a grid of known sizes}}
  %0 = shard.constraint %t to <@g, [[0]], offsets = [0, 4, 8]> : tensor<8xf32>
  return
}

// -----

// misspelt on an op
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // dialect_attr_c14
  // expected-error@+1 {{attribute "shard.shardings" is none of this dialect: those of ops are "shard.sharding", "shard.loops" and "shard.recompute", that of a loop is "shard.halo_steps", that of a grid is "shard.machine", that of shard.update_halo is "shard.windows", that of shard.constraint is "shard.propagate", that of shard.shard is "shard.step"}}
  %0 = math.exp %a {shard.shardings = #shard.sharding<@g, [[0]]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// misspelt in a signature
shard.grid @g(shape = 2x4) axes ["x", "y"]
// dialect_attr_c13
// expected-error@+1 {{attribute "shard.loops" of argument 0 is none of this dialect: those of arguments and results are "shard.sharding" and "shard.local"}}
func.func private @f(tensor<8xf32> {shard.loops = #shard.sharding<@g, [["w"]]>})

// -----

// dialect_attr_c15
shard.grid @g(shape = 2x4)
// expected-error@+1 {{attribute "shard.machine" is for shard.grid only}}
func.func private @f() attributes {shard.machine = {name = "a100"}}

// -----

// dialect_attr_c16
// expected-error@+1 {{attribute "shard.machine" expects a dictionary}}
shard.grid @g(shape = 2x4) {shard.machine = "a100"}

// -----

// dialect_attr_c17
// expected-error@+1 {{attribute "shard.machine" names the machine "abacus"; known ones are generic, a100, h100, tpu-v4}}
shard.grid @g(shape = 2x4) {shard.machine = {name = "abacus"}}

// -----

// dialect_attr_c18
// expected-error@+1 {{attribute "shard.machine" has the entry "flops"; entries are name, flops8,}}
shard.grid @g(shape = 2x4) {shard.machine = {flops = 1.0e12}}

// -----

shard.grid @g(shape = 2x4)
func.func @f(%a: tensor<8xf32>) {
  // dialect_attr_c40
  // expected-error@+1 {{attribute "shard.propagate" is for shard.constraint only}}
  %0 = math.exp %a {shard.propagate = "none"} : tensor<8xf32>
  return
}

// -----

shard.grid @g(shape = 2x4)
func.func @f(%a: tensor<8xf32>) {
  // dialect_attr_c41
  // expected-error@+1 {{attribute "shard.propagate" expects "none", "forward" (from the input to the result) or "backward"}}
  %0 = shard.constraint %a to <@g, [[?]]> {shard.propagate = "both"} : tensor<8xf32>
  return
}

// -----

// dialect_attr_c19
// expected-error@+1 {{attribute "shard.machine" expects a positive float as memory, got 16 : i64}}
shard.grid @g(shape = 2x4) {shard.machine = {memory = 16}}

// -----

// dialect_attr_c19
// expected-error@+1 {{attribute "shard.machine" expects a positive float as link_bandwidth, got 0.}}
shard.grid @g(shape = 2x4) {shard.machine = {link_bandwidth = 0.0}}

// -----

shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8xf32>) -> tensor<8xf32> {
  // dialect_attr_c21
  // expected-error@+1 {{attribute "shard.windows" is for shard.update_halo only}}
  %0 = math.exp %t {shard.windows = []} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8xf32>) -> tensor<8xf32> {
  // dialect_attr_c22
  // expected-error@+1 {{attribute "shard.windows" expects an array of up to 1 lists, one for each dimension}}
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1, 1] {shard.windows = [array<i64>, array<i64>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8xf32>) -> tensor<8xf32> {
  // dialect_attr_c23
  // expected-error@+1 {{attribute "shard.windows" expects lists, array<i64>, of no numbers, of 6 or of 7 up to 2147483648: iterations, stride, offset, reach, first, size, step}}
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1, 1] {shard.windows = [array<i64: 1, 2>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8xf32>) -> tensor<8xf32> {
  // dialect_attr_c23
  // expected-error@+1 {{attribute "shard.windows" expects lists, array<i64>, of no numbers, of 6 or of 7 up to 2147483648: iterations, stride, offset, reach, first, size, step}}
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1, 1] {shard.windows = [array<i64: 1, 1, 0, 1, 0, 4294967296>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8xf32>) -> tensor<8xf32> {
  // dialect_attr_c24
  // expected-error@+1 {{attribute "shard.windows" expects iterations and sizes that are not negative, strides that are not 0, positive reaches and steps}}
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1, 1] {shard.windows = [array<i64: 1, 0, 0, 1, 0, 8>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8xf32>) -> tensor<8xf32> {
  // dialect_attr_c24
  // expected-error@+1 {{attribute "shard.windows" expects iterations and sizes that are not negative, strides that are not 0, positive reaches and steps}}
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1, 1] {shard.windows = [array<i64: 1, 1, 0, 1, 0, 8, 0>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @f(%t: tensor<8xf32>) -> tensor<8xf32> {
  // dialect_attr_c25
  // expected-error@+1 {{attribute "shard.step" is for a shard.shard with annotate_for_users only}}
  %0 = math.exp %t {shard.step = "all_gather"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @f(%t: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // dialect_attr_c25
  // expected-error@+1 {{attribute "shard.step" is for a shard.shard with annotate_for_users only}}
  %0 = shard.shard %t to %s {shard.step = "all_gather"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @f(%t: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // dialect_attr_c26
  // expected-error@+1 {{attribute "shard.step" expects the name of a step, such as "all_gather"}}
  %0 = shard.shard %t to %s annotate_for_users {shard.step = 1} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
