// RUN: shard-opt %s --shard-lower-to-llvm | FileCheck %s --implicit-check-not=unrealized_conversion_cast --implicit-check-not="shard." --implicit-check-not=bufferization
// RUN: shard-opt %s --shard-lower-to-llvm | mlir-translate --mlir-to-llvmir -o /dev/null

// Every collective gets to LLVM, and nothing is left on the way.

shard.grid @g(shape = 2x4)
shard.grid @d(shape = 2x?)

// CHECK: llvm.func @static
func.func @static(%a: tensor<8x8xf32>, %h: tensor<6x8xf32>, %i: index) -> (tensor<8x8xf32>, tensor<6x8xf32>) {
  %1 = shard.all_slice %a on @g grid_axes = [1] slice_axis = 0 : tensor<8x8xf32> -> tensor<2x8xf32>
  %2 = shard.all_to_all %1 on @g grid_axes = [1] split_axis = 1 concat_axis = 0 : tensor<2x8xf32> -> tensor<8x2xf32>
  %3 = shard.gather %2 on @g grid_axes = [1] gather_axis = 1 root = [2] : (tensor<8x2xf32>) -> tensor<8x8xf32>
  %4 = shard.scatter %3 on @g grid_axes = [0, 1] scatter_axis = 0 root = [0, 2] : (tensor<8x8xf32>) -> tensor<1x8xf32>
  %5 = shard.permute %4 on @g from_axes = [0, 1] to_axes = [1, 0] : tensor<1x8xf32>
  %6 = shard.shift %5 on @g grid_axes = [0, 1] shift_axis = 1 offset = -1 rotate : tensor<1x8xf32> -> tensor<1x8xf32>
  %7 = shard.reduce_scatter %6 on @g grid_axes = [1] reduction = sum scatter_axis = 1 : tensor<1x8xf32> -> tensor<1x2xf32>
  %8 = shard.reduce %7 on @g grid_axes = [1] reduction = max root = [%i] : (tensor<1x2xf32>, index) -> tensor<1x2xf32>
  %9 = shard.all_gather %8 on @g grid_axes = [0, 1] gather_axis = 0 : tensor<1x2xf32> -> tensor<8x2xf32>
  %10 = shard.all_gather %9 on @g grid_axes = [1] gather_axis = 1 : tensor<8x2xf32> -> tensor<8x8xf32>
  %11 = shard.update_halo %h on @g split_axes = [[0], [1]] halo_sizes = [1, 1, 0, 2] : tensor<6x8xf32>
  %12 = shard.send %10 on @g grid_axes = [1] destination = [%i] : (tensor<8x8xf32>, index) -> tensor<8x8xf32>
  %13 = shard.recv %12 on @g grid_axes = [1] source = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %14 = shard.broadcast %13 on @g grid_axes = [1] root = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %14, %11 : tensor<8x8xf32>, tensor<6x8xf32>
}

// CHECK: llvm.func @dynamic
func.func @dynamic(%a: tensor<?x?xbf16>) -> tensor<?x?xf32> {
  %0 = shard.all_gather %a on @d grid_axes = [1] gather_axis = 1 : tensor<?x?xbf16> -> tensor<?x?xbf16>
  %1 = shard.all_reduce %0 on @d grid_axes = [0] reduction = sum : tensor<?x?xbf16> -> tensor<?x?xf32>
  %2 = shard.all_to_all %1 on @d grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<?x?xf32> -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// CHECK: llvm.func @process
func.func @process(%ok: i1) -> (index, index, index, index, index, index) {
  %0:2 = shard.process_multi_index on @g : index, index
  %1 = shard.process_linear_index on @d : index
  %2 = shard.grid_shape @d axes = [1] : index
  %3, %4 = shard.neighbors_linear_indices on @d[%0#0, %0#1] split_axes = [0] : index, index
  cf.assert %ok, "it is"
  return %0#0, %0#1, %1, %2, %3, %4 : index, index, index, index, index, index
}

// Each round gets a fresh buffer and frees the one before.
// CHECK: llvm.func @loop
// CHECK:   llvm.call @__shard_shift
// CHECK:   llvm.call @free
func.func @loop(%a: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<8xf32> {
    %1 = shard.shift %x on @g grid_axes = [1] shift_axis = 1 offset = 1 rotate : tensor<8xf32> -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
