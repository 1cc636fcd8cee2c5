// The reference has no shardings in signatures, whether or not calls agree on them.

// RUN: shard-run %s --verify --entry returned | FileCheck %s --check-prefix=RETURNED
// RUN: shard-run %s --verify --entry each_its_own | FileCheck %s --check-prefix=OWN

shard.grid @grid(shape = 4x2)
func.func private @make() -> !shard.sharding {
  %s = shard.sharding @grid split_axes = [[1], [0]] : !shard.sharding
  return %s : !shard.sharding
}
// RETURNED: result0 {{.*}} {{\[}}[1], [0]]
// RETURNED: PASS
func.func @returned(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = call @make() : () -> !shard.sharding
  %0 = shard.shard %a to %s : tensor<8x8xf32>
  %1 = math.exp %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

func.func private @use(%a: tensor<8x8xf32>, %s: !shard.sharding)
    -> (tensor<8x8xf32>, !shard.sharding, f32) {
  %0 = math.exp %a : tensor<8x8xf32>
  %1 = shard.shard %0 to %s : tensor<8x8xf32>
  %f = arith.constant 3.0 : f32
  return %1, %s, %f : tensor<8x8xf32>, !shard.sharding, f32
}
// OWN: result0 {{.*}} {{\[}}[0], []]
// OWN: result1 {{.*}} {{\[}}[], [1]]
// OWN: PASS
func.func @each_its_own(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, f32) {
  %rows = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %columns = shard.sharding @grid split_axes = [[], [1]] : !shard.sharding
  %0:3 = call @use(%a, %rows)
      : (tensor<8x8xf32>, !shard.sharding) -> (tensor<8x8xf32>, !shard.sharding, f32)
  %1:3 = call @use(%b, %columns)
      : (tensor<8x8xf32>, !shard.sharding) -> (tensor<8x8xf32>, !shard.sharding, f32)
  %2 = shard.shard %b to %1#1 : tensor<8x8xf32>
  %3 = arith.addf %2, %1#0 : tensor<8x8xf32>
  return %0#0, %3, %1#2 : tensor<8x8xf32>, tensor<8x8xf32>, f32
}
