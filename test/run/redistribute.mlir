// One step from blocks to blocks where that sends least: what each device lacks of its
// new block. The chain of exchanges that other collectives need would send 240 bytes.

// RUN: shard-opt %s --shard-spmd --shard-verify-spmd | FileCheck %s --check-prefix=IR
// RUN: shard-run %s --entry swap --verify | FileCheck %s --check-prefix=SWAP
// RUN: shard-run %s --entry uneven --verify | FileCheck %s --check-prefix=UNEVEN
// RUN: shard-run %s --entry swap --verify --mpi-dialect | FileCheck %s --check-prefix=PASSES
// RUN: shard-run %s --entry uneven --verify --mpi-dialect | FileCheck %s --check-prefix=PASSES
// PASSES: {{^}}PASS
// RUN: shard-opt %s --shard-spmd --shard-assign-groups | FileCheck %s --check-prefix=GROUPS

// Messages take their time: where the latency outweighs the bytes, a step is better
// than two that send less.
// RUN: shard-opt --shard-plan-reshard="grid=4x2 type=tensor<16x16xf32> from=[[0],[1]] to=[[1],[0]]" | FileCheck %s --check-prefix=PLAN

// PLAN: redistribute
// PLAN-NEXT: cost 128, 128 bytes sent per device, at least 128 to be received

shard.grid @g(shape = 4x2)

// IR-LABEL: func.func @swap
// IR-NEXT: shard.redistribute %{{.*}} on @g grid_axes = [0, 1] from = {{\[\[}}0], [1]] to = {{\[\[}}1], [0]] extents = [16, 16] : tensor<4x8xf32> -> tensor<8x4xf32>
// IR-NEXT: return
// GROUPS-LABEL: func.func @swap
// GROUPS: shard.redistribute {{.*}}replica_groups = dense<{{\[\[}}0, 1, 2, 3, 4, 5, 6, 7]]>
// SWAP: redistribute 0, 1 1 128 B 128 B
// SWAP: PASS
func.func @swap(%x: tensor<16x16xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>})
    -> (tensor<16x16xf32> {shard.sharding = #shard.sharding<@g, [[1], [0]]>}) {
  return %x : tensor<16x16xf32>
}

// Short and empty blocks: rows of 7 over 4 and 2.
// IR-LABEL: func.func @uneven
// IR-NEXT: shard.redistribute %{{.*}} extents = [7, 5] : tensor<1x5xf32> -> tensor<4x2xf32>
// UNEVEN: redistribute
// UNEVEN: PASS
func.func @uneven(%x: tensor<7x5xf32> {shard.sharding = #shard.sharding<@g, [[0, 1], []]>})
    -> (tensor<7x5xf32> {shard.sharding = #shard.sharding<@g, [[1], [0]]>}) {
  return %x : tensor<7x5xf32>
}
