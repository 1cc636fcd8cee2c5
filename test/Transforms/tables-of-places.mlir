// RUN: shard-opt %s --shard-spmd 2>/dev/null | FileCheck %s
// RUN: shard-run %s --entry rotary --verify | FileCheck %s --check-prefix=EXEC

// A table that is computed of places, as that of a rotary embedding, is computed by each device as far as
// each user needs it: here the rows of the queries, and all rows for the keys. It would be split for
// both, and the keys gathered, if they had one table.

// EXEC: PASS

// CHECK-LABEL: func.func @rotary(
// CHECK-DAG: math.cos %{{.*}} : tensor<32xf32>
// CHECK-DAG: math.cos %{{.*}} : tensor<16xf32>
// CHECK-NOT: shard.all
// CHECK: return
shard.grid @g(shape = 2)
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0) -> (d0)>
func.func @rotary(%q: tensor<32x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
    %k: tensor<32x8xf32>) -> (tensor<32x32xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<32xf32>
  %p = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%e1 : tensor<32xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<32xf32>
  %cos = math.cos %p : tensor<32xf32>
  %e2 = tensor.empty() : tensor<32x8xf32>
  %rq = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%q, %cos : tensor<32x8xf32>, tensor<32xf32>) outs(%e2 : tensor<32x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<32x8xf32>
  %rk = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%k, %cos : tensor<32x8xf32>, tensor<32xf32>) outs(%e2 : tensor<32x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<32x8xf32>
  %e3 = tensor.empty() : tensor<32x32xf32>
  %f3 = linalg.fill ins(%z : f32) outs(%e3 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(i,j,k)->(i,k)>, affine_map<(i,j,k)->(j,k)>, affine_map<(i,j,k)->(i,j)>] ins(%rq, %rk : tensor<32x8xf32>, tensor<32x8xf32>) outs(%f3 : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %s : tensor<32x32xf32>
}

// Equal copies are one again.

// CHECK-LABEL: func.func @once(
// CHECK: math.cos
// CHECK-NOT: math.cos
// CHECK: return
func.func @once(%a: tensor<32xf32> {shard.sharding = #shard.sharding<@g, [[0]]>},
    %b: tensor<32xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> (tensor<32xf32>, tensor<32xf32>) {
  %e = tensor.empty() : tensor<32xf32>
  %p = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%e : tensor<32xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<32xf32>
  %cos = math.cos %p : tensor<32xf32>
  %0 = arith.mulf %a, %cos : tensor<32xf32>
  %1 = arith.addf %b, %cos : tensor<32xf32>
  return %0, %1 : tensor<32xf32>, tensor<32xf32>
}
