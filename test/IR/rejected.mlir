// What docs/Rejected.md lists: mlir-opt accepts every one of these, shard-opt none.
// The number of errors is the number of cases.
//
// RUN: mlir-opt %s --split-input-file -o /dev/null
// RUN: not shard-opt %s --split-input-file -o /dev/null 2>&1 | grep -c "error:" | FileCheck %s
// CHECK: {{^}}26{{$}}

shard.grid @g(shape = 2x0)
// -----
shard.grid @g(shape = 4294967296x4294967296)
// -----
shard.grid @g(shape = 2x4)
func.func @axis_out_of_range() {
  %0 = shard.sharding @g split_axes = [[7]] : !shard.sharding
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @rank(%t: tensor<8xf32>) {
  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  %0 = shard.shard %t to %s : tensor<8xf32>
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @offsets_as_a_sum() {
  %0 = shard.sharding @g split_axes = [[0, 1]] sharded_dims_offsets = [0, 1, 2, 3, 4, 5, 8] : !shard.sharding
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @offsets_start() {
  %0 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [1, 4, 8] : !shard.sharding
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @offsets_end(%t: tensor<8xf32>) {
  %s = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 4, 9] : !shard.sharding
  %0 = shard.shard %t to %s : tensor<8xf32>
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @negative_halo() {
  %0 = shard.sharding @g split_axes = [[0]] halo_sizes = [1, -1] : !shard.sharding
  return
}
// -----
shard.grid @g(shape = 2x4)
shard.grid @h(shape = 8)
func.func @two_grids(%t: tensor<8xf32>) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %u = shard.sharding @h split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %t to %s : tensor<8xf32>
  %1 = shard.shard %t to %u : tensor<8xf32>
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @shard_shape_results(%i: index) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard_shape dims = [8, %i] sharding = %s device = [0, 0] : index
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @shard_shape_device(%i: index) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0:2 = shard.shard_shape dims = [8, %i] sharding = %s device = [0] : index, index
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @neighbors_device(%i: index) {
  %0, %1 = shard.neighbors_linear_indices on @g[%i] split_axes = [0] : index, index
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @neighbors_axes(%i: index) {
  %0, %1 = shard.neighbors_linear_indices on @g[%i, %i] split_axes = [0, 1] : index, index
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @neighbors_axis(%i: index) {
  %0, %1 = shard.neighbors_linear_indices on @g[%i, %i] split_axes = [5] : index, index
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @negative_root(%t: tensor<8xf32>) {
  %0 = shard.broadcast %t on @g grid_axes = [0] root = [-1] : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @halo_axis(%t: tensor<8xf32>) {
  %0 = shard.update_halo %t on @g split_axes = [[3]] halo_sizes = [1, 1] : tensor<8xf32>
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @halo_axis_twice(%t: tensor<8x8xf32>) {
  %0 = shard.update_halo %t on @g split_axes = [[0], [0]] halo_sizes = [1, 1, 1, 1] : tensor<8x8xf32>
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @halo_dims(%t: tensor<8xf32>) {
  %0 = shard.update_halo %t on @g split_axes = [[0], [1]] halo_sizes = [1, 1, 1, 1] : tensor<8xf32>
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @halo_count(%t: tensor<8xf32>) {
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1] : tensor<8xf32>
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @halo_width(%t: tensor<8xf32>) {
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [5, 4] : tensor<8xf32>
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @bits_of_floats(%t: tensor<8xf32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = bitwise_xor : tensor<8xf32> -> tensor<8xf32>
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @tensor_to_memref(%t: tensor<8xf32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] : tensor<8xf32> -> memref<8xf32>
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @offsets_too_many() {
  %0 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 4, 8, 8] : !shard.sharding
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @uneven_all_to_all(%t: tensor<6x8xf32>) {
  %0 = shard.all_to_all %t on @g grid_axes = [1] split_axis = 0 concat_axis = 0 : tensor<6x8xf32> -> tensor<6x8xf32>
  return
}
// -----
shard.grid @g(shape = 2x4)
func.func @negative_destination(%t: tensor<8x8xf32>) {
  %0 = shard.send %t on @g grid_axes = [0] destination = [-1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
// -----
func.func @misspelt_hint(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = math.exp %t {shard.shardings = [[0], []]} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
