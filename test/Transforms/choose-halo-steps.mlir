// How many steps one exchange of halos serves follows from the machine: one, where calls
// are free and blocks are as small as what would be computed twice; as many as are tried,
// where they take milliseconds; some in between.

// RUN: shard-opt %s --shard-choose-halo-steps --split-input-file --verify-diagnostics | FileCheck %s
// RUN: shard-opt %s --shard-spmd=halo-steps=0 --split-input-file 2>/dev/null | FileCheck %s --check-prefix=SPMD

shard.grid @g(shape = 4) {bandwidth = array<f64: 1.0e12>, latency = array<f64: 0.0>}
// CHECK-LABEL: func.func @free(
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c1 iter_args
// SPMD-LABEL: func.func @free(
func.func @free(%a: tensor<16xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %w = tensor.empty() : tensor<1025xf32>
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%u = %a) -> tensor<16xf32> {
    %p = tensor.pad %u low[512] high[512] {
    ^bb0(%x: index):
      tensor.yield %zero : f32
    } : tensor<16xf32> to tensor<1040xf32>
    %e = tensor.empty() : tensor<16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    %s = linalg.generic {
        indexing_maps = [affine_map<(x, k) -> (x + k)>, affine_map<(x, k) -> (k)>, affine_map<(x, k) -> (x)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%p, %w : tensor<1040xf32>, tensor<1025xf32>) outs(%f : tensor<16xf32>) {
    ^bb0(%in: f32, %unused: f32, %out: f32):
      %m = arith.maximumf %in, %out : f32
      linalg.yield %m : f32
    } -> tensor<16xf32>
    scf.yield %s : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// -----

// Eight steps are better than one here, and four are best: what is computed twice grows.
shard.grid @g(shape = 4) {bandwidth = array<f64: 1.0e12>, latency = array<f64: 1.0e-8>}
// CHECK-LABEL: func.func @between(
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c4 iter_args
func.func @between(%a: tensor<4096xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %w = tensor.empty() : tensor<129xf32>
  // expected-remark @+1 {{one exchange of halos serves 4 steps of a stencil: 0.002 ms predicted instead of 0.003 ms}}
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%u = %a) -> tensor<4096xf32> {
    %p = tensor.pad %u low[64] high[64] {
    ^bb0(%x: index):
      tensor.yield %zero : f32
    } : tensor<4096xf32> to tensor<4224xf32>
    %e = tensor.empty() : tensor<4096xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
    %s = linalg.generic {
        indexing_maps = [affine_map<(x, k) -> (x + k)>, affine_map<(x, k) -> (k)>, affine_map<(x, k) -> (x)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%p, %w : tensor<4224xf32>, tensor<129xf32>) outs(%f : tensor<4096xf32>) {
    ^bb0(%in: f32, %unused: f32, %out: f32):
      %m = arith.maximumf %in, %out : f32
      linalg.yield %m : f32
    } -> tensor<4096xf32>
    scf.yield %s : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}

// -----

shard.grid @g(shape = 4) {bandwidth = array<f64: 1.0e9>, latency = array<f64: 1.0e-3>}
// CHECK-LABEL: func.func @dear(
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c8 iter_args
// SPMD-LABEL: func.func @dear(
// SPMD: shard.update_halo {{.*}} halo_sizes = [8, 0]
func.func @dear(%a: tensor<4096xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{one exchange of halos serves 8 steps of a stencil:}}
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%u = %a) -> tensor<4096xf32> {
    %p = tensor.pad %u low[1] high[0] {
    ^bb0(%x: index):
      tensor.yield %zero : f32
    } : tensor<4096xf32> to tensor<4097xf32>
    %l = tensor.extract_slice %p[0] [4096] [1] : tensor<4097xf32> to tensor<4096xf32>
    %t = arith.addf %l, %u : tensor<4096xf32>
    scf.yield %t : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}
