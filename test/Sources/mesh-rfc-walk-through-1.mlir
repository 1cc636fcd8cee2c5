// The mesh RFC, first walk-through: an MLP whose weights stay where they are, split along
// one axis. Only the input, the partial result and its last sharding are stated. The input
// is gathered, and the partial sums are reduced and scattered; nothing else is sent.

// RUN: shard-translate --import-mesh %s -o %t.shard
// RUN: shard-run %t.shard --verify | FileCheck %s
// RUN: shard-run %t.shard --verify --traversal=forward-backward | FileCheck %s
// RUN: shard-opt %t.shard --shard-spmd | FileCheck %s --check-prefix=LOCAL

// CHECK: arg1 tensor<8x32xf32> {{\[\[}}], [0]]
// CHECK: arg2 tensor<32x8xf32> {{\[\[}}0], []]
// CHECK: all_gather 0 1 128 B
// CHECK-NEXT: reduce_scatter 0 1 128 B
// CHECK-NOT: {{all_|reduce_}}
// CHECK: PASS

// LOCAL: shard.all_gather {{.*}} : tensor<8x4xf32> -> tensor<8x8xf32>
// LOCAL: linalg.matmul ins({{.*}} : tensor<8x8xf32>, tensor<8x16xf32>)
// LOCAL: arith.maximumf
// LOCAL: linalg.matmul ins({{.*}} : tensor<8x16xf32>, tensor<16x8xf32>)
// LOCAL: shard.reduce_scatter {{.*}} : tensor<8x8xf32> -> tensor<8x4xf32>

mesh.cluster @mesh0(rank = 1, dim_sizes = [2])

func.func @main(%x: tensor<8x8xf32>, %w1: tensor<8x32xf32>, %w2: tensor<32x8xf32>) -> tensor<8x8xf32> {
  %0 = mesh.annotate %x {sharding = #mesh.shard<[[], [0]]>, required = true, as_result = true} : tensor<8x8xf32>
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x32xf32>
  %i1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.matmul ins(%0, %w1 : tensor<8x8xf32>, tensor<8x32xf32>) outs(%i1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %c = tensor.splat %z : tensor<8x32xf32>
  %r = arith.maximumf %h, %c : tensor<8x32xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %i2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%r, %w2 : tensor<8x32xf32>, tensor<32x8xf32>) outs(%i2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = mesh.annotate %y {sharding = #mesh.shard<[[], []], partial = sum[0]>, required = true, as_result = true} : tensor<8x8xf32>
  %o = mesh.annotate %p {sharding = #mesh.shard<[[], [0]]>, required = true, as_result = false} : tensor<8x8xf32>
  return %o : tensor<8x8xf32>
}
