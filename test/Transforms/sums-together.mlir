// The columns of `x` are split, and two products sum over them: of a gate and of what it lets
// through. One gather of `x` serves both; a reduction of each would send four times as much.

// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --verify --entry gated
// RUN: shard-run %s --verify --entry hinted

shard.grid @g(shape = 4)

// CHECK-LABEL: func @gated
// CHECK-SAME: tensor<32x64xf32>, <@g, {{\[\[}}], [0]]>>}
// CHECK-SAME: tensor<32x64xf32>, <@g, {{\[\[}}], [0]]>>}
// CHECK: shard.all_gather %arg0
// CHECK-NOT: shard.all_reduce
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @gated(%x: tensor<16x32xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
                 %w1: tensor<32x64xf32>, %w2: tensor<32x64xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %a = linalg.matmul ins(%x, %w1 : tensor<16x32xf32>, tensor<32x64xf32>)
      outs(%z : tensor<16x64xf32>) -> tensor<16x64xf32>
  %gate = math.tanh %a : tensor<16x64xf32>
  %b = linalg.matmul ins(%x, %w2 : tensor<16x32xf32>, tensor<32x64xf32>)
      outs(%z : tensor<16x64xf32>) -> tensor<16x64xf32>
  %y = arith.mulf %gate, %b : tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// Weights whose rows hints split would be exchanged for columns: of few rows of `x` the sums are
// smaller.
// CHECK-LABEL: func @hinted
// CHECK-SAME: tensor<32x64xf32>, <@g, {{\[\[}}0], []]>>}
// CHECK-NOT: shard.all_gather %arg0
// CHECK: shard.{{all_reduce|reduce_scatter}}
// CHECK: shard.{{all_reduce|reduce_scatter}}
func.func @hinted(%x: tensor<4x32xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
                  %w1: tensor<32x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                  %w2: tensor<32x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> tensor<4x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %a = linalg.matmul ins(%x, %w1 : tensor<4x32xf32>, tensor<32x64xf32>)
      outs(%z : tensor<4x64xf32>) -> tensor<4x64xf32>
  %gate = math.tanh %a : tensor<4x64xf32>
  %b = linalg.matmul ins(%x, %w2 : tensor<4x32xf32>, tensor<32x64xf32>)
      outs(%z : tensor<4x64xf32>) -> tensor<4x64xf32>
  %y = arith.mulf %gate, %b : tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}
