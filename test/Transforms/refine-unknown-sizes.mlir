// A grid with an axis of unknown size cannot be cut into finer ones. The body of a manual computation
// over that axis is no reason to crash before that is said.
// RUN: not shard-opt %s --sharding-propagation 2>&1 | FileCheck %s

// CHECK: error: 'shard.grid' op refines a grid of unknown sizes
shard.grid @g(shape = ?x4)
func.func @cut(%a: tensor<64xi64>, %b: tensor<8xi32> {shard.sharding = #shard.sharding<@g, [[1:(2)2]]>})
    -> (tensor<64xi64>, tensor<8xi32>) {
  %0 = shard.manual_computation(%a) on @g in = [<@g, [[]], replicated = [0]>] out = [<@g, [[0]]>] axes = [0] (%l: tensor<64xi64>) {
    %1 = shard.all_slice %l on @g grid_axes = [0] slice_axis = 0 : tensor<64xi64> -> tensor<?xi64>
    shard.return %1 : tensor<?xi64>
  } : (tensor<64xi64>) -> tensor<64xi64>
  return %0, %b : tensor<64xi64>, tensor<8xi32>
}
