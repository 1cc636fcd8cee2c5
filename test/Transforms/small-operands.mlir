// Operands that are split along a summed loop are gathered where a sum of the result would
// take more than twice as long, with what each device then computes more.
// RUN: shard-opt %s --shard-spmd --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-propagate --split-input-file -o %t.once
// RUN: shard-opt %t.once --shard-propagate --split-input-file | diff %t.once -
// RUN: shard-opt %s --shard-explain --split-input-file 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// The second factor of a low-rank update: 16 columns of 4,096 rows.
// CHECK-LABEL: func.func @low_rank
// CHECK: %[[X:.*]] = shard.all_gather {{.*}} : tensor<4096x4xf32> -> tensor<4096x16xf32>
// CHECK: %[[W:.*]] = shard.all_gather {{.*}} : tensor<4x4096xf32> -> tensor<16x4096xf32>
// CHECK: linalg.matmul ins(%[[X]], %[[W]]
// CHECK-NOT: shard.all_reduce
// EXPLAIN: reshard of %arg0 for linalg.matmul operand 0
// EXPLAIN: decided: to add the result up over devices would cost more
// EXPLAIN-NEXT: so: all_gather over 0
shard.grid @g(shape = 4)
func.func @low_rank(
    %x: tensor<4096x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %w: tensor<16x4096xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<4096x4096xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %z = arith.constant dense<0.0> : tensor<4096x4096xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4096x16xf32>, tensor<16x4096xf32>)
      outs(%z : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// -----

// To gather them sends a quarter of what the sum sends, but each device would compute four
// times as much, which takes longer than the sum.
// CHECK-LABEL: func.func @long
// CHECK-NOT: shard.all_gather
// CHECK: linalg.matmul
// CHECK: shard.all_reduce
shard.grid @g(shape = 4)
func.func @long(
    %x: tensor<4096x1024xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %w: tensor<1024x4096xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<4096x4096xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %z = arith.constant dense<0.0> : tensor<4096x4096xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4096x1024xf32>, tensor<1024x4096xf32>)
      outs(%z : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// -----

// The same on a machine that computes ten times as fast.
// CHECK-LABEL: func.func @fast
// CHECK-COUNT-2: shard.all_gather
// CHECK: linalg.matmul
// CHECK-NOT: shard.all_reduce
shard.grid @g(shape = 4) {shard.machine = {flops32 = 2.0e14, link_latency = 0.0}}
func.func @fast(
    %x: tensor<4096x1024xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %w: tensor<1024x4096xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<4096x4096xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %z = arith.constant dense<0.0> : tensor<4096x4096xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4096x1024xf32>, tensor<1024x4096xf32>)
      outs(%z : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// -----

// A sum that is asked for as partial stays one.
// CHECK-LABEL: func.func @partial
// CHECK-NOT: shard.all_gather
// CHECK: return
shard.grid @g(shape = 4)
func.func @partial(
    %x: tensor<64x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %w: tensor<4x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<64x64xf32> {shard.sharding = #shard.sharding<@g, [[], []], partial = sum [0]>}) {
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x4xf32>, tensor<4x64xf32>)
      outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// A hint about the loops of the op has them summed.
// CHECK-LABEL: func.func @told
// CHECK-NOT: shard.all_gather
// CHECK: linalg.matmul
// CHECK: shard.all_reduce
shard.grid @g(shape = 4)
func.func @told(
    %x: tensor<4096x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %w: tensor<16x4096xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<4096x4096xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %z = arith.constant dense<0.0> : tensor<4096x4096xf32>
  %0 = linalg.matmul {shard.loops = #shard.sharding<@g, [[], [], [0]]>}
      ins(%x, %w : tensor<4096x16xf32>, tensor<16x4096xf32>)
      outs(%z : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
