// A slice that drops one of two dimensions of one element: the strides of its
// local part do not tell MLIR's lowering of views which one, and it crashed.
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-opt %s --shard-spmd --shard-lower-to-llvm | FileCheck %s --check-prefix=LLVM
// CHECK: PASS
// LLVM: llvm.func @main

shard.grid @grid(shape = 4)

func.func @main(%c: f32) -> (tensor<2x4x2xf32>
    {shard.sharding = #shard.sharding<@grid, [[], [0], []]>}) {
  %0 = tensor.empty() : tensor<2x3x4x4xf32>
  %1 = linalg.fill ins(%c : f32) outs(%0 : tensor<2x3x4x4xf32>)
      -> tensor<2x3x4x4xf32>
  %2 = tensor.extract_slice %1[1, 0, 0, 0] [1, 2, 4, 2] [1, 2, 1, 2]
      : tensor<2x3x4x4xf32> to tensor<2x4x2xf32>
  return %2 : tensor<2x4x2xf32>
}
