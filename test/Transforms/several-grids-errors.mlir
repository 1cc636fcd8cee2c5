// Where values of two grids meet without an annotation that moves one over.

// RUN: shard-opt %s --sharding-propagation --verify-diagnostics --split-input-file

shard.grid @line(shape = 4)
shard.grid @square(shape = 2x2)
func.func @meet(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @line split_axes = [[0]] : !shard.sharding
  %t = shard.sharding @square split_axes = [[1]] : !shard.sharding
  // expected-note @+1 {{grid @line comes from here}}
  %as = shard.shard %a to %s : tensor<8xf32>
  // expected-note @+1 {{grid @square comes from here}}
  %bs = shard.shard %b to %t : tensor<8xf32>
  %0 = math.exp %as : tensor<8xf32>
  // expected-error @+1 {{'arith.addf' ties values on grid @line to values on grid @square; reshard one of them to the other grid in front of its use, by a shard.shard with annotate_for_users}}
  %1 = arith.addf %0, %bs : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shard.grid @line(shape = 4)
shard.grid @square(shape = 2x2)
// An annotation without users is for the value itself.
func.func @one_value(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note @+1 {{grid @line comes from here}}
  %0 = shard.constraint %a to <@line, [[0]]> : tensor<8xf32>
  // expected-error @+1 {{puts a value on grid @square that is on grid @line; reshard}}
  %1 = shard.constraint %a to <@square, [[1]]> : tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

shard.grid @line(shape = 4)
shard.grid @square(shape = 2x2)
// expected-note @+2 {{grid @square comes from here}}
// expected-note @+1 {{grid @line comes from here}}
func.func @returned(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@line, [[0]]>})
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@square, [[1]]>}) {
  // expected-error @+1 {{'func.return' ties values on grid}}
  return %a : tensor<8xf32>
}

// -----

shard.grid @line(shape = 4)
shard.grid @square(shape = 2x2)
// expected-note @+1 {{grid @square comes from here}}
func.func private @ext(tensor<8xf32> {shard.sharding = #shard.sharding<@square, [[1]]>})
// expected-note @+1 {{grid @line comes from here}}
func.func @called(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@line, [[0]]>}) {
  // expected-error @+1 {{'func.call' ties values on grid}}
  call @ext(%a) : (tensor<8xf32>) -> ()
  return
}
