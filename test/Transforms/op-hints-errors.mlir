// RUN: shard-opt %s --sharding-propagation --split-input-file --verify-diagnostics

shard.grid @grid(shape = 2)
func.func @count(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'shard.loops' has 2 entries, but the op has 1 loops (--shard-print-loops shows them)}}
  %0 = math.exp %a {shard.loops = #shard.sharding<@grid, [[0], []]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @window(%a: tensor<1x8x1xf32>, %b: tensor<3x1x1xf32>, %c: tensor<1x6x1xf32>) -> tensor<1x6x1xf32> {
  // expected-error @+1 {{'shard.loops' splits loop 3, which cannot be split}}
  %0 = linalg.conv_1d_nwc_wcf {shard.loops = #shard.sharding<@grid, [[], [], [], [0], []]>}
      ins(%a, %b : tensor<1x8x1xf32>, tensor<3x1x1xf32>) outs(%c : tensor<1x6x1xf32>) -> tensor<1x6x1xf32>
  return %0 : tensor<1x6x1xf32>
}

// -----

// Calls are followed; they have no loops.
shard.grid @grid(shape = 2)
func.func private @callee(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func @call(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'shard.loops' on 'func.call', which has no sharding model and so no loops; write hints for its operands and results}}
  %0 = call @callee(%a) {shard.loops = #shard.sharding<@grid, [[0]]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @group_of_shapes(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %b: tensor<4xf32>) {
  shard.group %a id = 1 : tensor<8xf32>
  // expected-error @+1 {{group 1 joins values of different shapes}}
  shard.group %b id = 1 : tensor<4xf32>
  return
}

// -----

shard.grid @grid(shape = 2)
func.func @group_across(%x : tensor<4xf32>, %y : tensor<2xf32>) -> tensor<4xf32> {
  shard.group %y id = 1 : tensor<2xf32>
  %m = shard.manual_computation(%x) on @grid in = [<@grid, [[0]]>] out = [<@grid, [[0]]>] axes = [0] (%a : tensor<2xf32>) {
    // expected-error @+1 {{group 1 joins values across the border of a manual_computation}}
    shard.group %a id = 1 : tensor<2xf32>
    shard.return %a : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %m : tensor<4xf32>
}
