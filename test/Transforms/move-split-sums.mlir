// RUN: shard-opt %s --shard-move-collectives --split-input-file | FileCheck %s

// An op in front of a gather takes a slice of its other operand. Where that is a sum over more
// axes than those of the gather, folding makes two collectives of the sum: of a small tensor
// they take longer than the one.

shard.grid @grid(shape = 2x2)
// CHECK-LABEL: func.func @small
// CHECK: shard.all_reduce %arg0 on @grid grid_axes = [0, 1]
// CHECK-NEXT: shard.all_gather
// CHECK-NEXT: arith.maximumf
// CHECK-NEXT: return
func.func @small(%a: tensor<1x2xf32>, %b: tensor<1x1xf32>) -> tensor<1x2xf32> {
  %sum = shard.all_reduce %a on @grid grid_axes = [0, 1] : tensor<1x2xf32> -> tensor<1x2xf32>
  %all = shard.all_gather %b on @grid grid_axes = [1] gather_axis = 1 : tensor<1x1xf32> -> tensor<1x2xf32>
  %0 = arith.maximumf %sum, %all : tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// -----

shard.grid @grid(shape = 2x2)
// CHECK-LABEL: func.func @large
// CHECK: shard.reduce_scatter %arg0 on @grid grid_axes = [1] scatter_axis = 1
// CHECK-NEXT: shard.all_reduce %{{.*}} on @grid grid_axes = [0]
// CHECK-NEXT: arith.maximumf
// CHECK-NEXT: shard.all_gather
// CHECK-NEXT: return
func.func @large(%a: tensor<1024x2048xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x2048xf32> {
  %sum = shard.all_reduce %a on @grid grid_axes = [0, 1] : tensor<1024x2048xf32> -> tensor<1024x2048xf32>
  %all = shard.all_gather %b on @grid grid_axes = [1] gather_axis = 1 : tensor<1024x1024xf32> -> tensor<1024x2048xf32>
  %0 = arith.maximumf %sum, %all : tensor<1024x2048xf32>
  return %0 : tensor<1024x2048xf32>
}

// -----

// The same of a slice in front of which a gather stands between it and the sum.
shard.grid @grid(shape = 2x2x2)
// CHECK-LABEL: func.func @small_slice
// CHECK: shard.all_reduce %arg0 on @grid grid_axes = [0, 1]
// CHECK-NEXT: shard.all_gather
// CHECK-NEXT: shard.all_slice
// CHECK-NEXT: return
// CHECK-LABEL: func.func @large_slice
// CHECK: shard.reduce_scatter %arg0 on @grid grid_axes = [1] scatter_axis = 0
// CHECK-NEXT: shard.all_reduce %{{.*}} on @grid grid_axes = [0]
// CHECK-NEXT: shard.all_gather
// CHECK-NEXT: return
func.func @small_slice(%a: tensor<2x1xi32>) -> tensor<1x2xi32> {
  %sum = shard.all_reduce %a on @grid grid_axes = [0, 1] : tensor<2x1xi32> -> tensor<2x1xi32>
  %all = shard.all_gather %sum on @grid grid_axes = [2] gather_axis = 1 : tensor<2x1xi32> -> tensor<2x2xi32>
  %part = shard.all_slice %all on @grid grid_axes = [1] slice_axis = 0 : tensor<2x2xi32> -> tensor<1x2xi32>
  return %part : tensor<1x2xi32>
}
func.func @large_slice(%a: tensor<2048x1024xi32>) -> tensor<1024x2048xi32> {
  %sum = shard.all_reduce %a on @grid grid_axes = [0, 1] : tensor<2048x1024xi32> -> tensor<2048x1024xi32>
  %all = shard.all_gather %sum on @grid grid_axes = [2] gather_axis = 1 : tensor<2048x1024xi32> -> tensor<2048x2048xi32>
  %part = shard.all_slice %all on @grid grid_axes = [1] slice_axis = 0 : tensor<2048x2048xi32> -> tensor<1024x2048xi32>
  return %part : tensor<1024x2048xi32>
}
