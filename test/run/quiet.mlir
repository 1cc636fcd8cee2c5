// LLVM's remarks about loops that it does not vectorise are not for users.
//
// RUN: shard-run %s --grid 2x3 --hint 'arg0=[[0],[1]]' --verify 2>&1 | FileCheck %s
// CHECK-NOT: vectorized
// CHECK: PASS

func.func @main(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x6xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
  return %sum : tensor<4xf32>
}
