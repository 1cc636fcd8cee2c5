// The pass simplifies ops of the dialect.
// RUN: shard-opt %s -shard-simplify | FileCheck %s
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shard-simplify))' | FileCheck %s

shard.grid @g(shape = 2x4)

// CHECK-LABEL: func.func @sum_of_sums
// CHECK: %[[S:.*]] = arith.addf
// CHECK: %[[R:.*]] = shard.all_reduce %[[S]]
// CHECK: return %[[R]]
func.func @sum_of_sums(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.addf %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @no_axes
// CHECK-SAME: %[[A:.*]]: tensor<8xf32>
// CHECK: return %[[A]]
func.func @no_axes(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [] : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
