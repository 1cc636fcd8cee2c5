// Two windows of one tensor are merged into one exchange. Device 2 has no element of the
// tensor, and no iteration of the second window, but reads halos by the first one.
// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// CHECK: PASS

shard.grid @grid(shape = 3x1)
func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {shard.sharding = #shard.sharding<@grid, [[1, 0]]>}, tensor<6xf32>) {
  %three = arith.constant dense<3.0> : tensor<4xf32>
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %three low[2] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<6xf32>
  %slice = tensor.extract_slice %padded[1] [4] [1] : tensor<6xf32> to tensor<4xf32>
  %sum = arith.addf %arg0, %slice : tensor<4xf32>
  return %sum, %padded : tensor<4xf32>, tensor<6xf32>
}
