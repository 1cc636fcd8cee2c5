// What a chain of annotations reshards has the same elements: other splits, another
// kind of partial values, halos, a chain into a loop.

// RUN: shard-run %s --verify --entry split | FileCheck %s
// RUN: shard-run %s --verify --entry kinds | FileCheck %s
// RUN: shard-run %s --verify --entry halo | FileCheck %s
// RUN: shard-run %s --verify --entry loop | FileCheck %s
// CHECK: PASS

shard.grid @g(shape = 2x2)

func.func @split(%a: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %s = shard.sharding @g split_axes = [[0], []] : !shard.sharding
  %t = shard.sharding @g split_axes = [[], [1]] : !shard.sharding
  %u = shard.sharding @g split_axes = [[1, 0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<7x8xf32>
  %1 = shard.shard %0 to %t : tensor<7x8xf32>
  %2 = shard.shard %1 to %u : tensor<7x8xf32>
  %3 = math.exp %2 : tensor<7x8xf32>
  return %3 : tensor<7x8xf32>
}

func.func @kinds(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @g split_axes = [[]] partial = sum [0] : !shard.sharding
  %t = shard.sharding @g split_axes = [[]] partial = max [0] : !shard.sharding
  %0 = arith.addf %a, %b : tensor<8xf32>
  %1 = shard.shard %0 to %s : tensor<8xf32>
  %2 = shard.shard %1 to %t : tensor<8xf32>
  return %2 : tensor<8xf32>
}

func.func @halo(%a: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  %0 = math.exp %a : tensor<16x4xf32>
  %1 = shard.shard %0 to %s : tensor<16x4xf32>
  %2 = shard.shard %1 to %h : tensor<16x4xf32>
  %3 = shard.shard %2 to %s : tensor<16x4xf32>
  %4 = math.exp %3 : tensor<16x4xf32>
  return %4 : tensor<16x4xf32>
}

func.func @loop(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a) -> tensor<8x8xf32> {
    %s = shard.sharding @g split_axes = [[0], []] : !shard.sharding
    %t = shard.sharding @g split_axes = [[], [1]] : !shard.sharding
    %0 = shard.shard %x to %s : tensor<8x8xf32>
    %1 = shard.shard %0 to %t : tensor<8x8xf32>
    %2 = math.tanh %1 : tensor<8x8xf32>
    scf.yield %2 : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
