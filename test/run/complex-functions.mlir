// Functions of complex numbers, against numpy's.
//
// RUN: shard-run %s --verify --output %t.npy --output %t.in.npy | FileCheck %s
// RUN: %python -c "import numpy as n; x = n.load('%t.in.npy').astype('c16'); print(n.allclose(n.load('%t.npy'), n.exp(x) - n.sqrt(x) + n.conj(x) * n.tanh(x) - n.log(x) + n.sin(x) / n.cos(x) + n.tan(x) - x ** (0.5 + 1j), rtol=1e-5))" | FileCheck %s --check-prefix=VALUES
// CHECK: PASS
// VALUES: True

shard.grid @g(shape = 2)
func.func @main(%unused: tensor<4xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) {
  %x = arith.constant dense<[(1.0, 2.0), (0.5, -0.25), (2.0, 0.125), (-0.75, 1.5)]> : tensor<4xcomplex<f32>>
  %s = shard.constraint %x to <@g, [[0]]> : tensor<4xcomplex<f32>>
  %empty = tensor.empty() : tensor<4xcomplex<f32>>
  %r = linalg.map ins(%s : tensor<4xcomplex<f32>>) outs(%empty : tensor<4xcomplex<f32>>) (%z: complex<f32>, %o: complex<f32>) {
    %p = complex.constant [0.5 : f32, 1.0 : f32] : complex<f32>
    %exp = complex.exp %z : complex<f32>
    %sqrt = complex.sqrt %z : complex<f32>
    %conj = complex.conj %z : complex<f32>
    %tanh = complex.tanh %z : complex<f32>
    %log = complex.log %z : complex<f32>
    %sin = complex.sin %z : complex<f32>
    %cos = complex.cos %z : complex<f32>
    %tan = complex.tan %z : complex<f32>
    %pow = complex.pow %z, %p : complex<f32>
    %neg = complex.neg %pow : complex<f32>
    %0 = complex.sub %exp, %sqrt : complex<f32>
    %1 = complex.mul %conj, %tanh : complex<f32>
    %2 = complex.add %0, %1 : complex<f32>
    %3 = complex.sub %2, %log : complex<f32>
    %4 = complex.div %sin, %cos : complex<f32>
    %5 = complex.add %3, %4 : complex<f32>
    %6 = complex.add %5, %tan : complex<f32>
    %7 = complex.add %6, %neg : complex<f32>
    linalg.yield %7 : complex<f32>
  }
  return %r, %x : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
}
