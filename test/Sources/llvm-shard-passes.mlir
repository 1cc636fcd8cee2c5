// LLVM's page of the dialect shard, section "Passes": sharding-propagation and
// shard-partition, by their names and options. Both compilers give the same local types
// and collectives for these programs.

// RUN: mlir-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation,shard-partition,canonicalize))' | FileCheck %s
// RUN: shard-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation,shard-partition,canonicalize))' | FileCheck %s
// RUN: mlir-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation{traversal=backward-forward},shard-partition,canonicalize))' | FileCheck %s
// RUN: shard-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation{traversal=backward-forward},shard-partition,canonicalize))' | FileCheck %s

shard.grid @grid(shape = 2)

// A hint on the argument reaches the result.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: tensor<4x8xf32>
// CHECK: tosa.sigmoid %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NOT: shard.all
// CHECK: return %{{.*}} : tensor<4x8xf32>
func.func @forward(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<8x8xf32>
  %1 = tosa.sigmoid %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// A hint on the result reaches the argument.
// CHECK-LABEL: func.func @backward(
// CHECK-SAME: tensor<8x4xf32>
// CHECK: tosa.sigmoid %{{.*}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NOT: shard.all
// CHECK: return %{{.*}} : tensor<8x4xf32>
func.func @backward(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %0 = tosa.sigmoid %a : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = shard.shard %0 to %s : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// An annotation for users reshards.
// CHECK-LABEL: func.func @resharded(
// CHECK: shard.all_to_all %{{.*}} split_axis = 1 concat_axis = 0 : tensor<4x8xf32> -> tensor<8x4xf32>
// CHECK: tosa.sigmoid %{{.*}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @resharded(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %t = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<8x8xf32>
  %1 = shard.shard %0 to %t annotate_for_users : tensor<8x8xf32>
  %2 = tosa.sigmoid %1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = shard.shard %2 to %t : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// From one operand to the other.
// CHECK-LABEL: func.func @other_operand(
// CHECK-SAME: %{{.*}}: tensor<8x4xf32>{{.*}}, %{{.*}}: tensor<8x4xf32>
// CHECK: tosa.add %{{.*}} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NOT: shard.all
// CHECK: return
func.func @other_operand(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %b to %s : tensor<8x8xf32>
  %1 = tosa.add %a, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
