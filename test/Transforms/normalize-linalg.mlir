// Generic ops that fill become linalg.fill; inits that are not read become tensor.empty.

// RUN: shard-opt %s --shard-normalize-linalg --split-input-file | FileCheck %s

#same = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#number = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func.func @fills
// CHECK-SAME: %[[X:.*]]: f32, %[[E:.*]]: tensor<4x8xf32>
// CHECK: linalg.fill ins(%[[X]] : f32) outs(%[[E]]
// CHECK: %[[TWO:.*]] = arith.constant 2.0
// CHECK: linalg.fill ins(%[[TWO]] : f32) outs(%[[E]]
// CHECK: linalg.fill ins(%[[X]] : f32) outs(%[[E]]
func.func @fills(%x: f32, %e: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = linalg.generic {indexing_maps = [#number, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : f32) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#turned], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x8xf32>) {
  ^bb0(%out: f32):
    %two = arith.constant 2.0 : f32
    linalg.yield %two : f32
  } -> tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x8xf32>) {
  ^bb0(%out: f32):
    linalg.yield %x : f32
  } -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A diagonal leaves elements as they are. A hint for loops in another order than the dimensions
// of the result stays with its op.

shard.grid @g(shape = 2)
#diagonal = affine_map<(d0) -> (d0, d0)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: func.func @no_fills
// CHECK-NOT: linalg.fill
// CHECK-NOT: tensor.empty
func.func @no_fills(%x: f32, %e: tensor<8x8xf32>, %f: tensor<?x8xf32>) -> (tensor<8x8xf32>, tensor<?x8xf32>) {
  %0 = linalg.generic {indexing_maps = [#diagonal], iterator_types = ["parallel"]}
      outs(%e : tensor<8x8xf32>) {
  ^bb0(%out: f32):
    linalg.yield %x : f32
  } -> tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#turned], iterator_types = ["parallel", "parallel"],
                       shard.loops = #shard.sharding<@g, [[0], []]>}
      outs(%f : tensor<?x8xf32>) {
  ^bb0(%out: f32):
    %y = arith.addf %out, %x : f32
    linalg.yield %y : f32
  } -> tensor<?x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<?x8xf32>
}

// -----

#same = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @inits
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[A]]
// CHECK: %[[NEW:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[NEW]] :
// CHECK: linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[B]] :
func.func @inits(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %x, %out : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// An annotation is a hint for its use.

shard.grid @g(shape = 2)
#same = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @hint
// CHECK: %[[S:.*]] = shard.shard %
// CHECK: linalg.generic {{.*}} outs(%[[S]] :
func.func @hint(%a: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %h = shard.shard %a to %s annotate_for_users : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%h : tensor<8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s0 = arith.negf %x : f32
    linalg.yield %s0 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
