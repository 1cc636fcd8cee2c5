// RUN: shard-opt %s --shard-partition --split-input-file --verify-diagnostics --allow-unregistered-dialect

shard.grid @grid(shape = 2)
// expected-error @+1 {{function 'twice' is partitioned already (argument #0 has 'shard.local')}}
func.func @twice(%a: tensor<4xf32> {shard.local = #shard.local<tensor<8xf32>, <@grid, [[0]]>>}) {
  return
}

// -----

shard.grid @grid(shape = 2)
func.func @contradiction(%a: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %t = shard.sharding @grid split_axes = [[]] : !shard.sharding
  // expected-note @+1 {{the value}}
  %0 = math.exp %a : tensor<8xf32>
  %1 = shard.shard %0 to %s : tensor<8xf32>
  // expected-error @+1 {{a value with sharding [[0]] cannot have sharding [[]] too; mark one of them annotate_for_users}}
  %2 = shard.shard %0 to %t : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = ?)
func.func @dynamic(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %s = shard.sharding @grid split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  // expected-error @+1 {{halos and offsets need the sizes of all axes of the grid; give them in its shape}}
  %0 = shard.shard %x to %s annotate_for_users : tensor<8xf32>
  return
}

// -----

shard.grid @grid(shape = 4)
// expected-error @+1 {{has sub-axes, which propagation resolves; run sharding-propagation before shard-partition}}
func.func @sub_axes(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0:(1)2]]>}) {
  return
}

// -----

shard.grid @grid(shape = 2)
func.func @unknown(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> f32 {
  // expected-remark @+1 {{'demo.norm' has no sharding model: its sharded operands are gathered on every device}}
  %r = "demo.norm"(%a) : (tensor<8xf32>) -> f32
  return %r : f32
}

// -----

// Hints are wishes that propagation weighs: without it they would be lost.

shard.grid @grid(shape = 2)
func.func @constraint(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'shard.constraint' is a hint, which propagation reads; run sharding-propagation before shard-partition}}
  %0 = shard.constraint %a to <@grid, [[0]]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @sharding_of_op(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  // expected-error @+1 {{'shard.sharding' on an op is a hint, which propagation reads; run sharding-propagation before shard-partition}}
  %0 = math.exp %a {shard.sharding = #shard.sharding<@grid, [[]]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @loops_of_op(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  // expected-error @+1 {{'shard.loops' on an op is a hint, which propagation reads; run sharding-propagation before shard-partition}}
  %0 = math.exp %a {shard.loops = #shard.sharding<@grid, [[]]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @group(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  // expected-error @+1 {{'shard.group' is a hint, which propagation reads; run sharding-propagation before shard-partition}}
  shard.group %a id = 3 : tensor<8xf32>
  return %a : tensor<8xf32>
}
