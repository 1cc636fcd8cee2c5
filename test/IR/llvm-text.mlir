// What mlir-opt of LLVM 22 parses, verifies and prints, shard-opt prints to the
// same bytes, in the custom and in the generic form.
//
// RUN: shard-opt %s --split-input-file -o %t.ours
// RUN: mlir-opt %s --split-input-file -o %t.theirs
// RUN: diff %t.theirs %t.ours
// RUN: shard-opt %s --split-input-file --mlir-print-op-generic -o %t.ours
// RUN: mlir-opt %s --split-input-file --mlir-print-op-generic -o %t.theirs
// RUN: diff %t.theirs %t.ours
//
// What LLVM prints in the generic form, ours reads, and the other way around.
// RUN: mlir-opt %s --split-input-file --mlir-print-op-generic \
// RUN:   | shard-opt --split-input-file -o %t.ours
// RUN: shard-opt %s --split-input-file --mlir-print-op-generic \
// RUN:   | mlir-opt --split-input-file -o %t.theirs
// RUN: diff %t.theirs %t.ours

// a grid
shard.grid @g(shape = 2x2x4)

// -----

// a grid of one axis
shard.grid @g(shape = 3)

// -----

// a grid of one device
shard.grid @g(shape = 1)

// -----

// a dynamic grid
shard.grid @g(shape = ?x2x?)

// -----

// a private grid
shard.grid @g(shape = 2) {sym_visibility = "private"}

// -----

// a grid with a foreign attribute
shard.grid @g(shape = 2) {vendor.kind = "ring"}

// -----

// a grid in the generic form
"shard.grid"() <{shape = array<i64: 2, 2>, sym_name = "g"}> : () -> ()

// -----

// a grid behind its use
func.func @f() -> index {
  %0 = shard.grid_shape @g axes = [0] : index
  return %0 : index
}
shard.grid @g(shape = 2)

// -----

// a grid in a nested module
module @inner {
  shard.grid @g(shape = 2)
  func.func @f() {
    %0 = shard.process_linear_index on @g : index
    return
  }
}

// -----

// a quoted name
shard.grid @"a grid"(shape = 2)
func.func @f() {
  %0 = shard.process_linear_index on @"a grid" : index
  return
}

// -----

// the shape of a grid
shard.grid @g(shape = 2x4)
func.func @f() {
  %0:2 = shard.grid_shape @g : index, index
  return
}

// -----

// the sizes of some axes, in another order
shard.grid @g(shape = 2x4)
func.func @f() {
  %0:2 = shard.grid_shape @g axes = [1, 0] : index, index
  return
}

// -----

// the shape of a dynamic grid
shard.grid @g(shape = 2x?)
func.func @f() {
  %0 = shard.grid_shape @g axes = [1] : index
  return
}

// -----

// coordinates
shard.grid @g(shape = 2x4)
func.func @f() {
  %0:2 = shard.process_multi_index on @g : index, index
  return
}

// -----

// one coordinate
shard.grid @g(shape = 2x4)
func.func @f() {
  %0 = shard.process_multi_index on @g axes = [1] : index
  return
}

// -----

// the linear index
shard.grid @g(shape = 2x4)
func.func @f() {
  %0 = shard.process_linear_index on @g : index
  return
}

// -----

// neighbours
shard.grid @g(shape = 2x4)
func.func @f(%i: index) {
  %0, %1 = shard.neighbors_linear_indices on @g[%i, %i] split_axes = [1] : index, index
  return
}

// -----

// foreign attributes of index ops
shard.grid @g(shape = 2x4)
func.func @f() {
  %0 = shard.process_linear_index on @g {vendor.x = 1 : i32} : index
  return
}

// -----

// replicated
shard.grid @g(shape = 2x4)
func.func @f() {
  %0 = shard.sharding @g split_axes = [[]] : !shard.sharding
  return
}

// -----

// trailing empty lists stay
shard.grid @g(shape = 2x4)
func.func @f() {
  %0 = shard.sharding @g split_axes = [[0], [], []] : !shard.sharding
  return
}

// -----

// split by one axis
shard.grid @g(shape = 2x4)
func.func @f() {
  %0 = shard.sharding @g split_axes = [[], [1]] : !shard.sharding
  return
}

// -----

// split by two axes, minor first in the grid
shard.grid @g(shape = 2x4)
func.func @f() {
  %0 = shard.sharding @g split_axes = [[1, 0]] : !shard.sharding
  return
}

// -----

// static halos
shard.grid @g(shape = 2x4)
func.func @f() {
  %0 = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 4] : !shard.sharding
  return
}

// -----

// dynamic halos
shard.grid @g(shape = 2x4)
func.func @f(%c: i64) {
  %0 = shard.sharding @g split_axes = [[0]] halo_sizes = [%c, 4] : !shard.sharding
  return
}

// -----

// halos of two dimensions
shard.grid @g(shape = 2x4)
func.func @f(%c: i64) {
  %0 = shard.sharding @g split_axes = [[0], [], [1]] halo_sizes = [0, 0, %c, %c] : !shard.sharding
  return
}

// -----

// static offsets
shard.grid @g(shape = 2x4)
func.func @f() {
  %0 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 3, 8] : !shard.sharding
  return
}

// -----

// dynamic offsets
shard.grid @g(shape = 2x4)
func.func @f(%c: i64) {
  %0 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, %c, %c] : !shard.sharding
  return
}

// -----

// empty blocks
shard.grid @g(shape = 2x4)
func.func @f() {
  %0 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 8, 8] : !shard.sharding
  return
}

// -----

// offsets of two dimensions
shard.grid @g(shape = 2x4)
func.func @f() {
  %0 = shard.sharding @g split_axes = [[0], [1]] sharded_dims_offsets = [0, 3, 8, 0, 1, 2, 3, 8] : !shard.sharding
  return
}

// -----

// a sharding in the generic form
shard.grid @g(shape = 2x4)
func.func @f(%c: i64) {
  %0 = "shard.sharding"(%c) <{grid = @g, operandSegmentSizes = array<i32: 0, 1>, split_axes = #shard<axisarray[[0]]>, static_halo_sizes = array<i64: 1, -9223372036854775808>, static_sharded_dims_offsets = array<i64>}> : (i64) -> !shard.sharding
  return
}

// -----

// defaults left out in the generic form
shard.grid @g(shape = 2x4)
func.func @f() {
  %0 = "shard.sharding"() <{grid = @g, operandSegmentSizes = array<i32: 0, 0>, split_axes = #shard<axisarray[[0]]>}> : () -> !shard.sharding
  return
}

// -----

// an annotation
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %t to %s : tensor<8x8xf32>
  return
}

// -----

// an annotation for users
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %t to %s annotate_for_users : tensor<8x8xf32>
  return
}

// -----

// annotations of value and use
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %u = shard.sharding @g split_axes = [[], [1]] : !shard.sharding
  %0 = shard.shard %t to %s : tensor<8x8xf32>
  %1 = shard.shard %0 to %u annotate_for_users : tensor<8x8xf32>
  return
}

// -----

// an uneven annotation
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<7x8xf32>) {
  %s = shard.sharding @g split_axes = [[0, 1]] : !shard.sharding
  %0 = shard.shard %t to %s : tensor<7x8xf32>
  return
}

// -----

// an annotation of dynamic extents
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<?x8xf32>) {
  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  %0 = shard.shard %t to %s : tensor<?x8xf32>
  return
}

// -----

// an annotation of a scalar
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<f32>) {
  %s = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %t to %s : tensor<f32>
  return
}

// -----

// a sharding as an argument
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>, %s: !shard.sharding) {
  %0 = shard.shard %t to %s : tensor<8x8xf32>
  return
}

// -----

// the sharding of a value
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %t to %s : tensor<8x8xf32>
  %1 = shard.get_sharding %0 : tensor<8x8xf32> -> !shard.sharding
  return
}

// -----

// the shape of a shard
shard.grid @g(shape = 2x4)
func.func @f(%i: index) {
  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  %0:2 = shard.shard_shape dims = [8, %i] sharding = %s device = [1, %i] : index, index
  return
}

// -----

// all_gather
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_gather %t on @g grid_axes = [1] gather_axis = 1 : tensor<8x8xf32> -> tensor<8x32xf32>
  return
}

// -----

// all_gather in an order of axes
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_gather %t on @g grid_axes = [1, 0] gather_axis = 0 : tensor<8x8xf32> -> tensor<64x8xf32>
  return
}

// -----

// all_gather without axes
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_gather %t on @g gather_axis = 0 : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_gather of dynamic extents
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<?x?xf32>) {
  %0 = shard.all_gather %t on @g grid_axes = [1] gather_axis = 1 : tensor<?x?xf32> -> tensor<?x?xf32>
  return
}

// -----

// all_gather to a dynamic extent
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_gather %t on @g grid_axes = [1] gather_axis = 1 : tensor<8x8xf32> -> tensor<8x?xf32>
  return
}

// -----

// all_gather over a dynamic axis
shard.grid @g(shape = 2x?)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_gather %t on @g grid_axes = [1] gather_axis = 1 : tensor<8x8xf32> -> tensor<8x?xf32>
  return
}

// -----

// all_reduce
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_reduce with another element type
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [1, 0] reduction = max : tensor<8x8xf32> -> tensor<8x8xf64>
  return
}

// -----

// all_reduce, sum
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = sum : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_reduce, min
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = min : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_reduce, product
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = product : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_reduce, average
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = average : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_reduce, generic
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = generic : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_reduce, bitwise_and
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xi32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = bitwise_and : tensor<8x8xi32> -> tensor<8x8xi32>
  return
}

// -----

// all_reduce, bitwise_or
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xi32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = bitwise_or : tensor<8x8xi32> -> tensor<8x8xi32>
  return
}

// -----

// all_reduce, bitwise_xor
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xi32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = bitwise_xor : tensor<8x8xi32> -> tensor<8x8xi32>
  return
}

// -----

// all_reduce of memory
shard.grid @g(shape = 2x4)
func.func @f(%t: memref<8x8xf32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] : memref<8x8xf32> -> memref<8x8xf32>
  return
}

// -----

// all_reduce of strided memory
shard.grid @g(shape = 2x4)
func.func @f(%t: memref<8x8xf32, strided<[16, 1], offset: ?>>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] : memref<8x8xf32, strided<[16, 1], offset: ?>> -> memref<8x8xf64>
  return
}

// -----

// all_slice
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_slice %t on @g grid_axes = [0] slice_axis = 1 : tensor<8x8xf32> -> tensor<8x4xf32>
  return
}

// -----

// all_slice of a dynamic extent
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<?x8xf32>) {
  %0 = shard.all_slice %t on @g grid_axes = [0] slice_axis = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
  return
}

// -----

// all_to_all
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_to_all %t on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<8x8xf32> -> tensor<16x4xf32>
  return
}

// -----

// all_to_all in one dimension
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_to_all %t on @g grid_axes = [0] split_axis = 1 concat_axis = 1 : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// all_to_all of dynamic extents
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<?x?xf32>) {
  %0 = shard.all_to_all %t on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<?x?xf32> -> tensor<?x?xf32>
  return
}

// -----

// broadcast
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.broadcast %t on @g grid_axes = [0] root = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// broadcast from a dynamic root
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>, %i: index) {
  %0 = shard.broadcast %t on @g grid_axes = [0, 1] root = [%i, 3] : (tensor<8x8xf32>, index) -> tensor<8x8xf32>
  return
}

// -----

// gather
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.gather %t on @g grid_axes = [0] gather_axis = 0 root = [1] : (tensor<8x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

// gather to a dynamic root
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>, %i: index) {
  %0 = shard.gather %t on @g grid_axes = [0] gather_axis = 0 root = [%i] : (tensor<8x8xf32>, index) -> tensor<16x8xf32>
  return
}

// -----

// scatter
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.scatter %t on @g grid_axes = [0] scatter_axis = 0 root = [1] : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// scatter from a dynamic root
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>, %i: index) {
  %0 = shard.scatter %t on @g grid_axes = [0] scatter_axis = 1 root = [%i] : (tensor<8x8xf32>, index) -> tensor<8x4xf32>
  return
}

// -----

// reduce
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.reduce %t on @g grid_axes = [0, 1] reduction = max root = [1, 2] : (tensor<8x8xf32>) -> tensor<8x8xf64>
  return
}

// -----

// reduce, sum, to a dynamic root
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>, %i: index) {
  %0 = shard.reduce %t on @g grid_axes = [0] root = [%i] : (tensor<8x8xf32>, index) -> tensor<8x8xf32>
  return
}

// -----

// reduce_scatter
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.reduce_scatter %t on @g grid_axes = [1] reduction = max scatter_axis = 0 : tensor<8x8xf32> -> tensor<2x8xf64>
  return
}

// -----

// reduce_scatter, sum
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.reduce_scatter %t on @g grid_axes = [1] scatter_axis = 1 : tensor<8x8xf32> -> tensor<8x2xf32>
  return
}

// -----

// send
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.send %t on @g grid_axes = [0] destination = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// send to a dynamic destination
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>, %i: index) {
  %0 = shard.send %t on @g grid_axes = [0, 1] destination = [1, %i] : (tensor<8x8xf32>, index) -> tensor<8x8xf32>
  return
}

// -----

// recv
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.recv %t on @g grid_axes = [0] source = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// recv from a dynamic source
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>, %i: index) {
  %0 = shard.recv %t on @g grid_axes = [0] source = [%i] : (tensor<8x8xf32>, index) -> tensor<8x8xf32>
  return
}

// -----

// recv from anywhere
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.recv %t on @g grid_axes = [0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// shift with rotation
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.shift %t on @g grid_axes = [1] shift_axis = 1 offset = -2 rotate : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// shift without
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.shift %t on @g grid_axes = [0, 1] shift_axis = 1 offset = 2 : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// update_halo
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1, 1] : tensor<8x8xf32>
  return
}

// -----

// update_halo of memory, in place
shard.grid @g(shape = 2x4)
func.func @f(%t: memref<12x12xi8>, %c: i64) {
  %0 = shard.update_halo %t on @g split_axes = [[0], [1]] halo_sizes = [1, %c, 0, 2] : memref<12x12xi8>
  return
}

// -----

// foreign attributes of collectives
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_gather %t on @g grid_axes = [1] gather_axis = 1 {vendor.x = 1 : i32} : tensor<8x8xf32> -> tensor<8x32xf32>
  return
}

// -----

// name hints of several results
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.all_reduce %t on @g : tensor<8x8xf32> -> tensor<8x8xf32>
  %1 = shard.all_reduce %0 on @g : tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = shard.update_halo %1 on @g split_axes = [[0]] halo_sizes = [1, 1] : tensor<8x8xf32>
  %3:2 = shard.grid_shape @g : index, index
  return
}

// -----

// attributes and the type on their own
func.func private @f(!shard.sharding) attributes {vendor.a = #shard<partial max>, vendor.b = #shard<axisarray[[0], [], [1, 2]]>}

// -----

// in loops and branches
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8xf32>, %n: index, %b: i1) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> tensor<8xf32> {
    %1 = scf.if %b -> tensor<8xf32> {
      %2 = shard.all_reduce %x on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
      scf.yield %2 : tensor<8xf32>
    } else {
      scf.yield %x : tensor<8xf32>
    }
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
