// LLVM's page of the dialect shard, sections of its ops and attributes: grids, shardings
// and annotations. LLVM's mlir-opt and shard-opt take the same text and print the same.

// RUN: shard-opt %s -o %t.ours
// RUN: mlir-opt %s -o %t.theirs
// RUN: diff %t.theirs %t.ours
// RUN: shard-opt %s --mlir-print-op-generic | mlir-opt -o %t.back
// RUN: diff %t.theirs %t.back

// shard.grid: three axes, one axis, axes whose size is not known.
shard.grid @grid0(shape = 2x2x4)
shard.grid @line(shape = 4)
shard.grid @some(shape = 4x?)
shard.grid @none(shape = ?x?)

// shard.sharding: whole, split by one axis, by two axes of one dimension, partial, with
// halos, with blocks of given sizes, and what is known at run time only.
func.func @shardings(%h: i64, %o: i64) {
  %0 = shard.sharding @grid0 split_axes = [[]] : !shard.sharding
  %1 = shard.sharding @grid0 split_axes = [[0]] : !shard.sharding
  %2 = shard.sharding @grid0 split_axes = [[0, 1], [2]] : !shard.sharding
  %3 = shard.sharding @line split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
  %4 = shard.sharding @line split_axes = [[0]] sharded_dims_offsets = [0, 2, 5, 5, 8] : !shard.sharding
  %5 = shard.sharding @line split_axes = [[0]] halo_sizes = [1, %h] : !shard.sharding
  %6 = shard.sharding @line split_axes = [[0]] sharded_dims_offsets = [0, 2, %o, 5, 8] : !shard.sharding
  return
}

// shard.shard: for a value, for its users, and one after the other; a user with another
// sharding; get_sharding.
func.func @annotations(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %rows = shard.sharding @grid0 split_axes = [[0]] : !shard.sharding
  %columns = shard.sharding @grid0 split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %t to %rows : tensor<8x8xf32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x8xf32>
  %2 = shard.shard %0 to %rows annotate_for_users : tensor<8x8xf32>
  %3 = arith.addf %1, %2 : tensor<8x8xf32>
  %4 = shard.get_sharding %0 : tensor<8x8xf32> -> !shard.sharding
  %5 = shard.shard %3 to %4 : tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}

// shard_shape; the index ops; the linear indices of neighbours.
func.func @indices(%i: index, %j: index, %k: index) -> (index, index, index, index) {
  %s = shard.sharding @grid0 split_axes = [[0], [2]] : !shard.sharding
  %0:2 = shard.shard_shape dims = [8, %i] sharding = %s device = [%i, %j, %k] : index, index
  %1:3 = shard.process_multi_index on @grid0 : index, index, index
  %2 = shard.process_multi_index on @grid0 axes = [2] : index
  %3 = shard.process_linear_index on @grid0 : index
  %4:3 = shard.grid_shape @grid0 : index, index, index
  %5:2 = shard.neighbors_linear_indices on @grid0[%i, %j, %k] split_axes = [1] : index, index
  return %0#0, %2, %3, %5#0 : index, index, index, index
}

// The collectives, on tensors whose axes are known and not; halos.
func.func @collectives(%t: tensor<8x8xf32>, %u: tensor<?x8xf32>) {
  %0 = shard.all_gather %t on @grid0 grid_axes = [2] gather_axis = 1 : tensor<8x8xf32> -> tensor<8x32xf32>
  %1 = shard.all_gather %u on @none grid_axes = [0] gather_axis = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
  %2 = shard.all_reduce %t on @grid0 grid_axes = [1, 0] reduction = max : tensor<8x8xf32> -> tensor<8x8xf64>
  %3 = shard.all_slice %t on @grid0 grid_axes = [2] slice_axis = 1 : tensor<8x8xf32> -> tensor<8x2xf32>
  %4 = shard.all_to_all %t on @line grid_axes = [0] split_axis = 0 concat_axis = 1 : tensor<8x8xf32> -> tensor<2x32xf32>
  %5 = shard.broadcast %t on @line grid_axes = [0] root = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = shard.gather %t on @line grid_axes = [0] gather_axis = 1 root = [2] : (tensor<8x8xf32>) -> tensor<8x32xf32>
  %7 = shard.reduce %t on @line grid_axes = [0] reduction = min root = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = shard.reduce_scatter %t on @line grid_axes = [0] scatter_axis = 0 : tensor<8x8xf32> -> tensor<2x8xf32>
  %9 = shard.scatter %t on @line grid_axes = [0] scatter_axis = 0 root = [3] : (tensor<8x8xf32>) -> tensor<2x8xf32>
  %10 = shard.send %t on @line grid_axes = [0] destination = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %11 = shard.recv %t on @line grid_axes = [0] source = [0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %12 = shard.shift %t on @line grid_axes = [0] shift_axis = 0 offset = -2 rotate : tensor<8x8xf32> -> tensor<8x8xf32>
  %13 = shard.update_halo %t on @line split_axes = [[0]] halo_sizes = [1, 2] : tensor<8x8xf32>
  return
}
