// What moves from one grid to another has the same elements: uneven blocks, partial
// values, axes that clash, axes that are cut, halos, loops, manual computations.

// RUN: shard-run %s --verify --entry clash | FileCheck %s
// RUN: shard-run %s --verify --entry uneven | FileCheck %s
// RUN: shard-run %s --verify --entry partial | FileCheck %s
// RUN: shard-run %s --verify --entry halo | FileCheck %s
// RUN: shard-run %s --verify --entry loop | FileCheck %s
// RUN: shard-run %s --verify --entry manual | FileCheck %s
// CHECK: PASS

shard.grid @g(shape = 2x3)
shard.grid @h(shape = 3x2)
shard.grid @line(shape = 6)
shard.grid @cut(shape = 4)
shard.grid @square(shape = 2x2) axes ["x", "y"]

func.func @clash(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %t = shard.sharding @h split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<12x8xf32>
  %1 = shard.shard %0 to %t : tensor<12x8xf32>
  %2 = math.exp %1 : tensor<12x8xf32>
  return %2 : tensor<12x8xf32>
}

func.func @uneven(%a: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %s = shard.sharding @g split_axes = [[0, 1]] : !shard.sharding
  %t = shard.sharding @line split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<7x5xf32>
  %1 = math.exp %0 : tensor<7x5xf32>
  %2 = shard.shard %1 to %t annotate_for_users : tensor<7x5xf32>
  %3 = math.exp %2 : tensor<7x5xf32>
  return %3 : tensor<7x5xf32>
}

func.func @partial(%a: tensor<12x12xf32>, %b: tensor<12x12xf32>) -> tensor<12x12xf32> {
  %zero = arith.constant 0.0 : f32
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %p = shard.sharding @g split_axes = [[]] partial = sum [0] : !shard.sharding
  %t = shard.sharding @line split_axes = [[], [0]] : !shard.sharding
  %as = shard.shard %a to %s : tensor<12x12xf32>
  %empty = tensor.empty() : tensor<12x12xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<12x12xf32>) -> tensor<12x12xf32>
  %0 = linalg.matmul ins(%as, %b : tensor<12x12xf32>, tensor<12x12xf32>) outs(%init : tensor<12x12xf32>) -> tensor<12x12xf32>
  %1 = shard.shard %0 to %p : tensor<12x12xf32>
  %2 = shard.shard %1 to %t : tensor<12x12xf32>
  %3 = math.exp %2 : tensor<12x12xf32>
  return %3 : tensor<12x12xf32>
}

func.func @halo(%a: tensor<12xf32>) -> tensor<12xf32> {
  %s = shard.sharding @line split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  %t = shard.sharding @g split_axes = [[1]] halo_sizes = [0, 2] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<12xf32>
  %1 = shard.shard %0 to %t : tensor<12xf32>
  return %1 : tensor<12xf32>
}

func.func @loop(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@square, [["y"], [?]]>},
                %b: tensor<8x8xf32> {shard.sharding = #shard.sharding<@cut, [[0:(1)2], [?]]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %s = shard.constraint %y to <@square, [[?], [?]]> : tensor<8x8xf32>
    %0 = arith.addf %x, %s : tensor<8x8xf32>
    %1 = math.cos %y : tensor<8x8xf32>
    scf.yield %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %r#0, %r#1 : tensor<8x8xf32>, tensor<8x8xf32>
}

func.func @manual(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = shard.manual_computation(%a) on @cut in = [<@cut, [[0], []]>] out = [<@cut, [[0], []]>] axes = [0] (%x: tensor<2x8xf32>) {
    %3 = math.exp %x : tensor<2x8xf32>
    shard.return %3 : tensor<2x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = shard.sharding @square split_axes = [[], [0]] : !shard.sharding
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8x8xf32>
  %2 = shard.manual_computation(%1) on @square in = [<@square, [["y"], [?]]>] out = [<@square, [["y"], [?]]>] axes = ["y"] (%x: tensor<4x8xf32>) {
    %3 = math.sin %x : tensor<4x8xf32>
    shard.return %3 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
