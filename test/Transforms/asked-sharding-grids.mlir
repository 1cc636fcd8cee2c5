// A replicated value of a function with several grids: the answer of get_sharding is on
// the grid of the annotation, whose device coordinates shard_shape gives.
// RUN: shard-opt %s -shard-spmd | FileCheck %s

shard.grid @grid(shape = 2x4x2)
shard.grid @other(shape = 8x2)

// CHECK-LABEL: func.func @annotated
// CHECK: %[[N:.*]] = arith.constant 16 : index
// CHECK: return %{{.*}}, %[[N]]
func.func @annotated(%x: tensor<16xi16> {shard.sharding = #shard.sharding<@grid, [[0, 1]]>}) -> (tensor<16xi16>, index) {
  %none = shard.sharding @other split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %none annotate_for_users : tensor<16xi16>
  %s = shard.get_sharding %0 : tensor<16xi16> -> !shard.sharding
  %n = shard.shard_shape dims = [16] sharding = %s device = [5, 0] : index
  return %0, %n : tensor<16xi16>, index
}

// CHECK-LABEL: func.func @argument
// CHECK: %[[N:.*]] = arith.constant 16 : index
// CHECK: return %{{.*}}, %[[N]]
func.func @argument(%x: tensor<16xi16> {shard.sharding = #shard.sharding<@other, [[]]>},
                    %y: tensor<16xi16> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> (tensor<16xi16>, tensor<16xi16>, index) {
  %s = shard.get_sharding %x : tensor<16xi16> -> !shard.sharding
  %n = shard.shard_shape dims = [16] sharding = %s device = [5, 0] : index
  return %x, %y, %n : tensor<16xi16>, tensor<16xi16>, index
}
