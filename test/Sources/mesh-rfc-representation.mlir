// The mesh RFC, sections of its ops and attributes: the cluster, the sharding as the
// encoding of a tensor, annotations that must hold and that may not, and what a device
// does with its part of a tensor.

// RUN: shard-translate --import-mesh %s -o %t.shard
// RUN: shard-opt %t.shard --shard-spmd | FileCheck %s
// RUN: shard-run %t.shard --entry weights --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

mesh.cluster @mesh0(rank = 2, dim_sizes = [2, 4])

// Dimension 0 is split by both axes of the mesh; dimension 1 is whole.
// CHECK-LABEL: func.func @encoding(
// CHECK-SAME: tensor<2x8xf32>
func.func @encoding(%t: tensor<16x8xf32, #mesh.shard<[[0, 1]]>>) -> tensor<16x8xf32, #mesh.shard<[[0, 1]]>> {
  return %t : tensor<16x8xf32, #mesh.shard<[[0, 1]]>>
}

// required: the value has this sharding. as_result = false: only its users see it.
// CHECK-LABEL: func.func @required(
// CHECK-SAME: tensor<8x8xf32>
// CHECK: shard.all_to_all {{.*}} : tensor<8x8xf32> -> tensor<16x4xf32>
// CHECK: math.exp %{{.*}} : tensor<16x4xf32>
func.func @required(%t: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = mesh.annotate %t {sharding = #mesh.shard<[[0]]>, required = true, as_result = true} : tensor<16x8xf32>
  %1 = mesh.annotate %0 {sharding = #mesh.shard<[[], [0]]>, required = true, as_result = false} : tensor<16x8xf32>
  %2 = math.exp %1 : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// Not required: the value may be split further, by the axis of the other operand.
// CHECK-LABEL: func.func @wish(
// CHECK-SAME: %{{.*}}: tensor<8x2xf32>{{.*}}, %{{.*}}: tensor<16x2xf32>
// CHECK: arith.addf %{{.*}} : tensor<8x2xf32>
func.func @wish(%t: tensor<16x8xf32>, %u: tensor<16x8xf32, #mesh.shard<[[], [1]]>>) -> tensor<16x8xf32> {
  %0 = mesh.annotate %t {sharding = #mesh.shard<[[0]]>, required = false, as_result = true} : tensor<16x8xf32>
  %1 = tensor.cast %u : tensor<16x8xf32, #mesh.shard<[[], [1]]>> to tensor<16x8xf32>
  %2 = mesh.annotate %1 {sharding = #mesh.shard<[[0]]>, required = false, as_result = true} : tensor<16x8xf32>
  %3 = arith.addf %0, %2 : tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}

// Sharding propagation: the weight and the result follow the input and the annotation.
// CHECK-LABEL: func.func @weights(
// CHECK-SAME: %{{.*}}: tensor<16x2xf32>{{.*}}, %{{.*}}: tensor<2x16xf32>
// CHECK: shard.reduce_scatter {{.*}} grid_axes = [1] scatter_axis = 0
func.func @weights(%x: tensor<16x8xf32>, %w: tensor<8x16xf32>) -> tensor<16x16xf32> {
  %0 = mesh.annotate %x {sharding = #mesh.shard<[[], [1]]>, required = true, as_result = true} : tensor<16x8xf32>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<16x8xf32>, tensor<8x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = mesh.annotate %1 {sharding = #mesh.shard<[[], []], partial = sum[1]>, required = true, as_result = true} : tensor<16x16xf32>
  %3 = mesh.annotate %2 {sharding = #mesh.shard<[[1]]>, required = true, as_result = false} : tensor<16x16xf32>
  return %3 : tensor<16x16xf32>
}
