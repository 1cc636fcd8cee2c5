// A manual computation in a region takes what an op without a sharding model made there. That op
// stands in the rebuilt region already, around which there is no op yet.
// RUN: shard-opt %s --shard-spmd | FileCheck %s

// CHECK: scf.if
// CHECK: %[[N:.*]] = index.add
// CHECK: arith.index_cast %[[N]]
shard.grid @grid(shape = 2)
func.func @main(%c: i1, %i: index, %a: tensor<8x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<8x4xf32> {
  %0 = scf.if %c -> tensor<8x4xf32> {
    %n = index.add %i, %i
    %m = shard.manual_computation(%a) on @grid in = [<@grid, [[0], []]>] out = [<@grid, [[0], []]>] axes = [0] (%b: tensor<4x4xf32>) {
      %k = arith.index_cast %n : index to i32
      %f = arith.sitofp %k : i32 to f32
      %e = tensor.splat %f : tensor<4x4xf32>
      %s = arith.addf %b, %e : tensor<4x4xf32>
      shard.return %s : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    scf.yield %m : tensor<8x4xf32>
  } else {
    scf.yield %a : tensor<8x4xf32>
  }
  return %0 : tensor<8x4xf32>
}
