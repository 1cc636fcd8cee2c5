// A comparison of a tensor of unknown extents with itself, transposed by nothing: MLIR folds it to a
// constant that does not say how large it is.
// RUN: shard-run %s --shape 0=4x6 --hint 'arg0=[[0],[]]' --grid 2 --verify | FileCheck %s
// RUN: shard-run %s --shape 0=4x6 | FileCheck %s --check-prefix=ALONE
// CHECK: {{^}}PASS
// ALONE: {{^}}done
func.func @main(%a: tensor<4x?xi32>) -> tensor<4x?xi1> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c1 : tensor<4x?xi32>
  %e = tensor.empty(%n) : tensor<4x?xi32>
  %t = linalg.transpose ins(%a : tensor<4x?xi32>) outs(%e : tensor<4x?xi32>) permutation = [0, 1]
  %0 = arith.cmpi ne, %t, %a : tensor<4x?xi32>
  return %0 : tensor<4x?xi1>
}

// The same among ops of tosa, whose lowerings fold ops that are their operand.
// RUN: shard-run %s --entry ops_of_tosa --shape 0=4x6 --shape 1=4x6 --hint 'arg0=[[0],[]]' --grid 2 --verify | FileCheck %s
func.func @ops_of_tosa(%a: tensor<4x?xi32>, %b: tensor<4x?xi32>)
    -> (tensor<4x?xi1>, tensor<4x?xi32>, tensor<4x?xi1>, tensor<4x?xi1>, tensor<4x?xi32>) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c1 : tensor<4x?xi32>
  %e = tensor.empty(%n) : tensor<4x?xi32>
  %t = linalg.transpose ins(%a : tensor<4x?xi32>) outs(%e : tensor<4x?xi32>) permutation = [0, 1]
  %0 = arith.cmpi ne, %t, %a : tensor<4x?xi32>
  %1 = tosa.maximum %a, %b : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
  %2 = tosa.identity %a : (tensor<4x?xi32>) -> tensor<4x?xi32>
  %3 = arith.cmpi eq, %2, %a : tensor<4x?xi32>
  %4 = tosa.transpose %a {perms = array<i32: 0, 1>} : (tensor<4x?xi32>) -> tensor<4x?xi32>
  %5 = arith.cmpi sle, %4, %a : tensor<4x?xi32>
  %6 = tosa.cast %a : (tensor<4x?xi32>) -> tensor<4x?xi32>
  %7 = arith.subi %6, %a : tensor<4x?xi32>
  return %0, %1, %3, %5, %7
      : tensor<4x?xi1>, tensor<4x?xi32>, tensor<4x?xi1>, tensor<4x?xi1>, tensor<4x?xi32>
}
