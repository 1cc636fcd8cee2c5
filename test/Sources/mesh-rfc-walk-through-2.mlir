// The mesh RFC, second walk-through: the weights are split along two dimensions. The input
// is gathered along all axes but the first, the hidden layer is reduced and scattered
// along the first and gathered before it is used, and the result is reduced and scattered
// along the others. Each weight has the sharding that its matmul wants.

// RUN: shard-translate --import-mesh %s -o %t.shard
// RUN: shard-run %t.shard --verify | FileCheck %s
// RUN: shard-opt %t.shard --shard-spmd | FileCheck %s --check-prefix=LOCAL
// RUN: shard-opt %t.shard --sharding-propagation -o %t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -

// CHECK: arg1 tensor<8x32xf32> {{\[\[}}0], [1, 2]]
// CHECK: arg2 tensor<32x8xf32> {{\[\[}}1, 2], [0]]
// CHECK: all_gather 1, 2 1
// CHECK-NEXT: reduce_scatter 0 1
// CHECK-NEXT: all_gather 0 1
// CHECK-NEXT: reduce_scatter 1, 2 1
// CHECK-NOT: {{all_|reduce_}}
// CHECK: PASS

// LOCAL: shard.all_gather {{.*}} : tensor<8x1xf32> -> tensor<8x4xf32>
// LOCAL: linalg.matmul ins({{.*}} : tensor<8x4xf32>, tensor<4x8xf32>)
// LOCAL: shard.reduce_scatter {{.*}} : tensor<8x8xf32> -> tensor<8x4xf32>
// LOCAL: arith.maximumf {{.*}} : tensor<8x4xf32>
// LOCAL: shard.all_gather {{.*}} : tensor<8x4xf32> -> tensor<8x8xf32>
// LOCAL: linalg.matmul ins({{.*}} : tensor<8x8xf32>, tensor<8x4xf32>)
// LOCAL: shard.reduce_scatter {{.*}} : tensor<8x4xf32> -> tensor<8x1xf32>

mesh.cluster @mesh0(rank = 3, dim_sizes = [2, 2, 2])

func.func @main(%x: tensor<8x8xf32>, %w1: tensor<8x32xf32>, %w2: tensor<32x8xf32>) -> tensor<8x8xf32> {
  %x0 = mesh.annotate %x {sharding = #mesh.shard<[[], [0, 1, 2]]>, required = true, as_result = true} : tensor<8x8xf32>
  %x1 = mesh.annotate %x0 {sharding = #mesh.shard<[[], [0]]>, required = true, as_result = false} : tensor<8x8xf32>
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x32xf32>
  %i1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.matmul ins(%x1, %w1 : tensor<8x8xf32>, tensor<8x32xf32>) outs(%i1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h0 = mesh.annotate %h {sharding = #mesh.shard<[[], [1, 2]], partial = sum[0]>, required = true, as_result = true} : tensor<8x32xf32>
  %h1 = mesh.annotate %h0 {sharding = #mesh.shard<[[], [1, 2, 0]]>, required = true, as_result = false} : tensor<8x32xf32>
  %c = tensor.splat %z : tensor<8x32xf32>
  %r = arith.maximumf %h1, %c : tensor<8x32xf32>
  %r0 = mesh.annotate %r {sharding = #mesh.shard<[[], [1, 2, 0]]>, required = true, as_result = true} : tensor<8x32xf32>
  %r1 = mesh.annotate %r0 {sharding = #mesh.shard<[[], [1, 2]]>, required = true, as_result = false} : tensor<8x32xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %i2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%r1, %w2 : tensor<8x32xf32>, tensor<32x8xf32>) outs(%i2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = mesh.annotate %y {sharding = #mesh.shard<[[], [0]], partial = sum[1, 2]>, required = true, as_result = true} : tensor<8x8xf32>
  %o = mesh.annotate %p {sharding = #mesh.shard<[[], [0, 1, 2]]>, required = true, as_result = false} : tensor<8x8xf32>
  return %o : tensor<8x8xf32>
}
