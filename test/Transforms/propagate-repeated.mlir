// A value that only repeats an operand may get fewer parts than it has: the operand is gathered
// in front of the broadcast, where it is small.
// RUN: shard-opt %s --split-input-file --shard-spmd | FileCheck %s
// RUN: shard-opt %s --split-input-file --sharding-propagation -o %t.once
// RUN: shard-opt %t.once --split-input-file --sharding-propagation -o %t.twice
// RUN: diff %t.once %t.twice

// The columns of w are split and the rows of what is broadcast. w stays as it is.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @broadcast(
// CHECK: %[[X:.*]] = shard.all_gather %{{.*}} : tensor<2xi32> -> tensor<8xi32>
// CHECK: linalg.broadcast ins(%[[X]] : tensor<8xi32>) outs(%{{.*}} : tensor<8x16xi32>)
// CHECK: linalg.matmul {{.*}} -> tensor<8x2xi32>
// CHECK: shard.all_to_all {{.*}} : tensor<8x2xi32> -> tensor<2x8xi32>
// CHECK-NOT: shard.
// CHECK: return
func.func @broadcast(%x: tensor<8xi32> {shard.sharding = #shard.sharding<@g, [[0]]>},
                     %w: tensor<16x8xi32> {shard.sharding = #shard.sharding<@g, [[], [0]]>})
    -> (tensor<8x8xi32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) {
  %e = tensor.empty() : tensor<8x16xi32>
  %b = linalg.broadcast ins(%x : tensor<8xi32>) outs(%e : tensor<8x16xi32>) dimensions = [1]
  %z = arith.constant dense<0> : tensor<8x8xi32>
  %p = linalg.matmul ins(%b, %w : tensor<8x16xi32>, tensor<16x8xi32>) outs(%z : tensor<8x8xi32>) -> tensor<8x8xi32>
  %f = tensor.empty() : tensor<8x8xi32>
  %t = linalg.transpose ins(%p : tensor<8x8xi32>) outs(%f : tensor<8x8xi32>) permutation = [1, 0]
  return %t : tensor<8x8xi32>
}

// -----

// An exponential computes: it keeps its parts, and w is gathered.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @computed(
// CHECK: shard.all_gather {{.*}} : tensor<16x2xf32> -> tensor<16x8xf32>
// CHECK: linalg.matmul {{.*}} -> tensor<2x8xf32>
// CHECK-NOT: shard.
// CHECK: return
func.func @computed(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>},
                    %w: tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) {
  %e = tensor.empty() : tensor<8x16xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %y = math.exp %in : f32
    linalg.yield %y : f32
  } -> tensor<8x16xf32>
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %p = linalg.matmul ins(%b, %w : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %f = tensor.empty() : tensor<8x8xf32>
  %t = linalg.transpose ins(%p : tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) permutation = [1, 0]
  return %t : tensor<8x8xf32>
}
