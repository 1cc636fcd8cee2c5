// A program that is annotated, and not partitioned, has no groups yet.
//
// RUN: shard-opt %s --shard-assign-groups --verify-diagnostics
// RUN: shard-opt %s --shard-spmd --shard-assign-groups | FileCheck %s

// CHECK: shard.all_gather {{.*}}replica_groups
shard.grid @g(shape = 2)
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %r = shard.sharding @g split_axes = [[]] : !shard.sharding
  // expected-error@+1 {{'shard.shard' op is an annotation: groups are written on the collectives of a partitioned program; run shard-partition or shard-spmd first}}
  %0 = shard.shard %a to %s : tensor<8xf32>
  %1 = shard.shard %0 to %r annotate_for_users : tensor<8xf32>
  return %1 : tensor<8xf32>
}
