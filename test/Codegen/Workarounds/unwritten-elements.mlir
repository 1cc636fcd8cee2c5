// MLIR's fusion replaces an init that the body does not read by tensor.empty, and its
// bufferization does not copy one, although the op does not write every element. If
// this test fails, MLIR is mended: delete
// lib/Codegen/Workarounds/UnwrittenElements.cpp and this file.

// RUN: mlir-opt %s --linalg-fuse-elementwise-ops | FileCheck %s --check-prefix=FUSION
// RUN: mlir-opt %s --one-shot-bufferize | FileCheck %s --check-prefix=BUFFERS --implicit-check-not=memref.copy
// RUN: shard-opt %s --shard-prepare-tensors | FileCheck %s

// FUSION: %[[EMPTY:.*]] = tensor.empty() : tensor<5xf32>
// FUSION: outs(%[[EMPTY]] : tensor<5xf32>)
// BUFFERS: %[[ALLOC:.*]] = memref.alloc() {{.*}} : memref<5xf32>
// BUFFERS: outs(%[[ALLOC]] : memref<5xf32>)
// CHECK: scf.for {{.*}} iter_args(%[[INIT:.*]] = %{{.*}}) -> (tensor<5xf32>)
// CHECK: tensor.insert %{{.*}} into %[[INIT]]
func.func @f(%a: tensor<3xf32>, %init: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i + 2)>], iterator_types = ["parallel"]}
      ins(%a : tensor<3xf32>) outs(%init : tensor<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
