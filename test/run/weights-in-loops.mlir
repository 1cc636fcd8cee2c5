// Eight products with one weight whose rows are split, in a loop: the weight is gathered once in
// front of the loop, instead of a sum of each product. An operand that a loop does not change is
// priced as often as it is made. So it is where an op of the loop computes it from such an
// operand, and where an option that splits the sum by one axis alone would cost less than the
// gather in one iteration.
//
// RUN: shard-run %s --verify --grid 4 --hint 'arg1=[[0],[]]' | FileCheck %s
// RUN: shard-run %s --entry computed --verify --grid 4x2 --hint 'arg0=[[0,1],[]]' \
// RUN:   --hint 'arg1=[[0,1],[]]' | FileCheck %s --check-prefix=TWO
// CHECK: all_gather 0 1 192 B
// CHECK-NOT: reduce_scatter
// CHECK-NOT: all_reduce
// CHECK: PASS
// TWO: all_gather 0, 1 1 224 B
// TWO-NOT: {{^ *(all_|reduce_|permute|redistribute)}}
// TWO: PASS

func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%h = %x) -> (tensor<8x8xf32>) {
    %e = tensor.empty() : tensor<8x8xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    %y = linalg.matmul ins(%h, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
    %t = math.tanh %y : tensor<8x8xf32>
    scf.yield %t : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

func.func @computed(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %x) -> (tensor<8x8xf32>) {
    %e = tensor.empty() : tensor<8x8xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    %v = arith.mulf %w, %w : tensor<8x8xf32>
    %y = linalg.matmul ins(%h, %v : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
    %t = math.tanh %y : tensor<8x8xf32>
    scf.yield %t : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
