// RUN: shard-opt %s --split-input-file --verify-diagnostics

// Grids and process indices that are errors.

// a grid has at least one axis
// expected-error@+1 {{Failed parsing dimension list.}}
shard.grid @g(shape = )

// -----

// sizes are not negative
// expected-error@+1 {{Failed parsing dimension list.}}
shard.grid @g(shape = -1x2)

// -----

// an empty list of sizes
// grid_c2
// expected-error@+1 {{rank of grid is expected to be a positive integer}}
"shard.grid"() <{shape = array<i64>, sym_name = "g"}> : () -> ()

// -----

// a grid has a name
// grid_c1
// expected-error@+1 {{expects a name that is not empty}}
"shard.grid"() <{shape = array<i64: 2>, sym_name = ""}> : () -> ()

// -----

// no axis is of size 0
// grid_c4
// expected-error@+1 {{dimension size of a grid is expected to be positive or dynamic, got 0}}
shard.grid @g(shape = 2x0)

// -----

// the generic form is checked as well
// grid_c4
// expected-error@+1 {{dimension size of a grid is expected to be positive or dynamic, got -3}}
"shard.grid"() <{shape = array<i64: 2, -3>, sym_name = "g"}> : () -> ()

// -----

// the number of devices fits 64 bits
// grid_c5
// expected-error@+1 {{number of devices does not fit 64 bits}}
shard.grid @g(shape = 4294967296x4294967296)

// -----

// one name per axis
// grid_c6
// expected-error@+1 {{expects one name per axis: 2 axes, 1 names}}
shard.grid @g(shape = 2x4) axes ["x"]

// -----

// names are distinct
// grid_c8
// expected-error@+1 {{has two axes called "x"}}
shard.grid @g(shape = 2x4) axes ["x", "x"]

// -----

// names are not empty
// grid_c7
// expected-error@+1 {{has an axis with an empty name}}
shard.grid @g(shape = 2x4) axes ["x", ""]

// -----

// names are strings
// expected-error@+1 {{attribute 'axis_names' failed to satisfy constraint: string array attribute}}
"shard.grid"() <{shape = array<i64: 2>, sym_name = "g", axis_names = [1]}> : () -> ()

// -----

// one latency per axis
// grid_c9
// expected-error@+1 {{expects one latency per axis: 2 axes, 1 numbers}}
shard.grid @g(shape = 2x4) {latency = array<f64: 1.0>}

// -----

// latencies are not negative
// grid_c10
// expected-error@+1 {{has a latency that is not positive}}
shard.grid @g(shape = 2) {latency = array<f64: -1.0>}

// -----

// bandwidths are positive
// grid_c10
// expected-error@+1 {{has a bandwidth that is not positive}}
shard.grid @g(shape = 2) {bandwidth = array<f64: 0.0>}

// -----

// one bandwidth per axis
// grid_c9
// expected-error@+1 {{expects one bandwidth per axis: 1 axes, 2 numbers}}
shard.grid @g(shape = 2) {bandwidth = array<f64: 1.0, 1.0>}

// -----

// a refinement refines a grid
// grid_c11
// expected-error@+1 {{refines @h, which is not a grid}}
shard.grid @g(shape = 2) {refines = @h}

// -----

// a refinement refines another grid
// grid_c12
// expected-error@+1 {{refines itself}}
shard.grid @g(shape = 2) {refines = @g}

// -----

// refinements end at a grid that refines none
// grid_c24
// expected-error@+1 {{refines @h, which refines it in turn: the coarsest one refines none}}
shard.grid @g(shape = 2) {refines = @h}
shard.grid @h(shape = 2) {refines = @i}
shard.grid @i(shape = 2) {refines = @g}

// -----

// a refinement has the same devices in the same order
shard.grid @h(shape = 4x2)
// grid_c14
// expected-error@+1 {{does not refine @h: no run of its axes makes up axis 1 of size 2}}
shard.grid @g(shape = 2x2x4) {refines = @h}

// -----

// a refinement has no more devices
shard.grid @h(shape = 4)
// grid_c15
// expected-error@+1 {{has more devices than @h}}
shard.grid @g(shape = 2x2x2) {refines = @h}

// -----

// only known sizes are refined
shard.grid @h(shape = ?)
// grid_c13
// expected-error@+1 {{refines a grid of unknown sizes}}
shard.grid @g(shape = 2x2) {refines = @h}

// -----

// grid_shape of a grid that is not there
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // grid_use_c1
  // expected-error@+1 {{Undefined required grid symbol "h".}}
  %0 = shard.grid_shape @h : index
  return
}

// -----

// grid_shape of a symbol that is no grid
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func private @h()
func.func @f() {
  // grid_use_c1
  // expected-error@+1 {{Undefined required grid symbol "h".}}
  %0 = shard.grid_shape @h : index
  return
}

// -----

// grid_shape of an axis that is not there
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // grid_use_c2
  // expected-error@+1 {{0-based grid axis index 2 is out of bounds. The referenced grid "g" is of rank 2.}}
  %0 = shard.grid_shape @g axes = [2] : index
  return
}

// -----

// grid_shape of a negative axis
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // grid_use_c2
  // expected-error@+1 {{0-based grid axis index -1 is out of bounds}}
  %0 = shard.grid_shape @g axes = [-1] : index
  return
}

// -----

// grid_shape of an axis twice
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // grid_use_c3
  // expected-error@+1 {{Grid axes contains duplicate elements.}}
  %0:2 = shard.grid_shape @g axes = [0, 0] : index, index
  return
}

// -----

// grid_shape with too few results
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // grid_use_c6
  // expected-error@+1 {{Unexpected number of results 1. Expected 2.}}
  %0 = shard.grid_shape @g : index
  return
}

// -----

// process_multi_index with too many results
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // grid_use_c6
  // expected-error@+1 {{Unexpected number of results 3. Expected 2.}}
  %0:3 = shard.process_multi_index on @g : index, index, index
  return
}

// -----

// process_multi_index of an axis that is not there
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // grid_use_c2
  // expected-error@+1 {{0-based grid axis index 7 is out of bounds}}
  %0 = shard.process_multi_index on @g axes = [7] : index
  return
}

// -----

// process_multi_index of an axis twice
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // grid_use_c3
  // expected-error@+1 {{Grid axes contains duplicate elements.}}
  %0:2 = shard.process_multi_index on @g axes = [1, 1] : index, index
  return
}

// -----

// process_multi_index of a grid that is not there
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // grid_use_c1
  // expected-error@+1 {{Undefined required grid symbol "h".}}
  %0 = shard.process_multi_index on @h axes = [0] : index
  return
}

// -----

// process_linear_index of a grid that is not there
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // grid_use_c1
  // expected-error@+1 {{Undefined required grid symbol "h".}}
  %0 = shard.process_linear_index on @h : index
  return
}

// -----

// neighbors: one coordinate per axis
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: index) {
  // neighbors_linear_indices_c1
  // expected-error@+1 {{expects one device coordinate per axis of grid @g: 2, got 1}}
  %0, %1 = shard.neighbors_linear_indices on @g[%i] split_axes = [0] : index, index
  return
}

// -----

// neighbors: along one axis
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: index) {
  // neighbors_linear_indices_c2
  // expected-error@+1 {{expects one split axis, got 2}}
  %0, %1 = shard.neighbors_linear_indices on @g[%i, %i] split_axes = [0, 1] : index, index
  return
}

// -----

// neighbors: along some axis
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: index) {
  // neighbors_linear_indices_c2
  // expected-error@+1 {{expects one split axis, got 0}}
  %0, %1 = shard.neighbors_linear_indices on @g[%i, %i] split_axes = [] : index, index
  return
}

// -----

// neighbors: along an axis of the grid
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: index) {
  // grid_use_c2
  // expected-error@+1 {{0-based grid axis index 5 is out of bounds}}
  %0, %1 = shard.neighbors_linear_indices on @g[%i, %i] split_axes = [5] : index, index
  return
}

// -----

// neighbors: of a device of the grid
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%i: index) {
  %c4 = arith.constant 4 : index
  // neighbors_linear_indices_c3
  // expected-error@+1 {{device coordinate 1 is 4, but axis y has size 4}}
  %0, %1 = shard.neighbors_linear_indices on @g[%i, %c4] split_axes = [0] : index, index
  return
}

// -----

// device ids need to know how many devices there are
// grid_c16
// expected-error@+1 {{has device_ids and an axis of unknown size: give every axis a size}}
shard.grid @g(shape = 2x?) device_ids = [1, 0]

// -----

// device ids of a refinement are those of what it refines
shard.grid @g(shape = 4)
// grid_c17
// expected-error@+1 {{has device_ids, but those of a refinement are the ids of @g, which it refines: state them there}}
shard.grid @h(shape = 2x2) device_ids = [0, 1, 2, 3] {refines = @g}

// -----

// one id for each device
// grid_c18
// expected-error@+1 {{expects one device id per device: 8 devices, 4 ids}}
shard.grid @g(shape = 2x4) device_ids = [3, 2, 1, 0]

// -----

// a single device may have any id
shard.grid @f(shape = 1x1) device_ids = [9]
// grid_c19
// expected-error@+1 {{has a negative device id: -1}}
shard.grid @g(shape = 1) device_ids = [-1]

// -----

// ids are those of the devices
// grid_c20
// expected-error@+1 {{has device id 4 at position 1, but its 4 devices are numbered from 0 to 3}}
shard.grid @g(shape = 2x2) device_ids = [0, 4, 1, 2]

// -----

// no device is at two positions
// grid_c21
// expected-error@+1 {{has device id 2 twice: each physical device is at one position}}
shard.grid @g(shape = 2x2) device_ids = [0, 2, 1, 2]

// -----

// grid_c22
// expected-error @+1 {{has uneven_dynamic and an axis of unknown size, which divides every extent: give every axis a size}}
shard.grid @g(shape = 2x?) {uneven_dynamic}

// -----

// grid_c23
shard.grid @g(shape = 4) {uneven_dynamic}
// expected-error @+1 {{does not state uneven_dynamic, unlike @g, which it refines}}
shard.grid @g_1(shape = 2x2) {refines = @g}

// -----

// grid_c23
shard.grid @g(shape = 4)
// expected-error @+1 {{states uneven_dynamic, unlike @g, which it refines}}
shard.grid @g_1(shape = 2x2) {refines = @g, uneven_dynamic}
