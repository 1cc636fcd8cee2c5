// Reductions that return one of their arguments: the last element, and what came in. The returned
// argument was null when the loop was lowered.
// RUN: shard-opt %s --shard-lower-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: shard-run %s --grid 2 --verify | FileCheck %s
// LLVM: llvm.func @main(
// LLVM-NOT: scf.
// LLVM: llvm.return
// CHECK: PASS

func.func @main(%a: tensor<8xf32>, %z: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%z, %z) -> (f32, f32) {
    %v = tensor.extract %a[%i] : tensor<8xf32>
    scf.reduce(%v, %v : f32, f32) {
    ^bb0(%x: f32, %y: f32):
      scf.reduce.return %y : f32
    }, {
    ^bb0(%x: f32, %y: f32):
      scf.reduce.return %x : f32
    }
  }
  return %r#0, %r#1 : f32, f32
}
