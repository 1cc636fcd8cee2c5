// One exchange does not serve any number of steps; a loop of fewer is unrolled as a whole.

// RUN: not shard-opt %s --shard-spmd=halo-steps=65 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: not shard-opt %s --shard-widen-halos=steps=0 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: shard-opt %s --shard-spmd=halo-steps=64 | FileCheck %s

// MOST: error: shard-widen-halos: one exchange of halos serves from 1 to 64 steps of a stencil, not 65
// LEAST: error: shard-widen-halos: one exchange of halos serves from 1 to 64 steps of a stencil, not 0

shard.grid @g(shape = 2)
// CHECK-LABEL: func.func @main(
// CHECK-NOT: scf.for
// CHECK: shard.update_halo {{.*}} halo_sizes = [3, 0]
// CHECK-NOT: {{scf.for|shard.update_halo}}
func.func @main(%a: tensor<16xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %a) -> tensor<16xf32> {
    %p = tensor.pad %u low[1] high[0] {
    ^bb0(%x: index):
      tensor.yield %zero : f32
    } : tensor<16xf32> to tensor<17xf32>
    %l = tensor.extract_slice %p[0] [16] [1] : tensor<17xf32> to tensor<16xf32>
    %t = arith.addf %l, %u : tensor<16xf32>
    scf.yield %t : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}
