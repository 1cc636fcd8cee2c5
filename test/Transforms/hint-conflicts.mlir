// Hints that cannot both hold for one value are an error that names both places.

// RUN: shard-opt %s --sharding-propagation --split-input-file --verify-diagnostics -o /dev/null

shard.grid @grid(shape = 2x2)
func.func @group(
    // expected-note @+1 {{is here}}
    %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    // expected-error @+1 {{sharding #shard.sharding<@grid, [[1]]> contradicts another one of a value that a group, loop, branch or call ties to this one, in dimension 0; }}
    %b: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[1]]>}) {
  shard.group %a, %b id = 0 : tensor<8xf32>, tensor<8xf32>
  return
}

// -----

shard.grid @grid(shape = 2x2)
// expected-note @+1 {{is here}}
func.func @constraint(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  // expected-error @+1 {{sharding #shard.sharding<@grid, [[1]]> contradicts another one of the same value in dimension 0}}
  shard.constraint %a to <@grid, [[1]]> : tensor<8xf32>
  return
}

// -----

// A result and what is returned may differ: the return reshards.

shard.grid @grid(shape = 2x2)
func.func @result(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[1]]>}) {
  return %a : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2x2)
func.func @partial(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[]] partial = sum [0] : !shard.sharding
  %t = shard.sharding @grid split_axes = [[]] partial = max [0] : !shard.sharding
  %0 = arith.addf %a, %b : tensor<8xf32>
  // expected-note @+1 {{is here}}
  %1 = shard.shard %0 to %s : tensor<8xf32>
  // expected-error @+1 {{contradicts another one of the same value in its partial axes}}
  %2 = shard.shard %0 to %t : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// Two layouts of one value; and one where another hint asks for the usual blocks.

shard.grid @grid(shape = 2)
func.func @layouts(
    // expected-note @+1 {{is here}}
    %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]], offsets = [0, 3, 8]>},
    // expected-error @+1 {{contradicts another one of a value that a group, loop, branch or call ties to this one, in its halos or offsets}}
    %b: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]], offsets = [0, 5, 8]>}) {
  shard.group %a, %b id = 0 : tensor<8xf32>, tensor<8xf32>
  return
}

// -----

shard.grid @grid(shape = 2)
// expected-note @+1 {{is here}}
func.func @usual_blocks(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  // expected-error @+1 {{contradicts another one of the same value in its halos or offsets}}
  shard.constraint %a to <@grid, [[0]], halo = [1, 1]> : tensor<8xf32>
  return
}

// -----

// A hint that is open says nothing about blocks.

shard.grid @grid(shape = 2)
func.func @open(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[?]]>}) {
  shard.constraint %a to <@grid, [[0]], halo = [1, 1]> : tensor<8xf32>
  return
}

// -----

// A manual computation makes plain blocks, also if its out sharding is open.
shard.grid @grid(shape = 2)
func.func @manual(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-note @+1 {{the other one, #shard.sharding<@grid, [[0, ?]]>, is here}}
  %0 = shard.manual_computation(%a) on @grid in = [<@grid, [[0]]>] out = [<@grid, [[0, ?]]>] axes = [0] (%x: tensor<4xf32>) {
    shard.return %x : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %s = shard.sharding @grid split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
  // expected-error @+1 {{contradicts another one of a value that a group, loop, branch or call ties to this one, in its halos or offsets; where only some users want it, annotate it for users}}
  %1 = shard.shard %b to %s : tensor<8xf32>
  shard.group %0, %1 id = 0 : tensor<8xf32>, tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
