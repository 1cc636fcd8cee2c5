// A result without a hint keeps the layout that its op computes, if no use and no hint
// asks for another one and the reshard would cost more.

// RUN: shard-opt %s --sharding-propagation --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-spmd --split-input-file | FileCheck %s --check-prefix=SPMD
// RUN: shard-opt %s --sharding-propagation --split-input-file -o %t.once
// RUN: shard-opt %t.once --sharding-propagation --split-input-file | diff %t.once -

// Rows of x and columns of w are split by y. The op computes columns, because w is the
// larger operand of the two; so the function gives columns.

shard.grid @g(shape = 4x2) axes ["x", "y"]
// CHECK-LABEL: func.func @leaf(
// CHECK-SAME: -> (tensor<64x128xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}], [1]]>})
// SPMD-LABEL: func.func @leaf(
// SPMD: shard.all_gather
// SPMD: linalg.matmul
// SPMD-NEXT: %[[R:.*]] = shard.all_reduce {{.*}} grid_axes = [0] : tensor<64x64xf32>
// SPMD-NEXT: return %[[R]] : tensor<64x64xf32>
func.func @leaf(%x: tensor<64x512xf32> {shard.sharding = #shard.sharding<@g, [["y"], ["x"]]>},
                %w: tensor<512x128xf32> {shard.sharding = #shard.sharding<@g, [["x"], ["y"]]>})
    -> tensor<64x128xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x512xf32>, tensor<512x128xf32>)
                     outs(%zero : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// The same through a private function: its result and that of the call follow.

shard.grid @g(shape = 4x2) axes ["x", "y"]
// CHECK-LABEL: func.func @caller(
// CHECK-SAME: -> (tensor<64x128xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}], [1]]>})
func.func @caller(%x: tensor<64x512xf32>, %w: tensor<512x128xf32>) -> tensor<64x128xf32> {
  %0 = func.call @product(%x, %w) : (tensor<64x512xf32>, tensor<512x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}
// CHECK-LABEL: func.func private @product(
// CHECK-SAME: -> (tensor<64x128xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}], [1]]>})
func.func private @product(
    %x: tensor<64x512xf32> {shard.sharding = #shard.sharding<@g, [["y"], ["x"]]>},
    %w: tensor<512x128xf32> {shard.sharding = #shard.sharding<@g, [["x"], ["y"]]>})
    -> tensor<64x128xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x512xf32>, tensor<512x128xf32>)
                     outs(%zero : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// A hint of the result is obeyed, and a user that wants rows gets rows.

shard.grid @g(shape = 4x2) axes ["x", "y"]
// CHECK-LABEL: func.func @hinted(
// CHECK-SAME: -> (tensor<64x128xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}1], []]>})
func.func @hinted(%x: tensor<64x512xf32> {shard.sharding = #shard.sharding<@g, [["y"], ["x"]]>},
                  %w: tensor<512x128xf32> {shard.sharding = #shard.sharding<@g, [["x"], ["y"]]>})
    -> (tensor<64x128xf32> {shard.sharding = #shard.sharding<@g, [["y"], []]>}) {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x512xf32>, tensor<512x128xf32>)
                     outs(%zero : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}
// CHECK-LABEL: func.func @used(
// CHECK-SAME: -> (tensor<64x128xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}1], []]>})
func.func @used(%x: tensor<64x512xf32> {shard.sharding = #shard.sharding<@g, [["y"], ["x"]]>},
                %w: tensor<512x128xf32> {shard.sharding = #shard.sharding<@g, [["x"], ["y"]]>},
                %b: tensor<64x128xf32> {shard.sharding = #shard.sharding<@g, [["y"], []]>})
    -> tensor<64x128xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x512xf32>, tensor<512x128xf32>)
                     outs(%zero : tensor<64x128xf32>) -> tensor<64x128xf32>
  %1 = arith.addf %0, %b : tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
