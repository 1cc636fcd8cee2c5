// Results of linalg.generic that nothing uses go, so that they keep no loop whole.

// RUN: shard-opt %s --shard-drop-results | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=SPMD
// RUN: shard-run %s --entry maxima --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry chain --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry needed --verify | FileCheck %s --check-prefix=EXEC
// EXEC: PASS

#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
shard.grid @grid(shape = 4)

// CHECK-LABEL: func.func @maxima
// CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8x64xf32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.maximumf
// CHECK-NEXT: linalg.yield
// CHECK: return %[[M]]
// SPMD-LABEL: func.func @maxima
// SPMD-NOT: shard.all_gather
// SPMD: shard.all_reduce {{.*}} max : tensor<8xf32>
// SPMD-NOT: shard.all_
// SPMD: return
func.func @maxima(%a: tensor<8x64xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) -> tensor<8xf32> {
  %zeros = arith.constant dense<0> : tensor<8xi64>
  %low = arith.constant dense<0xFF800000> : tensor<8xf32>
  %0:2 = linalg.generic {indexing_maps = [#both, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x64xf32>) outs(%low, %zeros : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%x: f32, %best: f32, %place: i64):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %max = arith.maximumf %x, %best : f32
    %more = arith.cmpf ogt, %x, %best : f32
    %next = arith.select %more, %n, %place : i64
    linalg.yield %max, %next : f32, i64
  } -> (tensor<8xf32>, tensor<8xi64>)
  return %0#0 : tensor<8xf32>
}

// What a dropped result alone used is not used any more.
// CHECK-LABEL: func.func @chain
// CHECK: %[[S:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK: %[[T:.*]] = linalg.generic {{.*}} outs(%[[S]] : tensor<8xf32>)
// CHECK: return %[[T]]
func.func @chain(%a: tensor<8x64xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) -> tensor<8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %ones = arith.constant dense<1> : tensor<8xi64>
  %0:2 = linalg.generic {indexing_maps = [#both, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x64xf32>) outs(%zeros, %ones : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%x: f32, %sum: f32, %place: i64):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %s = arith.addf %x, %sum : f32
    %next = arith.subi %n, %place : i64
    linalg.yield %s, %next : f32, i64
  } -> (tensor<8xf32>, tensor<8xi64>)
  %1:2 = linalg.generic {indexing_maps = [#both, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x64xf32>) outs(%0#0, %0#1 : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%x: f32, %sum: f32, %place: i64):
    %s = arith.addf %x, %sum : f32
    %next = arith.shli %place, %place : i64
    linalg.yield %s, %next : f32, i64
  } -> (tensor<8xf32>, tensor<8xi64>)
  return %1#0 : tensor<8xf32>
}

// The result that is used needs the other one; an op with a hint stays.
// CHECK-LABEL: func.func @needed
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xi64>)
// CHECK-LABEL: func.func @hinted
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>)
func.func @needed(%a: tensor<8x64xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) -> tensor<8xi64> {
  %zeros = arith.constant dense<0> : tensor<8xi64>
  %low = arith.constant dense<0xFF800000> : tensor<8xf32>
  %0:2 = linalg.generic {indexing_maps = [#both, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x64xf32>) outs(%low, %zeros : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%x: f32, %best: f32, %place: i64):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %max = arith.maximumf %x, %best : f32
    %more = arith.cmpf ogt, %x, %best : f32
    %next = arith.select %more, %n, %place : i64
    linalg.yield %max, %next : f32, i64
  } -> (tensor<8xf32>, tensor<8xi64>)
  return %0#1 : tensor<8xi64>
}
func.func @hinted(%a: tensor<8x64xf32>) -> tensor<8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %0:2 = linalg.generic {indexing_maps = [#both, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x64xf32>) outs(%zeros, %zeros : tensor<8xf32>, tensor<8xf32>)
      attrs = {shard.loops = #shard.sharding<@grid, [[0], []]>} {
  ^bb0(%x: f32, %sum: f32, %other: f32):
    %s = arith.addf %x, %sum : f32
    %t = arith.mulf %x, %other : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}

// What a body asserts stays, with the init that it reads: the second result is needed. The third
// one goes.
// CHECK-LABEL: func.func @asserted
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0(%{{.*}}: i32, %[[SUM:.*]]: i32, %[[MOST:.*]]: i32):
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %{{.*}}, %[[MOST]]
// CHECK-NEXT: cf.assert %[[FITS]]
// CHECK: linalg.yield %{{.*}}, %{{.*}} : i32, i32
func.func @asserted(%a: tensor<8x64xi32>, %most: tensor<8xi32>) -> tensor<8xi32> {
  %zeros = arith.constant dense<0> : tensor<8xi32>
  %0:3 = linalg.generic {indexing_maps = [#both, #row, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x64xi32>) outs(%zeros, %most, %zeros : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) {
  ^bb0(%x: i32, %sum: i32, %bound: i32, %other: i32):
    %fits = arith.cmpi sle, %x, %bound : i32
    cf.assert %fits, "an element is too large"
    %s = arith.addi %x, %sum : i32
    %t = arith.muli %x, %other : i32
    linalg.yield %s, %bound, %t : i32, i32, i32
  } -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>)
  return %0#0 : tensor<8xi32>
}
