// Elements that are repeated: a map divides a loop, which counts as two. The quotient is split as
// the operand is, the remainder below it. Nothing is sent.
//
// RUN: shard-opt %s --shard-print-loops 2>&1 >/dev/null | FileCheck %s --check-prefix=LOOPS
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=GRID
// RUN: shard-run %s --verify --grid=4 | FileCheck %s --check-prefix=GRID
// RUN: shard-run %s --verify --grid=16 | FileCheck %s --check-prefix=GRID
// RUN: shard-run %s --verify --grid=3 2>/dev/null | FileCheck %s --check-prefix=UNEVEN
// GRID: no collectives
// GRID: PASS
// UNEVEN: PASS
//
// LOOPS: linalg.generic
// LOOPS-NEXT: loops: parallel(4) parallel(6) parallel(2)
// LOOPS-NEXT: operand 0: (d0, d1, d2) -> (d0, d1)
// LOOPS-NEXT: operand 1: (d0, d1, d2) -> (d0 * 2 + d2, d1)
// LOOPS-NEXT: result 0: (d0, d1, d2) -> (d0 * 2 + d2, d1)
// LOOPS: linalg.generic
// LOOPS-NEXT: loops: parallel(4) parallel(4) parallel(2)
// LOOPS-NEXT: operand 0: (d0, d1, d2) -> (d0, d2)
// LOOPS-NEXT: operand 1: (d0, d1, d2) -> (d2)
// LOOPS-NEXT: operand 2: (d0, d1, d2) -> (d0 * 2 + d2, d1)

#id = affine_map<(i, j) -> (i, j)>
// CHECK-DAG: #[[HALF:.*]] = affine_map<(d0, d1) -> (d0 floordiv 2, d1)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[BOTH:.*]] = affine_map<(d0, d1) -> (d0 floordiv 2, d0 mod 2)>
// CHECK-DAG: #[[ODD:.*]] = affine_map<(d0, d1) -> (d0 mod 2)>
// CHECK: func.func @main(%[[X:.*]]: tensor<1x6xf32> {shard.local = #shard.local<tensor<4x6xf32>, <@[[G:.*]], {{\[\[}}0], []]>>}, %[[Z:.*]]: tensor<1x1xf32> {shard.local = #shard.local<tensor<4x2xf32>, <@[[G]], {{\[\[}}0], [1]]>>}, %[[V:.*]]: tensor<1xf32> {shard.local = #shard.local<tensor<2xf32>, <@[[G]], {{\[\[}}1]]>>})
// CHECK: linalg.generic {indexing_maps = [#[[HALF]], #[[ID]]], {{.*}}} ins(%[[X]] : tensor<1x6xf32>) outs(%{{.*}} : tensor<1x6xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[BOTH]], #[[ODD]], #[[ID]]], {{.*}}} ins(%[[Z]], %[[V]] : tensor<1x1xf32>, tensor<1xf32>) outs(%{{.*}} : tensor<1x4xf32>)
shard.grid @grid(shape = 8)
func.func @main(%x: tensor<4x6xf32>, %z: tensor<4x2xf32>, %v: tensor<2xf32>) -> (tensor<8x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, tensor<8x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %e = tensor.empty() : tensor<8x6xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j)>, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x6xf32>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<8x6xf32>
  %e2 = tensor.empty() : tensor<8x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, i mod 2)>, affine_map<(i, j) -> (i mod 2)>, #id], iterator_types = ["parallel", "parallel"]} ins(%z, %v : tensor<4x2xf32>, tensor<2xf32>) outs(%e2 : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %0, %1 : tensor<8x6xf32>, tensor<8x4xf32>
}
