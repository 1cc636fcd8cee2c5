// Loops that maps divide and that are not split: by two numbers, a part of a dimension, a
// quotient that is moved, a body that asks for the iteration. Nor are loops of diagonals. The
// other loops of such ops are split, and only the dimensions of these are gathered.
//
// RUN: shard-opt %s --shard-print-loops 2>&1 >/dev/null | FileCheck %s --check-prefix=LOOPS
// RUN: shard-run %s --verify 2>/dev/null | FileCheck %s
// LOOPS-COUNT-5: loops: invalid(8) parallel(6)
// CHECK: all_gather 1
// CHECK-NOT: all_gather 0
// CHECK: PASS

shard.grid @grid(shape = 2x2)
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<8x8x6xf32> {shard.sharding = #shard.sharding<@grid, [[1], [], [0]]>}, %y: tensor<4x6xf32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>}, %z: tensor<2x6xf32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>}, %w: tensor<6x6xf32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>}, %e: tensor<8x6xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, i, j)>, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8x6xf32>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x6xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j)>, affine_map<(i, j) -> (i floordiv 4, j)>, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %z : tensor<4x6xf32>, tensor<2x6xf32>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x6xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j)>, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<6x6xf32>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x6xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2 + 1, j)>, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<6x6xf32>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x6xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j)>, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4x6xf32>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = linalg.index 0 : index
    %c = arith.index_cast %n : index to i32
    %f = arith.sitofp %c : i32 to f32
    %s = arith.addf %a, %f : f32
    linalg.yield %s : f32
  } -> tensor<8x6xf32>
  return %0, %1, %2, %3, %4 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>
}
