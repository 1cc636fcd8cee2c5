// One exchange of halos serves several steps of a stencil: the ops of the steps between
// compute what the next one reads of the neighbours' blocks.

// RUN: shard-opt %s --shard-widen-halos=steps=2 --split-input-file | FileCheck %s --check-prefix=UNROLL
// RUN: shard-opt %s --shard-spmd=halo-steps=2 --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=SPMD
// RUN: shard-opt %s --shard-spmd=halo-steps=2 --shard-verify-spmd --split-input-file -o /dev/null 2>/dev/null

// The second step reads 18 elements of the result of the first, which the device has
// computed of 20.

shard.grid @g(shape = 4)
// UNROLL-LABEL: func.func @stencil(
// UNROLL: scf.for %{{.*}} = %c0 to %c10 step %c2
// UNROLL-COUNT-2: arith.addf %{{.*}}, %{{.*}} {shard.recompute} : tensor<64xf32>
// UNROLL: scf.yield
// UNROLL-NOT: arith.addf

// SPMD-LABEL: func.func @stencil(
// SPMD: scf.for
// SPMD: %[[H:.*]] = shard.update_halo %{{.*}} on @g split_axes = {{\[\[}}0]] halo_sizes = [2, 2] {{.*}}tensor<20xf32>
// SPMD-NOT: shard.update_halo
// SPMD: arith.addf %{{.*}}, %{{.*}} : tensor<18xf32>
// SPMD-NOT: shard.recompute
// SPMD: arith.addf %{{.*}}, %{{.*}} : tensor<16xf32>
// SPMD-NOT: shard.update_halo
// SPMD: scf.yield
func.func @stencil(%a: tensor<64xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%u = %a) -> tensor<64xf32> {
    %p = tensor.pad %u low[1] high[1] {
    ^bb0(%x: index):
      tensor.yield %zero : f32
    } : tensor<64xf32> to tensor<66xf32>
    %l = tensor.extract_slice %p[0] [64] [1] : tensor<66xf32> to tensor<64xf32>
    %h = tensor.extract_slice %p[2] [64] [1] : tensor<66xf32> to tensor<64xf32>
    %s = arith.addf %l, %h : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// -----

// The loop says itself how many; what is left over is a loop of its own.

shard.grid @g(shape = 2)
// UNROLL-LABEL: func.func @hint(
// UNROLL-COUNT-3: math.tanh %{{.*}} {shard.recompute}
// UNROLL: scf.yield
// UNROLL: math.tanh
// UNROLL-NOT: shard.halo_steps

// SPMD-LABEL: func.func @hint(
// SPMD: shard.update_halo {{.*}} halo_sizes = [3, 0]
// SPMD: shard.update_halo {{.*}} halo_sizes = [1, 0]
func.func @hint(%a: tensor<16xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%u = %a) -> tensor<16xf32> {
    %p = tensor.pad %u low[1] high[0] {
    ^bb0(%x: index):
      tensor.yield %zero : f32
    } : tensor<16xf32> to tensor<17xf32>
    %l = tensor.extract_slice %p[0] [16] [1] : tensor<17xf32> to tensor<16xf32>
    %t = math.tanh %l : tensor<16xf32>
    scf.yield %t : tensor<16xf32>
  } {shard.halo_steps = 3 : i64}
  return %r : tensor<16xf32>
}

// -----

// A loop without windows keeps its iterations.

shard.grid @g(shape = 2)
// UNROLL-LABEL: func.func @none(
// UNROLL-NEXT: %[[C0:.*]] = arith.constant 0
// UNROLL: scf.for
// UNROLL-NEXT: math.tanh
// UNROLL-NEXT: scf.yield
// SPMD-LABEL: func.func @none(
func.func @none(%a: tensor<16xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  // expected-remark @+1 {{"shard.halo_steps" has no effect: no op of the loop reads windows of a tensor, as a stencil does}}
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%u = %a) -> tensor<16xf32> {
    %t = math.tanh %u : tensor<16xf32>
    scf.yield %t : tensor<16xf32>
  } {shard.halo_steps = 4 : i64}
  return %r : tensor<16xf32>
}

// -----

// Marked by hand, without a loop: halos of 2 of the argument. Not where a device has no
// elements.

shard.grid @g(shape = 4)
// SPMD-LABEL: func.func @marked(
// SPMD-COUNT-1: shard.update_halo {{.*}} halo_sizes = [2, 0]
// SPMD-NOT: shard.update_halo
func.func @marked(%a: tensor<16xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<16xf32> {
  %w = tensor.empty() : tensor<2xf32>
  %e = tensor.empty() : tensor<15xf32>
  %f = tensor.empty() : tensor<14xf32>
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[2] high[0] {
  ^bb0(%x: index):
    tensor.yield %zero : f32
  } : tensor<16xf32> to tensor<18xf32>
  %l = tensor.extract_slice %p[1] [16] [1] : tensor<18xf32> to tensor<16xf32>
  %m = math.tanh %l {shard.recompute} : tensor<16xf32>
  %q = tensor.pad %m low[1] high[0] {
  ^bb0(%x: index):
    tensor.yield %zero : f32
  } : tensor<16xf32> to tensor<17xf32>
  %n = tensor.extract_slice %q[0] [16] [1] : tensor<17xf32> to tensor<16xf32>
  %o = math.exp %n : tensor<16xf32>
  return %o : tensor<16xf32>
}

// -----

shard.grid @g(shape = 4)
// SPMD-LABEL: func.func @empty_block(
// SPMD: math.tanh
// SPMD: shard.update_halo {{.*}} halo_sizes = [1, 0]
func.func @empty_block(%a: tensor<6xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-remark @+2 {{a dimension of extent 6 is split unevenly}}
  // expected-remark @+1 {{'math.tanh' is marked by shard.recompute, but a device cannot compute what it makes of the neighbours' blocks, because some device has no elements or because it is split otherwise: halos of its result are exchanged}}
  %m = math.tanh %a {shard.recompute} : tensor<6xf32>
  %q = tensor.pad %m low[1] high[0] {
  ^bb0(%x: index):
    tensor.yield %zero : f32
  } : tensor<6xf32> to tensor<7xf32>
  %n = tensor.extract_slice %q[0] [6] [1] : tensor<7xf32> to tensor<6xf32>
  %o = math.exp %n : tensor<6xf32>
  return %o : tensor<6xf32>
}
