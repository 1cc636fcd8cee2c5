// RUN: shard-opt %s --shard-partition --split-input-file | FileCheck %s

// Halos: the block goes into the middle, update_halo fills the rest; and away.

shard.grid @grid(shape = 4)
// CHECK-LABEL: func.func @halo(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<4x8xf32>
// CHECK: %[[E:[a-z0-9_]+]] = tensor.empty() : tensor<7x8xf32>
// CHECK: %[[I:[a-z0-9_]+]] = tensor.insert_slice %{{.*}} into %[[E]][1, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<7x8xf32>
// CHECK: %[[U:[a-z0-9_]+]] = shard.update_halo %[[I]] on @grid split_axes = {{\[\[}}0]] halo_sizes = [1, 2] : tensor<7x8xf32>
// CHECK: tensor.extract_slice %[[U]][1, 0] [4, 8] [1, 1] : tensor<7x8xf32> to tensor<4x8xf32>
func.func @halo(%a: tensor<16x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<16x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %h = shard.sharding @grid split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// Explicit offsets: local extents differ; back to equal blocks.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @offsets(
// CHECK: tensor.extract_slice %{{.*}} : tensor<8xf32> to tensor<?xf32>
// CHECK: shard.all_gather {{.*}} : tensor<5xf32> -> tensor<10xf32>
// CHECK: tensor.insert_slice {{.*}} [3] [1] : tensor<3xf32> into tensor<8xf32>
// CHECK: tensor.insert_slice {{.*}}[3] [5] [1] : tensor<5xf32> into tensor<8xf32>
func.func @offsets(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[]]>})
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[]]>}) {
  %o = shard.sharding @grid split_axes = [[0]] sharded_dims_offsets = [0, 3, 8] : !shard.sharding
  %0 = shard.shard %a to %o annotate_for_users : tensor<8xf32>
  return %0 : tensor<8xf32>
}
