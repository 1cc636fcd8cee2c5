// Halos and offsets that are asked of what goes into or comes out of the body of a
// manual computation, whose blocks have none, are made behind it.

// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// RUN: shard-opt %s --shard-propagate -o %t.once
// RUN: shard-opt %t.once --shard-propagate -o %t.twice
// RUN: diff %t.once %t.twice
// CHECK: {{^}}PASS

shard.grid @grid(shape = 2x2)

func.func @main(%a: tensor<8x8xi32>, %b: tensor<8x8xi32>)
    -> (tensor<8x8xi32>, tensor<8x8xi32>) {
  %0:2 = shard.manual_computation(%a, %b) on @grid
      in = [<@grid, [[1], [?]]>, <@grid, [[1], [?]]>]
      out = [<@grid, [[1], [?]]>, <@grid, [[1], [?]]>] axes = [1]
      (%x: tensor<4x8xi32>, %y: tensor<4x8xi32>) {
    %inside = shard.sharding @grid split_axes = [[], [0]] halo_sizes = [2, 0] : !shard.sharding
    %x2 = shard.shard %x to %inside : tensor<4x8xi32>
    shard.constraint %y to <@grid, [[], [0]], halo = [4, 0]> : tensor<4x8xi32>
    %2 = arith.addi %x2, %y : tensor<4x8xi32>
    %3 = arith.muli %x, %y : tensor<4x8xi32>
    shard.return %2, %3 : tensor<4x8xi32>, tensor<4x8xi32>
  } : (tensor<8x8xi32>, tensor<8x8xi32>) -> (tensor<8x8xi32>, tensor<8x8xi32>)
  %halos = shard.sharding @grid split_axes = [[1], [0]] halo_sizes = [0, 2, 2, 1] : !shard.sharding
  %bounds = shard.sharding @grid split_axes = [[1], [0]] sharded_dims_offsets = [0, 3, 8, 0, 8, 8] : !shard.sharding
  %wide = shard.shard %0#0 to %halos : tensor<8x8xi32>
  %shifted = shard.shard %0#1 to %bounds : tensor<8x8xi32>
  %4 = arith.addi %wide, %wide : tensor<8x8xi32>
  %5 = arith.addi %shifted, %shifted : tensor<8x8xi32>
  return %4, %5 : tensor<8x8xi32>, tensor<8x8xi32>
}
