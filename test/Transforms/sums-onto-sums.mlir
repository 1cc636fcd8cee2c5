// RUN: shard-opt %s --shard-spmd --split-input-file | FileCheck %s

// A product that is added to another one, as its init, is reduced with it: once. The
// init of the first one counts on one device.

shard.grid @grid(shape = 4)

// CHECK-LABEL: func @chain(
// CHECK-NOT: shard.all_reduce
// CHECK: %[[LAST:.*]] = linalg.matmul ins(%{{.*}}, %arg3
// CHECK: %[[SUM:.*]] = shard.all_reduce %[[LAST]]
// CHECK-NOT: shard.all_reduce
// CHECK: return %[[SUM]]
func.func @chain(%a: tensor<6x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
                 %b: tensor<8x4xf32>, %c: tensor<8x4xf32>, %d: tensor<8x4xf32>,
                 %bias: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x4xf32>) outs(%bias : tensor<6x4xf32>) -> tensor<6x4xf32>
  %1 = linalg.matmul ins(%a, %c : tensor<6x8xf32>, tensor<8x4xf32>) outs(%0 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %2 = linalg.matmul ins(%a, %d : tensor<6x8xf32>, tensor<8x4xf32>) outs(%1 : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// -----

// The first one is needed complete: it is reduced where it is made.

shard.grid @grid(shape = 4)

// CHECK-LABEL: func @needed(
// CHECK: linalg.matmul
// CHECK: %[[SUM:.*]] = shard.all_reduce
// CHECK: linalg.matmul
// CHECK: shard.all_reduce
// CHECK: math.exp %[[SUM]]
func.func @needed(%a: tensor<6x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
                  %b: tensor<8x4xf32>, %c: tensor<8x4xf32>,
                  %bias: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x4xf32>) outs(%bias : tensor<6x4xf32>) -> tensor<6x4xf32>
  %1 = linalg.matmul ins(%a, %c : tensor<6x8xf32>, tensor<8x4xf32>) outs(%0 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %2 = math.exp %0 : tensor<6x4xf32>
  return %1, %2 : tensor<6x4xf32>, tensor<6x4xf32>
}

// -----

// The sum that two products are added to is reduced with each of them.

shard.grid @grid(shape = 4)

// CHECK-LABEL: func @shared(
// CHECK: %[[BOTH:.*]] = linalg.matmul ins(%{{.*}}, %arg1
// CHECK-NOT: shard.all_reduce
// CHECK: linalg.matmul {{.*}} outs(%[[BOTH]]
// CHECK: linalg.matmul {{.*}} outs(%[[BOTH]]
func.func @shared(%a: tensor<6x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
                  %b: tensor<8x4xf32>, %c: tensor<8x4xf32>, %d: tensor<8x4xf32>,
                  %bias: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x4xf32>) outs(%bias : tensor<6x4xf32>) -> tensor<6x4xf32>
  %1 = linalg.matmul ins(%a, %c : tensor<6x8xf32>, tensor<8x4xf32>) outs(%0 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %2 = linalg.matmul ins(%a, %d : tensor<6x8xf32>, tensor<8x4xf32>) outs(%0 : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %1, %2 : tensor<6x4xf32>, tensor<6x4xf32>
}

// -----

// The result is split by the axis that splits the sums.

shard.grid @grid(shape = 4)

// CHECK-LABEL: func @scattered(
// CHECK-NOT: shard.all_reduce
// CHECK: %[[LAST:.*]] = linalg.matmul ins(%{{.*}}, %arg2
// CHECK: %[[PART:.*]] = shard.reduce_scatter %[[LAST]]
// CHECK: return %[[PART]]
func.func @scattered(%a: tensor<4x8xi32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
                     %b: tensor<8x6xi32>, %c: tensor<8x6xi32>, %bias: tensor<4x6xi32>)
    -> (tensor<4x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xi32>, tensor<8x6xi32>) outs(%bias : tensor<4x6xi32>) -> tensor<4x6xi32>
  %1 = linalg.matmul ins(%a, %c : tensor<4x8xi32>, tensor<8x6xi32>) outs(%0 : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %1 : tensor<4x6xi32>
}
