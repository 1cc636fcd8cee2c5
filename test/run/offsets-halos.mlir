// Halos and explicit bounds of blocks on arguments, values and results: of several
// dimensions, with empty blocks, beside dimensions that do not divide.

// RUN: shard-run %s --verify --entry both | FileCheck %s
// RUN: shard-run %s --verify --entry kept_beside_uneven | FileCheck %s
// RUN: shard-run %s --verify --entry padded | FileCheck %s
// RUN: shard-run %s --verify --entry branch | FileCheck %s
// RUN: shard-run %s --verify --entry wide | FileCheck %s
// RUN: shard-run %s --verify --entry no_halo | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 2x3)

func.func @both(%a: tensor<12x9xf32>) -> tensor<12x9xf32> {
  %s = shard.sharding @grid split_axes = [[1], [0]] sharded_dims_offsets = [0, 6, 11, 12, 0, 0, 9] : !shard.sharding
  %0 = shard.shard %a to %s annotate_for_users : tensor<12x9xf32>
  return %0 : tensor<12x9xf32>
}

// Dimension 0 keeps its blocks; dimension 1 does not divide.
func.func @kept_beside_uneven(
    %a: tensor<5x7xi32> {shard.sharding = #shard.sharding<@grid, [[0], [1]], offsets = [0, 1, 5, 0, 3, 6, 7]>})
    -> (tensor<5x7xi32> {shard.sharding = #shard.sharding<@grid, [[0], []], offsets = [0, 1, 5]>}) {
  return %a : tensor<5x7xi32>
}

// Bounds that are those of the blocks without bounds, in both dimensions.
func.func @padded(
    %a: tensor<1x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], [1]], offsets = [0, 1, 1, 0, 2, 4, 6]>})
    -> (tensor<1x6xi32> {shard.sharding = #shard.sharding<@grid, [[], [1]]>}) {
  return %a : tensor<1x6xi32>
}

func.func @branch(
    %a: tensor<1x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], [1]], offsets = [0, 1, 1, 0, 0, 5, 6]>},
    %c: i1) -> tensor<1x6xi32> {
  %0 = scf.if %c -> (tensor<1x6xi32>) {
    %1 = arith.constant dense<-2> : tensor<1x6xi32>
    scf.yield %1 : tensor<1x6xi32>
  } else {
    scf.yield %a : tensor<1x6xi32>
  }
  return %0 : tensor<1x6xi32>
}

// Halos wider than the blocks, some of which are empty.
func.func @wide(%a: tensor<4x3xf32> {shard.sharding = #shard.sharding<@grid, [[1, 0], []], halo = [3, 1]>})
    -> (tensor<4x3xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]], halo = [0, 2]>}) {
  %0 = arith.addf %a, %a : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Widths of 0 are no halo.
func.func @no_halo(%a: tensor<6xf32> {shard.sharding = #shard.sharding<@grid, [[1]], halo = [0, 0]>})
    -> (tensor<6xf32> {shard.sharding = #shard.sharding<@grid, [[1]]>}) {
  return %a : tensor<6xf32>
}
