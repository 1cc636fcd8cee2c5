// A tensor of the extent of another one that is split alike has blocks of the same extents: the
// whole extent is not asked for.

// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-opt %s --shard-spmd --uneven-dynamic | FileCheck %s
// RUN: shard-opt %s --shard-spmd --uneven-dynamic | FileCheck %s --check-prefix=UNEVEN
// RUN: %python -c "import numpy as n; n.save('%t.npy', n.arange(88, dtype='f4').reshape(11, 8))"
// RUN: shard-run %s --entry layer --uneven-dynamic --input %t.npy --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry otherwise --uneven-dynamic --input %t.npy --verify | FileCheck %s --check-prefix=SAME
// EXEC: no collectives
// EXEC: {{^}}PASS
// SAME: {{^}}PASS

shard.grid @g(shape = 3)

// CHECK-LABEL: func.func @layer(
// CHECK-NOT: cf.assert
// CHECK-NOT: shard.all_reduce
// CHECK: %[[N:.*]] = tensor.dim %arg0, %{{.*}} : tensor<?x8xf32>
// CHECK-NOT: arith.
// CHECK: tensor.empty(%[[N]]) : tensor<?x4xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @layer(%x: tensor<?x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Another number is not the extent, though it is computed of it.
// UNEVEN-LABEL: func.func @otherwise(
// UNEVEN: shard.all_reduce
func.func @otherwise(%x: tensor<?x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<?x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %s = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %m = arith.addi %n, %c3 : index
  %0 = tensor.splat %s[%m] : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
