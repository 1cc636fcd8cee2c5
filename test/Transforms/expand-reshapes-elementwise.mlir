// Elementwise ops on tensors between a merge and the op that takes it back.

// RUN: shard-opt %s --shard-expand-reshapes | FileCheck %s
// RUN: shard-run %s --verify --entry mlp | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --verify --entry mlp --grid 2 | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --verify --entry loss | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --verify --entry constants | FileCheck %s --check-prefix=EXEC

// EXEC-NOT: all_to_all
// EXEC-NOT: all_gather
// EXEC: {{^}}PASS

shard.grid @g(shape = 3)

// The rows of 6 sequences stay split, unevenly: nothing is sent.
// CHECK-LABEL: func.func @mlp(
// CHECK-NOT: tensor.collapse_shape
// CHECK: math.erf %{{.*}} : tensor<6x10x8xf32>
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<6x10x8xi1>, tensor<6x10x8xf32>
// CHECK-NOT: tensor.expand_shape
// CHECK: return %{{.*}} : tensor<6x10x4xf32>
func.func @mlp(%x: tensor<6x10x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
               %w1: tensor<4x8xf32>, %w2: tensor<8x4xf32>) -> tensor<6x10x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<6x10x4xf32> into tensor<60x4xf32>
  %e0 = tensor.empty() : tensor<60x8xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<60x8xf32>) -> tensor<60x8xf32>
  %h = linalg.matmul ins(%c, %w1 : tensor<60x4xf32>, tensor<4x8xf32>) outs(%f0 : tensor<60x8xf32>) -> tensor<60x8xf32>
  %s = math.erf %h : tensor<60x8xf32>
  %p = arith.cmpf ogt, %h, %s : tensor<60x8xf32>
  %u = arith.select %p, %h, %s : tensor<60x8xi1>, tensor<60x8xf32>
  %e1 = tensor.empty() : tensor<60x4xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<60x4xf32>) -> tensor<60x4xf32>
  %y = linalg.matmul ins(%u, %w2 : tensor<60x8xf32>, tensor<8x4xf32>) outs(%f1 : tensor<60x4xf32>) -> tensor<60x4xf32>
  %r = tensor.expand_shape %y [[0, 1], [2]] output_shape [6, 10, 4] : tensor<60x4xf32> into tensor<6x10x4xf32>
  return %r : tensor<6x10x4xf32>
}

// All elements are combined behind the elementwise op.
// CHECK-LABEL: func.func @loss(
// CHECK-NOT: tensor.collapse_shape
// CHECK: arith.mulf %{{.*}}, %{{.*}} : tensor<6x10xf32>
func.func @loss(%x: tensor<6x10xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<6x10xf32> into tensor<60xf32>
  %m = arith.mulf %c, %c : tensor<60xf32>
  %r = linalg.reduce { arith.addf } ins(%m : tensor<60xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %r : tensor<f32>
}

// Constants, splats and what a broadcast repeats along the merged dimensions come apart with them.
// CHECK-LABEL: func.func @constants(
// CHECK-NOT: tensor.collapse_shape
// CHECK-DAG: arith.addf %{{.*}}, %{{.*}} : tensor<6x10x4xf32>
// CHECK-DAG: arith.mulf %{{.*}}, %{{.*}} : tensor<6x10x4xf32>
// CHECK-DAG: arith.subf %{{.*}}, %{{.*}} : tensor<6x10x4xf32>
// CHECK: return %{{.*}} : tensor<6x10x4xf32>
func.func @constants(%x: tensor<6x10x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                     %b: tensor<4xf32>, %s: f32) -> tensor<6x10x4xf32> {
  %one = arith.constant dense<1.0> : tensor<60x4xf32>
  %splat = tensor.splat %s : tensor<60x4xf32>
  %e = tensor.empty() : tensor<60x4xf32>
  %bias = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<60x4xf32>) dimensions = [0]
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<6x10x4xf32> into tensor<60x4xf32>
  %0 = arith.addf %c, %one : tensor<60x4xf32>
  %1 = arith.mulf %0, %splat : tensor<60x4xf32>
  %2 = arith.subf %1, %bias : tensor<60x4xf32>
  %r = tensor.expand_shape %2 [[0, 1], [2]] output_shape [6, 10, 4] : tensor<60x4xf32> into tensor<6x10x4xf32>
  return %r : tensor<6x10x4xf32>
}

// A tensor that nothing has merged would have to be reshaped, and a hint stays where it is.
// CHECK-LABEL: func.func @stays(
// CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<60x4xf32>
// CHECK: math.exp %{{.*}} : tensor<60x4xf32>
func.func @stays(%x: tensor<6x10x4xf32>, %y: tensor<60x4xf32>) -> (tensor<6x10x4xf32>, tensor<6x10x4xf32>) {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<6x10x4xf32> into tensor<60x4xf32>
  %0 = arith.addf %c, %y : tensor<60x4xf32>
  %1 = math.exp %c {shard.sharding = #shard.sharding<@g, [[0], []]>} : tensor<60x4xf32>
  %r = tensor.expand_shape %0 [[0, 1], [2]] output_shape [6, 10, 4] : tensor<60x4xf32> into tensor<6x10x4xf32>
  %s = tensor.expand_shape %1 [[0, 1], [2]] output_shape [6, 10, 4] : tensor<60x4xf32> into tensor<6x10x4xf32>
  return %r, %s : tensor<6x10x4xf32>, tensor<6x10x4xf32>
}
