// Iterations of a parallel loop have no order, so no collective goes into one: what
// its body uses is gathered before it, with a remark, and a collective that stands
// in one is an error.

// RUN: shard-opt %s --shard-spmd --split-input-file --verify-diagnostics | FileCheck %s

shard.grid @g(shape = 2)
// CHECK-LABEL: func.func @parallel(
// CHECK: shard.all_gather
// CHECK: scf.parallel
// CHECK-NOT: shard.
// CHECK: return
func.func @parallel(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  // expected-remark @+1 {{'scf.parallel' has no sharding model: its sharded operands are gathered on every device}}
  %r = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%z) -> f32 {
    %e = math.exp %a : tensor<8xf32>
    %x = tensor.extract %e[%i] : tensor<8xf32>
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %m: f32):
      %s = arith.addf %l, %m : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// -----

// The remark is there too where propagation has put the gather in front.

shard.grid @g(shape = 2)
func.func @quantize(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8x!quant.uniform<i8:f32, 0.1>> {
  // expected-remark @+1 {{'quant.qcast' has no sharding model: its sharded operands are gathered on every device}}
  %0 = quant.qcast %a : tensor<8xf32> to tensor<8x!quant.uniform<i8:f32, 0.1>>
  return %0 : tensor<8x!quant.uniform<i8:f32, 0.1>>
}
