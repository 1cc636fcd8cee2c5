// RUN: shard-opt %s --shard-partition | FileCheck %s

// Each device may start a maximum from the init; a sum is started from it by the first device.

shard.grid @g(shape = 4)

// CHECK-LABEL: func.func @maximum(
// CHECK-SAME: %[[A:.*]]: tensor<2x5xf32> {{.*}}, %[[INIT:.*]]: tensor<5xf32>
// CHECK-NOT: arith.select
// CHECK: linalg.reduce {{.*}} ins(%[[A]] : tensor<2x5xf32>) outs(%[[INIT]] : tensor<5xf32>)
// CHECK: shard.all_reduce {{.*}} reduction = max
func.func @maximum(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
    %init: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.reduce { arith.maximumf } ins(%a : tensor<8x5xf32>) outs(%init : tensor<5xf32>) dimensions = [0]
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: func.func @sum(
// CHECK: arith.select
// CHECK: shard.all_reduce
func.func @sum(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
    %init: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<8x5xf32>) outs(%init : tensor<5xf32>) dimensions = [0]
  return %0 : tensor<5xf32>
}
