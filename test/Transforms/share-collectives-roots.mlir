// What is gathered over an axis twice begins a family of its own. Where its first value goes,
// because another one stands for it, the family begins with that one.
//
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=PASSES
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-opt %s --shard-spmd | shard-opt --shard-verify-spmd
// PASSES: PASS
// CHECK: shard.all_gather

shard.grid @grid(shape = 2x2) axes ["x0", "x1"]
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<1x8xf32>) -> (tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [["x0"], ["x1"]], offsets = [0, 5, 8, 0, 16, 16]>}) {
  %0:2 = shard.manual_computation(%arg0) on @grid in = [<@grid, [[0, ?], [?]], replicated = ["x1"]>] out = [<@grid, [[1], [0]]>, <@grid, [["x1"], ["x0"]]>] axes = ["x1", 0] (%arg2: tensor<4x8xf32>) {
    %all_gather = shard.all_gather %arg1 on @grid grid_axes = [1, 0] gather_axis = 0 : tensor<1x8xf32> -> tensor<4x8xf32>
    %all_slice = shard.all_slice %all_gather on @grid grid_axes = [1] slice_axis = 0 : tensor<4x8xf32> -> tensor<2x8xf32>
    %all_gather_0 = shard.all_gather %all_slice on @grid grid_axes = [1] gather_axis = 0 : tensor<2x8xf32> -> tensor<4x8xf32>
    shard.return %all_gather, %all_gather_0 : tensor<4x8xf32>, tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>)
  return %0#1 : tensor<8x16xf32>
}
