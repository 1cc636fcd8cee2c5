// RUN: shard-opt %s --shard-partition --split-input-file --verify-diagnostics

// Partition fails behind ops that it has built already. The old body, whose regions
// use values of the new one by then, goes away whole, and so does the new one.

shard.grid @grid(shape = 2)
func.func @captured(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
                    %c: tensor<8xf32>) -> tensor<8xf32> {
  %b = math.exp %a : tensor<8xf32>
  %0 = "linalg.map"(%a, %c) ({
  ^bb0(%x: f32, %y: f32):
    %unused = math.exp %b : tensor<8xf32>
    linalg.yield %x : f32
  }) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // expected-error @+1 {{'shard.all_reduce' in a program that is not partitioned yet; write it inside a shard.manual_computation}}
  %1 = shard.all_reduce %0 on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2) axes ["x"]
func.func @body_of_its_own_kind(%a: tensor<2x2xf32>, %c: tensor<2x2xf32>) ->
    (tensor<5x2x2xf32> {shard.sharding = #shard.sharding<@grid, [[], [], ["x"]]>}) {
  %empty = tensor.empty() : tensor<5x2x2xf32>
  %0 = "linalg.broadcast"(%a, %empty) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: f32, %y: f32):
    %unused = linalg.exp ins(%a : tensor<2x2xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
    linalg.yield %x : f32
  }) : (tensor<2x2xf32>, tensor<5x2x2xf32>) -> tensor<5x2x2xf32>
  // expected-error @+1 {{'shard.all_slice' in a program that is not partitioned yet}}
  %1 = shard.all_slice %0 on @grid grid_axes = [0] slice_axis = 1 : tensor<5x2x2xf32> -> tensor<5x1x2xf32>
  return %0 : tensor<5x2x2xf32>
}
