// Partition alone: where values of two grids meet, and moves that are not possible.

// RUN: shard-opt %s --shard-partition --verify-diagnostics --split-input-file

shard.grid @line(shape = 4)
shard.grid @square(shape = 2x2)
func.func @meet(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@line, [[0]]>},
                %b: tensor<8xf32> {shard.sharding = #shard.sharding<@square, [[1]]>}) {
  // expected-error @+1 {{'arith.addf' has tensors on grid @line and on grid @square; reshard some of them in front of it, by a shard.shard with annotate_for_users}}
  %0 = arith.addf %a, %b : tensor<8xf32>
  return
}

// -----

shard.grid @line(shape = 4)
shard.grid @other(shape = 2x3)
func.func @sizes(%a: tensor<12xf32> {shard.sharding = #shard.sharding<@line, [[0]]>}) -> tensor<12xf32> {
  %s = shard.sharding @other split_axes = [[1]] : !shard.sharding
  // expected-error @+1 {{moves a value from grid @line to grid @other, but the grids have 4 and 6 devices; a value moves between grids of equal size only}}
  %0 = shard.shard %a to %s annotate_for_users : tensor<12xf32>
  return %0 : tensor<12xf32>
}

// -----

shard.grid @line(shape = ?)
shard.grid @other(shape = 2x3)
func.func @unknown(%a: tensor<12xf32> {shard.sharding = #shard.sharding<@other, [[0]]>}) -> tensor<12xf32> {
  %s = shard.sharding @line split_axes = [[0]] : !shard.sharding
  // expected-error @+1 {{moves a value from grid @other to grid @line, but the sizes of their axes are not known}}
  %0 = shard.shard %a to %s annotate_for_users : tensor<12xf32>
  return %0 : tensor<12xf32>
}

// -----

shard.grid @line(shape = 4)
shard.grid @square(shape = 2x2)
func.func @dynamic(%a: tensor<?xf32> {shard.sharding = #shard.sharding<@line, [[0]]>}) -> tensor<?xf32> {
  %s = shard.sharding @square split_axes = [[1]] : !shard.sharding
  // expected-error @+1 {{'tensor<?xf32>' has dynamic extents; make it replicated first}}
  %0 = shard.shard %a to %s annotate_for_users : tensor<?xf32>
  return %0 : tensor<?xf32>
}
