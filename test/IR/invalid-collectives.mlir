// RUN: shard-opt %s --split-input-file --verify-diagnostics

// Collectives that are errors.

// all_gather: the grid exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // grid_use_c1
  // expected-error@+1 {{Undefined required grid symbol "h".}}
  %0 = shard.all_gather %t on @h grid_axes = [0] gather_axis = 0 : tensor<8x8xf32> -> tensor<16x8xf32>
  return
}

// -----

// all_gather: grid axes exist
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // grid_use_c2
  // expected-error@+1 {{0-based grid axis index 2 is out of bounds. The referenced grid "g" is of rank 2.}}
  %0 = shard.all_gather %t on @g grid_axes = [2] gather_axis = 0 : tensor<8x8xf32> -> tensor<16x8xf32>
  return
}

// -----

// all_gather: grid axes are distinct
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // grid_use_c3
  // expected-error@+1 {{Grid axes contains duplicate elements.}}
  %0 = shard.all_gather %t on @g grid_axes = [0, 0] gather_axis = 0 : tensor<8x8xf32> -> tensor<16x8xf32>
  return
}

// -----

// all_gather: the dimension exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c1
  // expected-error@+1 {{Gather axis 2 is out of bounds [0, 2).}}
  %0 = shard.all_gather %t on @g grid_axes = [0] gather_axis = 2 : tensor<8x8xf32> -> tensor<16x8xf32>
  return
}

// -----

// all_gather: the dimension is not negative
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c1
  // expected-error@+1 {{Gather axis -1 is out of bounds [0, 2).}}
  %0 = shard.all_gather %t on @g grid_axes = [0] gather_axis = -1 : tensor<8x8xf32> -> tensor<16x8xf32>
  return
}

// -----

// all_gather: the gathered extent is not too large
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c2
  // expected-error@+1 {{Dimension size mismatch for result axis 0. Expected 32, but got 33.}}
  %0 = shard.all_gather %t on @g grid_axes = [1] gather_axis = 0 : tensor<8x8xf32> -> tensor<33x8xf32>
  return
}

// -----

// all_gather: no block is all padding in every place
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c2
  // expected-error@+1 {{Dimension size mismatch for result axis 0. Expected 32, but got 28.}}
  %0 = shard.all_gather %t on @g grid_axes = [1] gather_axis = 0 : tensor<8x8xf32> -> tensor<28x8xf32>
  return
}

// -----

// all_gather: other extents stay
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c2
  // expected-error@+1 {{Dimension size mismatch for result axis 1. Expected 8, but got 9.}}
  %0 = shard.all_gather %t on @g grid_axes = [0] gather_axis = 0 : tensor<8x8xf32> -> tensor<16x9xf32>
  return
}

// -----

// all_gather: ranks are equal
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{result type has different rank than operands}}
  %0 = shard.all_gather %t on @g grid_axes = [0] gather_axis = 0 : tensor<8x8xf32> -> tensor<16xf32>
  return
}

// -----

// all_gather: element types are equal
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = shard.all_gather %t on @g grid_axes = [0] gather_axis = 0 : tensor<8x8xf32> -> tensor<16x8xf16>
  return
}

// -----

// all_gather: not a static extent of a dynamic one
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<?x8xf32>) {
  // collective_c2
  // expected-error@+1 {{Dimension size mismatch for result axis 0. Expected dynamic, but got 16.}}
  %0 = shard.all_gather %t on @g grid_axes = [0] gather_axis = 0 : tensor<?x8xf32> -> tensor<16x8xf32>
  return
}

// -----

// all_gather: not of scalars
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<f32>) {
  // expected-error@+1 {{operand #0 must be non-0-ranked.tensor of any type values, but got 'tensor<f32>'}}
  %0 = shard.all_gather %t on @g grid_axes = [0] gather_axis = 0 : tensor<f32> -> tensor<f32>
  return
}

// -----

// all_slice: the dimension exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c1
  // expected-error@+1 {{Slice axis 3 is out of bounds [0, 2).}}
  %0 = shard.all_slice %t on @g grid_axes = [0] slice_axis = 3 : tensor<8x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// all_slice: the extent is the ceiling
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<10x8xf32>) {
  // collective_c2
  // expected-error@+1 {{Dimension size mismatch for result axis 0. Expected 3, but got 2.}}
  %0 = shard.all_slice %t on @g grid_axes = [1] slice_axis = 0 : tensor<10x8xf32> -> tensor<2x8xf32>
  return
}

// -----

// all_slice: other extents stay
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c2
  // expected-error@+1 {{Dimension size mismatch for result axis 1. Expected 8, but got 2.}}
  %0 = shard.all_slice %t on @g grid_axes = [1] slice_axis = 0 : tensor<8x8xf32> -> tensor<2x2xf32>
  return
}

// -----

// all_slice: the grid exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // grid_use_c1
  // expected-error@+1 {{Undefined required grid symbol "h".}}
  %0 = shard.all_slice %t on @h grid_axes = [0] slice_axis = 0 : tensor<8x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// all_reduce: grid axes exist
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // grid_use_c2
  // expected-error@+1 {{0-based grid axis index -1 is out of bounds}}
  %0 = shard.all_reduce %t on @g grid_axes = [-1] : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_reduce: shapes are equal
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{requires the same shape for all operands and results}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] : tensor<8x8xf32> -> tensor<8x4xf32>
  return
}

// -----

// all_reduce: kinds have names
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{expected a reduction kind: sum, max, min}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = mean : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_reduce: bits are of integers
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c8
  // expected-error@+1 {{reduction bitwise_xor needs integer elements, got 'f32'}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = bitwise_xor : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_reduce: unsigned order is of integers
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c8
  // expected-error@+1 {{reduction umax needs integer elements, got 'f32'}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = umax : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_reduce: tensors and memrefs do not mix
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // all_reduce_c1
  // expected-error@+1 {{mixes tensors and memrefs}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] : tensor<8x8xf32> -> memref<8x8xf32>
  return
}

// -----

// all_reduce: only generic has a combiner
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c9
  // expected-error@+1 {{has a combiner, but its reduction is max, not generic}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = max combiner {
  ^bb0(%a: f32, %b: f32):
    shard.return %a : f32
  } : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_reduce: a combiner of two elements
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c11
  // expected-error@+1 {{expects a combiner of two arguments of type 'f32'}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = generic combiner {
  ^bb0(%a: f32):
    shard.return %a : f32
  } : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_reduce: a combiner gives one element
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c12
  // expected-error@+1 {{expects a combiner that ends with shard.return of one value of type 'f32'}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = generic combiner {
  ^bb0(%a: f32, %b: f32):
    shard.return %a, %b : f32, f32
  } : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// a combiner runs as often as a device combines elements, so no two devices meet in it
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8xf32>) {
  // collective_c13
  // expected-error@+1 {{has a combiner with a collective, 'shard.all_reduce', which not all devices reach as often; run it in front}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = generic combiner {
  ^bb0(%a: f32, %b: f32):
    %c0 = arith.constant 0 : index
    %y = shard.all_reduce %t on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    %e = tensor.extract %y[%c0] : tensor<8xf32>
    shard.return %e : f32
  } : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

// all_to_all: the split dimension exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c1
  // expected-error@+1 {{Split axis 2 is out of bounds [0, 2).}}
  %0 = shard.all_to_all %t on @g grid_axes = [0] split_axis = 2 concat_axis = 1 : tensor<8x8xf32> -> tensor<4x16xf32>
  return
}

// -----

// all_to_all: the concat dimension exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c1
  // expected-error@+1 {{Concat axis 5 is out of bounds [0, 2).}}
  %0 = shard.all_to_all %t on @g grid_axes = [0] split_axis = 0 concat_axis = 5 : tensor<8x8xf32> -> tensor<4x16xf32>
  return
}

// -----

// all_to_all: one dimension splits evenly
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<6x8xf32>) {
  // all_to_all_c1
  // expected-error@+1 {{Operand dimension size 6 is not divisible by collective device group size 4 for tensor axis 0.}}
  %0 = shard.all_to_all %t on @g grid_axes = [1] split_axis = 0 concat_axis = 0 : tensor<6x8xf32> -> tensor<6x8xf32>
  return
}

// -----

// all_to_all: the split extent
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c2
  // expected-error@+1 {{Dimension size mismatch for result axis 0. Expected 4, but got 3.}}
  %0 = shard.all_to_all %t on @g grid_axes = [0] split_axis = 0 concat_axis = 1 : tensor<8x8xf32> -> tensor<3x16xf32>
  return
}

// -----

// all_to_all: the concatenated extent
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c2
  // expected-error@+1 {{Dimension size mismatch for result axis 1. Expected 16, but got 17.}}
  %0 = shard.all_to_all %t on @g grid_axes = [0] split_axis = 0 concat_axis = 1 : tensor<8x8xf32> -> tensor<4x17xf32>
  return
}

// -----

// all_to_all: one dimension keeps its extent
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c2
  // expected-error@+1 {{Dimension size mismatch for result axis 0. Expected 8, but got 16.}}
  %0 = shard.all_to_all %t on @g grid_axes = [0] split_axis = 0 concat_axis = 0 : tensor<8x8xf32> -> tensor<16x8xf32>
  return
}

// -----

// broadcast: one coordinate per grid axis
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c5
  // expected-error@+1 {{In-group device "root" has unexpected multi-index size 2. Expected 1.}}
  %0 = shard.broadcast %t on @g grid_axes = [0] root = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// broadcast: the root exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c7
  // expected-error@+1 {{Out of bounds coordinate 0 for in-group device "root". Got 2, but expected value in the range [0, 1].}}
  %0 = shard.broadcast %t on @g grid_axes = [0] root = [2] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// broadcast: the root is not negative
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c7
  // expected-error@+1 {{Out of bounds coordinate 1 for in-group device "root". Got -1, but expected value in the range [0, 1].}}
  %0 = shard.broadcast %t on @g grid_axes = [1, 0] root = [3, -1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// broadcast: shapes are equal
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same shape}}
  %0 = shard.broadcast %t on @g grid_axes = [0] root = [0] : (tensor<8x8xf32>) -> tensor<8xf32>
  return
}

// -----

// gather: the root exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c7
  // expected-error@+1 {{Out of bounds coordinate 0 for in-group device "root". Got 4, but expected value in the range [0, 3].}}
  %0 = shard.gather %t on @g grid_axes = [1] gather_axis = 0 root = [4] : (tensor<8x8xf32>) -> tensor<32x8xf32>
  return
}

// -----

// gather: the dimension exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c1
  // expected-error@+1 {{Gather axis 9 is out of bounds [0, 2).}}
  %0 = shard.gather %t on @g grid_axes = [1] gather_axis = 9 root = [0] : (tensor<8x8xf32>) -> tensor<32x8xf32>
  return
}

// -----

// gather: the gathered extent
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c2
  // expected-error@+1 {{Dimension size mismatch for result axis 1. Expected 32, but got 24.}}
  %0 = shard.gather %t on @g grid_axes = [1] gather_axis = 1 root = [0] : (tensor<8x8xf32>) -> tensor<8x24xf32>
  return
}

// -----

// scatter: the dimension exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c1
  // expected-error@+1 {{Scatter axis 2 is out of bounds [0, 2).}}
  %0 = shard.scatter %t on @g grid_axes = [0] scatter_axis = 2 root = [0] : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// scatter: the extent is the ceiling
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<7x8xf32>) {
  // collective_c2
  // expected-error@+1 {{Dimension size mismatch for result axis 0. Expected 4, but got 3.}}
  %0 = shard.scatter %t on @g grid_axes = [0] scatter_axis = 0 root = [0] : (tensor<7x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

// scatter: the root exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c7
  // expected-error@+1 {{Out of bounds coordinate 0 for in-group device "root". Got -1}}
  %0 = shard.scatter %t on @g grid_axes = [0] scatter_axis = 0 root = [-1] : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reduce: the root exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c7
  // expected-error@+1 {{Out of bounds coordinate 0 for in-group device "root". Got 7}}
  %0 = shard.reduce %t on @g grid_axes = [0] reduction = max root = [7] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reduce: bits are of integers
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c8
  // expected-error@+1 {{reduction bitwise_and needs integer elements}}
  %0 = shard.reduce %t on @g grid_axes = [0] reduction = bitwise_and root = [0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reduce_scatter: the dimension exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c1
  // expected-error@+1 {{Scatter axis -2 is out of bounds [0, 2).}}
  %0 = shard.reduce_scatter %t on @g grid_axes = [0] scatter_axis = -2 : tensor<8x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// reduce_scatter: the extent
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c2
  // expected-error@+1 {{Dimension size mismatch for result axis 0. Expected 4, but got 8.}}
  %0 = shard.reduce_scatter %t on @g grid_axes = [0] scatter_axis = 0 : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// reduce_scatter: an axis must be named
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{expected 'scatter_axis'}}
  %0 = shard.reduce_scatter %t on @g grid_axes = [0] : tensor<8x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// send: the destination exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c7
  // expected-error@+1 {{Out of bounds coordinate 0 for in-group device "destination". Got 2}}
  %0 = shard.send %t on @g grid_axes = [0] destination = [2] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// send: one coordinate per grid axis
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c5
  // expected-error@+1 {{In-group device "destination" has unexpected multi-index size 1. Expected 2.}}
  %0 = shard.send %t on @g grid_axes = [0, 1] destination = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// recv: the source exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // collective_c7
  // expected-error@+1 {{Out of bounds coordinate 0 for in-group device "source". Got 4}}
  %0 = shard.recv %t on @g grid_axes = [1] source = [4] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// shift: along a group axis
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // shift_c1
  // expected-error@+1 {{Invalid shift axis 1. It must be one of the grouping grid axes.}}
  %0 = shard.shift %t on @g grid_axes = [0] shift_axis = 1 offset = 1 : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// shift: along further group axes
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // shift_c2
  // expected-error@+1 {{minor_axes has axis 1, which must be one of grid_axes}}
  %0 = shard.shift %t on @g grid_axes = [0] shift_axis = 0 minor_axes = [1] offset = 1 : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// shift: along each axis once
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // shift_c3
  // expected-error@+1 {{axis 1 stands twice in shift_axis and minor_axes}}
  %0 = shard.shift %t on @g grid_axes = [0, 1] shift_axis = 1 minor_axes = [0, 1] offset = 1 : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// shift: shapes are equal
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{requires the same shape for all operands and results}}
  %0 = shard.shift %t on @g grid_axes = [0] shift_axis = 0 offset = 1 : tensor<8x8xf32> -> tensor<8x4xf32>
  return
}

// -----

// permute: as many positions on both sides
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // permute_c4
  // expected-error@+1 {{from_axes have 2 positions and to_axes have 4; they must be equally many}}
  %0 = shard.permute %t on @g from_axes = [0] to_axes = [1] : tensor<8x8xf32>
  return
}

// -----

// permute: axes are distinct
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // permute_c1
  // expected-error@+1 {{from_axes has axis 0 twice}}
  %0 = shard.permute %t on @g from_axes = [0, 0] to_axes = [1] : tensor<8x8xf32>
  return
}

// -----

// permute: axes are not negative
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // permute_c1
  // expected-error@+1 {{to_axes has axis -1, which is negative}}
  %0 = shard.permute %t on @g from_axes = [0] to_axes = [-1] : tensor<8x8xf32>
  return
}

// -----

// permute: axes exist
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // grid_use_c2
  // expected-error@+1 {{0-based grid axis index 4 is out of bounds}}
  %0 = shard.permute %t on @g from_axes = [0] to_axes = [4] : tensor<8x8xf32>
  return
}

// -----

// permute: an unknown size stands on both sides
shard.grid @d(shape = 2x?)
func.func @f(%t: tensor<8xf32>) {
  // permute_c3
  // expected-error@+1 {{axis 1 of unknown size must be in from_axes too}}
  %0 = shard.permute %t on @d from_axes = [0] to_axes = [1] : tensor<8xf32>
  return
}

// -----

// update_halo: axes exist
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // grid_use_c2
  // expected-error@+1 {{0-based grid axis index 3 is out of bounds}}
  %0 = shard.update_halo %t on @g split_axes = [[3]] halo_sizes = [1, 1] : tensor<8x8xf32>
  return
}

// -----

// update_halo: axes are distinct
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // grid_use_c5
  // expected-error@+1 {{grid axis duplicated: axis 0 stands twice}}
  %0 = shard.update_halo %t on @g split_axes = [[0], [0]] halo_sizes = [1, 1, 1, 1] : tensor<8x8xf32>
  return
}

// -----

// update_halo: dimensions exist
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // update_halo_c1
  // expected-error@+1 {{split_axes has 3 dimensions, but the destination has 2}}
  %0 = shard.update_halo %t on @g split_axes = [[0], [], [1]] halo_sizes = [1, 1, 1, 1] : tensor<8x8xf32>
  return
}

// -----

// update_halo: two sizes per split dimension
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // update_halo_c3
  // expected-error@+1 {{expects 2 halo sizes for each of 2 split dimensions, got 2}}
  %0 = shard.update_halo %t on @g split_axes = [[0], [1]] halo_sizes = [1, 1] : tensor<8x8xf32>
  return
}

// -----

// update_halo: sizes must be given
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // update_halo_c3
  // expected-error@+1 {{expects 2 halo sizes for each of 1 split dimensions, got 0}}
  %0 = shard.update_halo %t on @g split_axes = [[0]] : tensor<8x8xf32>
  return
}

// -----

// update_halo: sizes are not negative
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // update_halo_c4
  // expected-error@+1 {{halo size -1 of dimension 0 is negative}}
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1, -1] : tensor<8x8xf32>
  return
}

// -----

// update_halo: halos fit the block
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // update_halo_c5
  // expected-error@+1 {{halo sizes 5 and 4 exceed the extent 8 of dimension 0}}
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [5, 4] : tensor<8x8xf32>
  return
}

// -----

// update_halo: halos fit the block
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // update_halo_c5
  // expected-error@+1 {{halo sizes 4611686018427387904 and 4611686018427387904 exceed the extent 8 of dimension 0}}
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [4611686018427387904, 4611686018427387904] : tensor<8x8xf32>
  return
}

// -----

// update_halo: the grid exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // grid_use_c1
  // expected-error@+1 {{Undefined required grid symbol "h".}}
  %0 = shard.update_halo %t on @h split_axes = [[0]] halo_sizes = [1, 1] : tensor<8x8xf32>
  return
}

// -----

// all_gather: extents fit 64 bits
shard.grid @g(shape = 4)
func.func @f(%t: tensor<4611686018427387904xi8>) {
  // collective_c3
  // expected-error@+1 {{extent of result axis 0 does not fit 64 bits}}
  %0 = shard.all_gather %t on @g grid_axes = [0] gather_axis = 0 : tensor<4611686018427387904xi8> -> tensor<8xi8>
  return
}

// -----

// broadcast: as many values as '?'
shard.grid @g(shape = 4)
func.func @f(%t: tensor<8xf32>) {
  // collective_c6
  // expected-error@+1 {{expects one SSA value per '?' of root}}
  %0 = "shard.broadcast"(%t) <{grid = @g, grid_axes = array<i16: 0>, root = array<i64: -9223372036854775808>}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// permute: groups of unknown size stay the same
shard.grid @g(shape = ?x4)
func.func @f(%t: tensor<8xf32>) {
  // permute_c2
  // expected-error@+1 {{axis 0 of unknown size must be in to_axes too}}
  %0 = shard.permute %t on @g from_axes = [0] to_axes = [1] : tensor<8xf32>
  return
}

// -----

// all_reduce: one combiner
shard.grid @g(shape = 4)
func.func @f(%t: tensor<8xf32>) {
  // collective_c10
  // expected-error@+1 {{expects at most one combiner}}
  %0 = "shard.all_reduce"(%t) <{grid = @g, grid_axes = array<i16: 0>, reduction = #shard<partial generic>}> ({
  ^bb0(%a: f32, %b: f32):
    shard.return %a : f32
  }, {
  ^bb0(%a: f32, %b: f32):
    shard.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// redistribute: more lists than dimensions
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<4xf32>) {
  // redistribute_c1
  // expected-error@+1 {{has axes for 2 dimensions, but the input has 1}}
  %0 = shard.redistribute %t on @g grid_axes = [0] from = [[0], []] to = [[]] extents = [8] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

// redistribute: axes are those of the group
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<4xf32>) {
  // redistribute_c2
  // expected-error@+1 {{splits dimensions by axis 1, which is not one of grid_axes}}
  %0 = shard.redistribute %t on @g grid_axes = [0] from = [[0]] to = [[1]] extents = [8] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

// redistribute: axes of the group split something
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<4xf32>) {
  // redistribute_c3
  // expected-error@+1 {{has axis 1 in grid_axes, but it splits no dimension}}
  %0 = shard.redistribute %t on @g grid_axes = [0, 1] from = [[0]] to = [[]] extents = [8] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

// redistribute: an extent for each dimension
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<4xf32>) {
  // redistribute_c4
  // expected-error@+1 {{has 2 extents, but the input has 1 dimensions}}
  %0 = shard.redistribute %t on @g grid_axes = [0] from = [[0]] to = [[]] extents = [8, 8] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

// redistribute: extents are not negative
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<4xf32>) {
  // redistribute_c5
  // expected-error@+1 {{extent -8 is negative}}
  %0 = shard.redistribute %t on @g grid_axes = [0] from = [[0]] to = [[]] extents = [-8] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

// redistribute: elements can be counted
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<4x4xf32>) {
  // redistribute_c6
  // expected-error@+1 {{the number of elements does not fit 64 bits}}
  %0 = shard.redistribute %t on @g grid_axes = [0] from = [[0]] to = [[]] extents = [4611686018427387904, 4] : tensor<4x4xf32> -> tensor<8x4xf32>
  return
}

// -----

// redistribute: blocks of the input
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<5xf32>) {
  // redistribute_c9
  // expected-error@+1 {{input has type 'tensor<5xf32>', but the block of an extent of 8 has extent 4 in dimension 0}}
  %0 = shard.redistribute %t on @g grid_axes = [0] from = [[0]] to = [[]] extents = [8] : tensor<5xf32> -> tensor<8xf32>
  return
}

// -----

// redistribute: blocks of the result
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<4xf32>) {
  // redistribute_c9
  // expected-error@+1 {{result has type 'tensor<3xf32>', but the block of an extent of 8 has extent 2 in dimension 0}}
  %0 = shard.redistribute %t on @g grid_axes = [0, 1] from = [[0]] to = [[1]] extents = [8] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

// redistribute: blocks have static extents
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<?xf32>) {
  // redistribute_c9
  // expected-error@+1 {{input has type 'tensor<?xf32>', but the block of an extent of 8 has extent 4 in dimension 0}}
  %0 = shard.redistribute %t on @g grid_axes = [0] from = [[0]] to = [[]] extents = [8] : tensor<?xf32> -> tensor<8xf32>
  return
}

// -----

// redistribute: sizes are known
shard.grid @g(shape = 2x?)
func.func @f(%t: tensor<4xf32>) {
  // redistribute_c7
  // expected-error@+1 {{axis 1 of unknown size cannot be one of grid_axes: who sends what follows from the sizes}}
  %0 = shard.redistribute %t on @g grid_axes = [1] from = [[1]] to = [[]] extents = [8] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

// redistribute: groups are small
shard.grid @g(shape = 257)
func.func @f(%t: tensor<1xf32>) {
  // redistribute_c8
  // expected-error@+1 {{has groups of more than 256 devices}}
  %0 = shard.redistribute %t on @g grid_axes = [0] from = [[0]] to = [[]] extents = [257] : tensor<1xf32> -> tensor<257xf32>
  return
}
