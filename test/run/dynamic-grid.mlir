// A program on a grid of unknown size runs on the one that --grid gives; without, an
// error asks for it.

// RUN: shard-run %s --verify --grid 4 | FileCheck %s
// RUN: shard-run %s --verify --grid 5 | FileCheck %s
// RUN: not shard-run %s --verify 2>&1 | FileCheck %s --check-prefix=ASKS
// CHECK: PASS
// ASKS: has an axis of unknown size: say by --grid what to run on

shard.grid @g(shape = ?)
func.func @main(%a: tensor<4x12xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> tensor<4x12xf32> {
  %0 = math.exp %a : tensor<4x12xf32>
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %1 = shard.shard %0 to %s : tensor<4x12xf32>
  return %1 : tensor<4x12xf32>
}
