// Dimensions that axes do not divide are split or left whole, never silently.

// RUN: shard-opt %s --sharding-propagation -o - 2>&1 | FileCheck %s --check-prefix=SHARD
// RUN: shard-opt %s --sharding-propagation=uneven=replicate -o - 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=VERIFY

// SHARD: remark: a dimension of extent 7 is split unevenly by axis x (3 parts, the last ones short or empty)
// SHARD: %arg1: tensor<7x9xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[0\], \[\]\]}}>}
// WHOLE: remark: a dimension of extent 7 is not split further by axis x (3 parts): the parts do not fit
// WHOLE: %arg0: tensor<7x9xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[0\], \[\]\]}}>}
// WHOLE-SAME: %arg1: tensor<7x9xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[\], \[\]\]}}>}
// VERIFY: PASS
shard.grid @grid(shape = 3) axes ["x"]
func.func @main(%a: tensor<7x9xf32> {shard.sharding = #shard.sharding<@grid, [["x"], [?]]>},
                %b: tensor<7x9xf32>) -> tensor<7x9xf32> {
  %0 = arith.addf %a, %b : tensor<7x9xf32>
  return %0 : tensor<7x9xf32>
}
