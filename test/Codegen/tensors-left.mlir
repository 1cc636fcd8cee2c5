// Passes of buffers by themselves, on a program that has tensors.
//
// RUN: shard-opt %s --shard-lower-linalg --split-input-file --verify-diagnostics

func.func @forall(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{operates on tensors after bufferization}}
  %0 = scf.forall (%i) in (2) shared_outs(%x = %a) -> (tensor<2xf32>) {
  }
  return %0 : tensor<2xf32>
}

// -----

func.func @exp(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{operates on tensors after bufferization}}
  %0 = linalg.exp ins(%a : tensor<2xf32>) outs(%a : tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
