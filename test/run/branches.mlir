// Branches become structured before tensors become buffers: a block's argument
// that is an argument of the function on one way and a constant on the other, and
// blocks in a loop around a loop.
//
// RUN: split-file %s %t
// RUN: shard-run %t/meet.mlir --grid 2 --hint 'arg1=[[0]]' --verify | FileCheck %s
// RUN: shard-run %t/loop.mlir --grid 2 --hint 'arg0=[[0],[]]' --verify | FileCheck %s
// RUN: shard-run %t/loop.mlir --grid 2 --hint 'result0=[[],[0]]' --verify | FileCheck %s
// CHECK: {{^}}PASS

//--- meet.mlir
func.func @main(%a: tensor<i8>, %b: tensor<9xf32>, %c: i1) -> tensor<9xf32> {
  cf.cond_br %c, ^bb1, ^bb2(%a : tensor<i8>)
^bb1:
  cf.br ^bb3(%b : tensor<9xf32>)
^bb2(%0: tensor<i8>):
  %cst = arith.constant dense<[3.0, 1.0, 2.0, -1.0, -1.0, 0.0, -2.0, 1.0, 0.0]> : tensor<9xf32>
  cf.br ^bb3(%cst : tensor<9xf32>)
^bb3(%1: tensor<9xf32>):
  return %1 : tensor<9xf32>
}

//--- loop.mlir
func.func @main(%a: tensor<5x4xf32>, %b: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 3 : index
  cf.br ^head(%zero, %a : index, tensor<5x4xf32>)
^head(%n: index, %x: tensor<5x4xf32>):
  %c = arith.cmpi ult, %n, %limit : index
  cf.cond_br %c, ^body, ^exit(%x : tensor<5x4xf32>)
^body:
  %up = arith.addi %n, %one : index
  %y = arith.addf %x, %b : tensor<5x4xf32>
  %z = scf.for %i = %zero to %n step %one iter_args(%w = %y) -> (tensor<5x4xf32>) {
    %v = arith.subf %b, %w : tensor<5x4xf32>
    scf.yield %v : tensor<5x4xf32>
  }
  cf.br ^head(%up, %z : index, tensor<5x4xf32>)
^exit(%r: tensor<5x4xf32>):
  return %r : tensor<5x4xf32>
}
