// Padding whose widths only a run knows becomes a slice, as negative widths cut elements off, and a
// padding. The remark about the gather names the op of the program, and says why.

// RUN: %python -c "import numpy as n; n.save('%t.npy', n.arange(12, dtype='f4'))"
// RUN: shard-run %s --grid 2 --hint 'arg0=[[0]]' --input %t.npy --verify 2>&1 | FileCheck %s
// CHECK: [[# @LINE + 11]]:8: remark: 'tensor.pad' cannot be split along dimension 0 of operand 0, which is gathered over axis 0 (
// CHECK-SAME: ): padding whose widths only a run knows may cut elements off. Pad by constants, or split another dimension
// CHECK-NOT: extract_slice
// CHECK: all_gather {{.*}}pad-of-run-time-widths.mlir:[[# @LINE + 8]]:8
// CHECK: {{^}}PASS

func.func @main(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c7 = arith.constant 7 : index
  %m = arith.andi %n, %c7 : index
  %z = arith.constant 0.5 : f32
  // The op of the program.
  %p = tensor.pad %x low[%m] high[%m] {
  ^bb0(%a: index):
    tensor.yield %z : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}
