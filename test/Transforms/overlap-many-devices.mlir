// Bytes that do not fit into 64 bits are unknown: no number overflows. (The sanitizers see it.)

// RUN: shard-opt %s --shard-overlap-collectives=min-gain=-1 | FileCheck %s
// RUN: shard-opt %s --shard-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT

shard.grid @many(shape = 9223372036854775807)

// CHECK-LABEL: func.func @sum
// CHECK: shard.all_reduce
// REPORT: all_reduce
func.func @sum(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = shard.all_reduce %a on @many grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @broadcast
// CHECK: shard.broadcast
func.func @broadcast(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = shard.broadcast %a on @many grid_axes = [0] root = [0] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
