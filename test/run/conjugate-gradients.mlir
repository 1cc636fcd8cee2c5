// Conjugate gradients for a matrix of three diagonals: a step exchanges one element with each
// neighbour, and adds up two numbers.
// RUN: shard-run %s --hint 'arg0=[[0]]' --verify | FileCheck %s
// CHECK: all_reduce   x         1                   12 B
// CHECK: update_halo  x         4                   64 B
// CHECK: all_reduce   x         4                   48 B
// CHECK: all_reduce   x         4                   48 B
// CHECK: largest error
// CHECK: PASS

shard.grid @mesh(shape = 4) axes ["x"]
func.func @main(%b: tensor<64xf64>) -> (tensor<64xf64>, f64) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %st = arith.constant dense<[-1.0, 2.5, -1.0]> : tensor<3xf64>
  %ze = tensor.empty() : tensor<64xf64>
  %z = linalg.fill ins(%zero : f64) outs(%ze : tensor<64xf64>) -> tensor<64xf64>
  %se = tensor.empty() : tensor<f64>
  %sz = linalg.fill ins(%zero : f64) outs(%se : tensor<f64>) -> tensor<f64>
  %rr0 = linalg.dot ins(%b, %b : tensor<64xf64>, tensor<64xf64>) outs(%sz : tensor<f64>) -> tensor<f64>
  %res:4 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %r = %b, %p = %b, %rr = %rr0) -> (tensor<64xf64>, tensor<64xf64>, tensor<64xf64>, tensor<f64>) {
    %pp = tensor.pad %p low[1] high[1] {
    ^bb0(%k: index):
      tensor.yield %zero : f64
    } : tensor<64xf64> to tensor<66xf64>
    %ap = linalg.conv_1d ins(%pp, %st : tensor<66xf64>, tensor<3xf64>) outs(%z : tensor<64xf64>) -> tensor<64xf64>
    %pap = linalg.dot ins(%p, %ap : tensor<64xf64>, tensor<64xf64>) outs(%sz : tensor<f64>) -> tensor<f64>
    %al = arith.divf %rr, %pap : tensor<f64>
    %xn = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>, affine_map<(i)->()>, affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%x, %p, %al : tensor<64xf64>, tensor<64xf64>, tensor<f64>) outs(%ze : tensor<64xf64>) {
    ^bb0(%q: f64, %s: f64, %a: f64, %o: f64):
      %t = arith.mulf %s, %a : f64
      %u = arith.addf %q, %t : f64
      linalg.yield %u : f64
    } -> tensor<64xf64>
    %rn = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>, affine_map<(i)->()>, affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%r, %ap, %al : tensor<64xf64>, tensor<64xf64>, tensor<f64>) outs(%ze : tensor<64xf64>) {
    ^bb0(%q: f64, %s: f64, %a: f64, %o: f64):
      %t = arith.mulf %s, %a : f64
      %u = arith.subf %q, %t : f64
      linalg.yield %u : f64
    } -> tensor<64xf64>
    %rrn = linalg.dot ins(%rn, %rn : tensor<64xf64>, tensor<64xf64>) outs(%sz : tensor<f64>) -> tensor<f64>
    %be = arith.divf %rrn, %rr : tensor<f64>
    %pn = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>, affine_map<(i)->()>, affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%rn, %p, %be : tensor<64xf64>, tensor<64xf64>, tensor<f64>) outs(%ze : tensor<64xf64>) {
    ^bb0(%q: f64, %s: f64, %a: f64, %o: f64):
      %t = arith.mulf %s, %a : f64
      %u = arith.addf %q, %t : f64
      linalg.yield %u : f64
    } -> tensor<64xf64>
    scf.yield %xn, %rn, %pn, %rrn : tensor<64xf64>, tensor<64xf64>, tensor<64xf64>, tensor<f64>
  }
  %f = tensor.extract %res#3[] : tensor<f64>
  return %res#0, %f : tensor<64xf64>, f64
}
