// A padded tensor that is inserted with strides, and stays whole: MLIR's canonicalization would
// insert it at the wrong place (Codegen/Workarounds/strided-padding.mlir).
//
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-run %s --verify --grid 3 | FileCheck %s
// CHECK: PASS

shard.grid @g(shape = 1)
func.func @main(%arg1: tensor<2x4x6xf32>, %arg5: tensor<12x12x14xf32> {shard.sharding = #shard.sharding<@g, [[], [], []]>}) -> tensor<12x12x14xf32> {
  %cst_0 = arith.constant 0.000000e+00 : f32
  %padded = tensor.pad %arg1 low[1, 0, 1] high[1, 0, 2] {
  ^bb0(%arg6: index, %arg7: index, %arg8: index):
    tensor.yield %cst_0 : f32
  } : tensor<2x4x6xf32> to tensor<4x4x9xf32>
  %cst_1 = arith.constant 0.000000e+00 : f32
  %4 = tensor.empty() : tensor<10x10x13xf32>
  %5 = linalg.fill ins(%cst_1 : f32) outs(%4 : tensor<10x10x13xf32>) -> tensor<10x10x13xf32>
  %inserted_slice = tensor.insert_slice %padded into %5[0, 0, 0] [4, 4, 9] [3, 3, 1] : tensor<4x4x9xf32> into tensor<10x10x13xf32>
  %inserted_slice_2 = tensor.insert_slice %inserted_slice into %arg5[1, 0, 0] [10, 10, 13] [1, 1, 1] : tensor<10x10x13xf32> into tensor<12x12x14xf32>
  return %inserted_slice_2 : tensor<12x12x14xf32>
}
