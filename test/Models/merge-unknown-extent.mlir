// An unknown extent is the most major digit of a dimension that is merged of it and of known
// ones: what splits it splits the merged dimension, and nothing is sent.
//
// RUN: shard-opt %s --shard-print-loops 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: %python %S/Inputs/npy.py %t6.npy 6 4
// RUN: shard-run %s --entry=merge --grid=2 --verify --input=%t6.npy --hint='arg0=[[0],[]]' | FileCheck %s --check-prefix=NOTHING
// RUN: shard-run %s --entry=merge --grid=3 --verify --input=%t6.npy --hint='result0=[[0]]' | FileCheck %s --check-prefix=NOTHING
// RUN: shard-run %s --entry=part --grid=3 --verify --input=%t6.npy --hint='arg0=[[0],[]]' | FileCheck %s --check-prefix=NOTHING
// RUN: shard-run %s --entry=part --grid=3 --verify --input=%t6.npy --hint='result0=[[0],[],[]]' | FileCheck %s --check-prefix=NOTHING
// NOTHING: no collectives
// NOTHING: {{^}}PASS
//
// Five rows are not two equal parts, and blocks that differ may end in between.
// RUN: %python %S/Inputs/npy.py %t5.npy 5 4
// RUN: not shard-run %s --entry=merge --grid=2 --verify --input=%t5.npy --hint='arg0=[[],[]]' --hint='result0=[[0]]' 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: {{.*}}extent 5 is cut over a group of 2 devices, which does not divide it; state uneven_dynamic on the grid (--uneven-dynamic)
// RUN: shard-run %s --entry=merge --grid=2 --uneven-dynamic --verify --input=%t5.npy --hint='arg0=[[0],[]]' | FileCheck %s --check-prefix=RAGGED
// RAGGED: all_gather
// RAGGED: {{^}}PASS

// LOOPS: tensor.collapse_shape
// LOOPS-NEXT: loops: parallel(4) parallel(?)
// LOOPS-NEXT: operand 0: (d0, d1) -> (d1, d0)
// LOOPS-NEXT: result 0: (d0, d1) -> (d1 * 4 + d0)
func.func @merge(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %1 = math.exp %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// LOOPS: tensor.expand_shape
// LOOPS-NEXT: loops: parallel(2) parallel(?) parallel(4)
// LOOPS-NEXT: operand 0: (d0, d1, d2) -> (d1 * 2 + d0, d2)
// LOOPS-NEXT: operand 1: no tensor
// LOOPS-NEXT: result 0: (d0, d1, d2) -> (d1, d0, d2)
func.func @part(%x: tensor<?x4xf32>) -> tensor<?x2x4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %h = arith.divui %n, %c2 : index
  %0 = tensor.expand_shape %x [[0, 1], [2]] output_shape [%h, 2, 4] : tensor<?x4xf32> into tensor<?x2x4xf32>
  %1 = math.exp %0 : tensor<?x2x4xf32>
  return %1 : tensor<?x2x4xf32>
}

// Neither digit has a stride that is known.
// LOOPS: tensor.collapse_shape
// LOOPS-NEXT: loops:{{$}}
func.func @both(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}
