// RUN: shard-opt %s --split-input-file --sharding-propagation --shard-partition 2>/dev/null | FileCheck %s
// RUN: shard-opt %s --split-input-file --shard-spmd 2>/dev/null | FileCheck %s --check-prefix=SPMD

// A body that keeps its init gives each device the same: nothing is gathered.

shard.grid @grid(shape = 2)
// SPMD-LABEL: func.func @kept(
// SPMD-NOT: on @grid
// SPMD: return %arg1
// CHECK-LABEL: func.func @kept(
// CHECK-NOT: shard.all_gather
// CHECK: linalg.reduce {{.*}}ins(%{{.*}} : tensor<4x5xf32>)
// CHECK: shard.all_reduce {{.*}} reduction = max
func.func @kept(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %c: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.reduce ins(%a : tensor<8x5xf32>) outs(%c : tensor<5xf32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      linalg.yield %acc : f32
    }
  return %0 : tensor<5xf32>
}

// -----

// Elements that collectives do not reduce are gathered for such bodies.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @kept_wide(
// CHECK: linalg.reduce {{.*}}ins(%{{.*}} : tensor<8x5xi128>)
// CHECK: linalg.reduce {{.*}}ins(%{{.*}} : tensor<8x5xf8E5M2>)
func.func @kept_wide(%a: tensor<8x5xi128> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %c: tensor<5xi128>,
                     %b: tensor<8x5xf8E5M2> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %d: tensor<5xf8E5M2>)
    -> (tensor<5xi128>, tensor<5xf8E5M2>) {
  %0 = linalg.reduce ins(%a : tensor<8x5xi128>) outs(%c : tensor<5xi128>) dimensions = [0]
    (%in: i128, %acc: i128) {
      linalg.yield %acc : i128
    }
  %1 = linalg.reduce ins(%b : tensor<8x5xf8E5M2>) outs(%d : tensor<5xf8E5M2>) dimensions = [0]
    (%in: f8E5M2, %acc: f8E5M2) {
      %s = arith.subf %acc, %in : f8E5M2
      linalg.yield %s : f8E5M2
    }
  return %0, %1 : tensor<5xi128>, tensor<5xf8E5M2>
}
