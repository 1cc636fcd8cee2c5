// RUN: shard-opt %s --split-input-file --verify-diagnostics

// recompute_c1
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{"shard.recompute" expects no value}}
  %0 = math.exp %a {shard.recompute = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// halo_steps_c1
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{"shard.halo_steps" is for loops only}}
  %0 = math.exp %a {shard.halo_steps = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// halo_steps_c2
func.func @f(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // expected-error @+1 {{"shard.halo_steps" expects a number of iterations, an i64 from 1 to 64}}
  %r = scf.for %i = %n to %n step %n iter_args(%u = %a) -> tensor<4xf32> {
    scf.yield %u : tensor<4xf32>
  } {shard.halo_steps = 0 : i64}
  return %r : tensor<4xf32>
}
