// RUN: shard-opt %s --shard-pack-collectives | FileCheck %s
// RUN: shard-opt %s --shard-pack-collectives --shard-verify-spmd -o /dev/null
// RUN: shard-run %s --entry gradients --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-opt %s --shard-pack-collectives | shard-run - --entry gradients --verify | FileCheck %s --check-prefix=PACKED

// EXEC: all_reduce
// EXEC: PASS
// PACKED: all_reduce
// PACKED-NOT: all_reduce
// PACKED: PASS

shard.grid @g(shape = 4) {shard.machine = {name = "a100"}}
shard.grid @bytes(shape = 4)

// CHECK-LABEL: func @gradients
// CHECK: %[[X:.*]] = math.exp %arg2
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0] [8] [1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[8] [4] [1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[12] [1] [1]
// CHECK: %[[R:.*]] = shard.all_reduce %{{.*}} : tensor<13xf32> -> tensor<13xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: tensor.extract_slice %[[R]][8] [4] [1]
func.func @gradients(%a: tensor<8xf32>, %b: tensor<2x2xf32>, %c: tensor<f32>) -> (tensor<8xf32>, tensor<2x2xf32>, tensor<f32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %x = math.exp %c : tensor<f32>
  %2 = shard.all_reduce %x on @g grid_axes = [0] : tensor<f32> -> tensor<f32>
  %3 = math.absf %0 : tensor<8xf32>
  return %3, %1, %2 : tensor<8xf32>, tensor<2x2xf32>, tensor<f32>
}

// One needs the result of the other; another type, another reduction.
// CHECK-LABEL: func @apart
// CHECK-COUNT-4: shard.all_reduce
// CHECK-NOT: insert_slice
// CHECK: return
func.func @apart(%a: tensor<8xf32>, %b: tensor<8xf64>) -> (tensor<8xf32>, tensor<8xf64>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %2 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf64> -> tensor<8xf64>
  %3 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  return %1, %2, %3 : tensor<8xf32>, tensor<8xf64>, tensor<8xf32>
}

// To copy 64 MB takes longer than the latency of one more collective.
// CHECK-LABEL: func @large
// CHECK-COUNT-2: shard.all_reduce %arg
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @large(%a: tensor<8388608xf32>, %b: tensor<8388608xf32>) -> (tensor<8388608xf32>, tensor<8388608xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8388608xf32> -> tensor<8388608xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8388608xf32> -> tensor<8388608xf32>
  return %0, %1 : tensor<8388608xf32>, tensor<8388608xf32>
}

// A grid that states no latency has none.
// CHECK-LABEL: func @no_latency
// CHECK-COUNT-2: shard.all_reduce %arg
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @no_latency(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @bytes grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @bytes grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
