// Hints that mean nothing are errors where they stand.
// RUN: shard-opt %s -split-input-file -sharding-propagation -verify-diagnostics
// RUN: shard-opt %s -split-input-file -shard-expand-op-hints -shard-partition -verify-diagnostics

shard.grid @g(shape = 4)

// expected-error @below {{'shard.sharding' on}}
func.func @buffer(%a: memref<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) {
  return
}

// -----

shard.grid @g(shape = 4)

// expected-error @below {{'shard.sharding' on}}
func.func private @declared() -> (memref<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>})

// -----

shard.grid @g(shape = 4)

func.func @made() {
  // expected-error @below {{'shard.sharding' needs an op whose result is a ranked tensor; buffers are not sharded: propagate before bufferization}}
  %0 = memref.alloc() {shard.sharding = #shard.sharding<@g, [[0]]>} : memref<8xf32>
  return
}

// -----

shard.grid @g(shape = 4)

func.func @filled(%m: memref<8xf32>, %c: f32) {
  // expected-error @below {{'shard.loops' needs an op on ranked tensors; scalars and buffers are not sharded: propagate before bufferization}}
  linalg.fill {shard.loops = #shard.sharding<@g, [[0]]>} ins(%c : f32) outs(%m : memref<8xf32>)
  return
}
