// One remark per op whose model keeps a split dimension whole, where no other one can be split
// evenly.

// RUN: shard-opt %s --sharding-propagation --split-input-file --verify-diagnostics -o /dev/null

shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @argmax(%a: tensor<6x8xf32> {shard.sharding = #shard.sharding<@grid, [["x"], ["y"]]>}) -> tensor<6xi32> {
  // expected-remark-re @+1 {{'tosa.argmax' cannot be split along dimension 1 of operand 0, which is gathered over axis y (the hint #shard.sharding<@grid, {{.*}}> at {{.*}}gather-remarks.mlir:7:19)}}
  %0 = tosa.argmax %a {axis = 1 : i32} : (tensor<6x8xf32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}

// -----

shard.grid @grid(shape = 2) axes ["x"]
func.func @through(%a: tensor<7x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}) -> tensor<7xi32> {
  %0 = math.exp %a : tensor<7x8xf32>
  // expected-remark-re @+1 {{'tosa.argmax' cannot be split along dimension 1 of operand 0, which is gathered over axis x (the hint #shard.sharding<@grid, {{.*}}> at {{.*}}gather-remarks.mlir:16:20)}}
  %1 = tosa.argmax %0 {axis = 1 : i32} : (tensor<7x8xf32>) -> tensor<7xi32>
  return %1 : tensor<7xi32>
}

// -----

// A reshard that the program states, and dimensions that can be split, are no news.

shard.grid @grid(shape = 2) axes ["x"]
func.func @stated(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>},
                  %b: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>}) -> tensor<8xi32> {
  %w = shard.sharding @grid split_axes = [[], []] : !shard.sharding
  %0 = shard.shard %a to %w annotate_for_users : tensor<8x8xf32>
  %1 = tosa.argmax %0 {axis = 1 : i32} : (tensor<8x8xf32>) -> tensor<8xi32>
  %2 = arith.addf %a, %b : tensor<8x8xf32>
  return %1 : tensor<8xi32>
}

// -----

// A body has whole tensors from outside: one remark per op, whatever it does with them.

shard.grid @grid(shape = 2) axes ["x"]
func.func @captured(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}, %b: tensor<8xindex>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark-re @+1 {{'linalg.generic' takes a tensor from outside whole into its body, for 'tensor.extract': dimension 1 is gathered over axis x (the hint #shard.sharding<@grid, {{.*}}> at {{.*}}gather-remarks.mlir:42:21)}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%b : tensor<8xindex>) outs(%e : tensor<8xf32>) {
  ^bb0(%j: index, %out: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %a[%i, %j] : tensor<8x8xf32>
    %y = tensor.extract %a[%j, %i] : tensor<8x8xf32>
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
