// RUN: shard-opt %s --convert-shard-to-runtime --split-input-file --verify-diagnostics

shard.grid @g(shape = 2x4)
func.func @on_tensors(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'shard.all_reduce' op is on 'tensor<8xf32>'; only ranked memrefs can be lowered: run one-shot-bufferize before convert-shard-to-runtime}}
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2x4)
func.func @on_tensors(%a: tensor<8xf32>) -> tensor<16xf32> {
  // expected-error@+1 {{'shard.all_gather' op is on tensors: run one-shot-bufferize before convert-shard-to-runtime}}
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<8xf32> -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

shard.grid @g(shape = 2x4)
func.func @not_partitioned(%a: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error@+1 {{'shard.shard' op is left: the program is not partitioned; run shard-spmd, or sharding-propagation and shard-partition, first}}
  %0 = shard.shard %a to %s : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2x4)
func.func @generic(%a: memref<8xf32>) -> memref<8xf32> {
  // expected-error@+1 {{has the reduction generic, but no combiner says what it is; give one, or use one of the named kinds}}
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = generic : memref<8xf32> -> memref<8xf32>
  return %0 : memref<8xf32>
}

// -----

shard.grid @g(shape = 2x4)
func.func @combiner(%a: memref<8xf32>) -> memref<8xf32> {
  // expected-error@+1 {{has a combiner, which the runtime cannot call; run shard-expand-combiners first}}
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = generic combiner {
  ^bb0(%x: f32, %y: f32):
    %c = arith.maximumf %x, %y : f32
    shard.return %c : f32
  } : memref<8xf32> -> memref<8xf32>
  return %0 : memref<8xf32>
}

// -----

shard.grid @g(shape = 2x4)
func.func @average_of_bits(%a: memref<8xi1>) -> memref<8xi1> {
  // expected-error@+1 {{has the reduction average, which has no meaning on i1}}
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = average : memref<8xi1> -> memref<8xi1>
  return %0 : memref<8xi1>
}

// -----

shard.grid @g(shape = 2x4)
func.func @type(%a: memref<8xi24>) -> memref<8xi24> {
  // expected-error@+1 {{has elements of type 'i24'; the runtime combines f16, bf16, f32, f64, index and signless integers of 1, 8, 16, 32 or 64 bits}}
  %0 = shard.all_reduce %a on @g grid_axes = [0] : memref<8xi24> -> memref<8xi24>
  return %0 : memref<8xi24>
}

// -----

shard.grid @g(shape = 2x4)
func.func @conversion(%a: memref<8xf32>) -> memref<8xi32> {
  // expected-error@+1 {{converts elements of type 'f32' to 'i32' before it combines them; only floats, and signed integers to wider ones or to floats, are converted}}
  %0 = shard.all_reduce %a on @g grid_axes = [0] : memref<8xf32> -> memref<8xi32>
  return %0 : memref<8xi32>
}

// -----

shard.grid @g(shape = 2x4)
func.func @layout(%a: memref<8xf32>) -> memref<8xf32, strided<[2]>> {
  // expected-error@+1 {{has a result of type 'memref<8xf32, strided<[2]>>'; fresh memory has the identity layout}}
  %0 = shard.all_reduce %a on @g grid_axes = [0] : memref<8xf32> -> memref<8xf32, strided<[2]>>
  return %0 : memref<8xf32, strided<[2]>>
}
