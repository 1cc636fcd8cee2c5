// Ops that nothing lowers end with an error that names them, each at its place.
//
// RUN: shard-opt %s --shard-lower-to-llvm --split-input-file --verify-diagnostics

func.func private @f(%x: tensor<16xf32>) -> tensor<16xf32> {
  return %x : tensor<16xf32>
}
func.func @call(%x: tensor<16xf32>) -> tensor<16xf32> {
  %f = func.constant @f : (tensor<16xf32>) -> tensor<16xf32>
  // expected-error@+1 {{'func.call_indirect' works on tensors, and no lowering of it to buffers is known; lower it to ops of linalg, tensor, arith, scf or func before}}
  %y = func.call_indirect %f(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// -----

func.func @shape(%x: tensor<?x8xf32>) -> tensor<2xindex> {
  // expected-error@+1 {{'shape.shape_of' works on tensors}}
  %0 = shape.shape_of %x : tensor<?x8xf32> -> tensor<2xindex>
  return %0 : tensor<2xindex>
}

// -----

func.func @vector(%x: tensor<16x8xf32>, %i: index) -> vector<4x8xf32> {
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{'vector.transfer_read' has no lowering to LLVM here; lower it to ops of linalg, tensor, arith, scf or func before}}
  %0 = vector.transfer_read %x[%i, %i], %z : tensor<16x8xf32>, vector<4x8xf32>
  return %0 : vector<4x8xf32>
}

// -----

// expected-error@+1 {{is a module inside of another one, whose functions are not lowered; move them to the outer module}}
module @inner {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
