// Blocks along axes in another order than that of the grid become whole like others: the order
// of partial axes means nothing.

// RUN: shard-opt %s --shard-sink-reductions | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=EXEC

// EXEC: PASS

shard.grid @g(shape = 2x3)

// CHECK-LABEL: func @main
// CHECK-SAME: %[[A:.*]]: tensor<12xi32>, %[[B:.*]]: tensor<12xi32>)
// CHECK: %[[S:.*]] = math.absi %{{.*}} : tensor<12xi32>
// CHECK: %[[ONE:.*]] = arith.select %{{.*}}, %[[S]], %{{.*}} : tensor<12xi32>
// CHECK: %[[WA:.*]] = arith.addi %[[ONE]], %[[A]] : tensor<12xi32>
// CHECK: %[[WAB:.*]] = arith.subi %[[WA]], %[[B]] : tensor<12xi32>
// CHECK: shard.all_reduce %[[WAB]] on @g grid_axes = [1, 0]
func.func @main(%a: tensor<12xi32>, %b: tensor<12xi32>) -> tensor<12xi32> {
  %whole = shard.all_reduce %a on @g grid_axes = [0, 1] : tensor<12xi32> -> tensor<12xi32>
  %s = math.absi %whole : tensor<12xi32>
  %block = shard.all_slice %s on @g grid_axes = [1, 0] slice_axis = 0 : tensor<12xi32> -> tensor<2xi32>
  %0 = shard.reduce_scatter %a on @g grid_axes = [1, 0] scatter_axis = 0 : tensor<12xi32> -> tensor<2xi32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [1, 0] scatter_axis = 0 : tensor<12xi32> -> tensor<2xi32>
  %2 = arith.addi %block, %0 : tensor<2xi32>
  %3 = arith.subi %2, %1 : tensor<2xi32>
  %4 = shard.all_gather %3 on @g grid_axes = [1, 0] gather_axis = 0 : tensor<2xi32> -> tensor<12xi32>
  return %4 : tensor<12xi32>
}
