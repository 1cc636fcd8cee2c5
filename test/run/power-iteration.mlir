// Power iteration until the norm is small or six steps are made: the rows of the matrix are split,
// the vector that the loop carries too, and each step gathers it and adds up the norm.
// RUN: shard-run %s --hint 'arg0=[[0],[]]' --verify | FileCheck %s
// CHECK: all_gather  x         6                  576 B
// CHECK: all_reduce  x         6                   36 B
// CHECK: largest error
// CHECK: PASS

shard.grid @mesh(shape = 4) axes ["x"]
func.func @main(%a: tensor<32x32xf32>, %v0: tensor<32xf32>) -> (tensor<32xf32>, f32, i32) {
  %zero = arith.constant 0.0 : f32
  %tol = arith.constant 1.0e-3 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %max = arith.constant 6 : i32
  %big = arith.constant 1.0e30 : f32
  %z_e = tensor.empty() : tensor<32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%z_e : tensor<32xf32>) -> tensor<32xf32>
  %ze = tensor.empty() : tensor<f32>
  %zs = linalg.fill ins(%zero : f32) outs(%ze : tensor<f32>) -> tensor<f32>
  %r:3 = scf.while (%v = %v0, %l = %big, %i = %i0) : (tensor<32xf32>, f32, i32) -> (tensor<32xf32>, f32, i32) {
    %c = arith.cmpi slt, %i, %max : i32
    %d = arith.cmpf ogt, %l, %tol : f32
    %b = arith.andi %c, %d : i1
    scf.condition(%b) %v, %l, %i : tensor<32xf32>, f32, i32
  } do {
  ^bb0(%v: tensor<32xf32>, %l: f32, %i: i32):
    %w = linalg.matvec ins(%a, %v : tensor<32x32xf32>, tensor<32xf32>) outs(%z : tensor<32xf32>) -> tensor<32xf32>
    %d = linalg.dot ins(%w, %w : tensor<32xf32>, tensor<32xf32>) outs(%zs : tensor<f32>) -> tensor<f32>
    %n = tensor.extract %d[] : tensor<f32>
    %nr = math.sqrt %n : f32
    %u = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%w : tensor<32xf32>) outs(%z : tensor<32xf32>) {
    ^bb0(%p: f32, %q: f32):
      %x = arith.divf %p, %nr : f32
      linalg.yield %x : f32
    } -> tensor<32xf32>
    %i2 = arith.addi %i, %i1 : i32
    scf.yield %u, %nr, %i2 : tensor<32xf32>, f32, i32
  }
  return %r#0, %r#1, %r#2 : tensor<32xf32>, f32, i32
}
