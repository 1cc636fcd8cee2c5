// RUN: shard-opt %s --pass-pipeline='builtin.module(shard-bufferize)' --verify-diagnostics

// -2^63 stands for an unknown width in attributes, so a constant of this value is refused.
func.func @pad(%x: tensor<16xf32>) -> tensor<?xf32> {
  %least = arith.constant -9223372036854775808 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'tensor.pad' op cuts off 2^63 elements, and a tensor has fewer}}
  %0 = tensor.pad %x low[%least] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<16xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
