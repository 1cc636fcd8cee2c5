// On one function alone partition sees no caller: a private function would get
// another signature than its calls have, unless nothing in it is sharded.

// RUN: shard-opt %s --pass-pipeline='builtin.module(func.func(shard-partition))' --split-input-file --verify-diagnostics

shard.grid @grid(shape = 2)
// expected-error @+1 {{a private function cannot be partitioned apart from its calls; run the pass on the module}}
func.func private @sharded(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func private @outside(tensor<8xf32>)
func.func private @unsharded(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func @public(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  return %a : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @called(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  return
}
func.func @caller(%a: tensor<8xf32>) {
  // expected-error @+1 {{a function that calls another one cannot be partitioned alone; run the pass on the module}}
  call @called(%a) : (tensor<8xf32>) -> ()
  return
}
