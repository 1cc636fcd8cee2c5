// A Fourier transform of 16 elements by two products with matrices of 4x4 and the factors between
// them. Elements are split: rows are exchanged once, and nothing else is sent.
// RUN: shard-run %s --hint 'arg0=[[],[0]]' --verify | FileCheck %s
// CHECK: all_to_all  x         1                  192 B
// CHECK-NOT: all_
// CHECK: memory per device
// CHECK: PASS

shard.grid @mesh(shape = 4) axes ["x"]
func.func @main(%x: tensor<8x16xcomplex<f32>>, %f: tensor<4x4xcomplex<f32>>, %tw: tensor<4x4xcomplex<f32>>) -> tensor<8x16xcomplex<f32>> {
  %zc = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %x3 = tensor.expand_shape %x [[0],[1,2]] output_shape [8,4,4] : tensor<8x16xcomplex<f32>> into tensor<8x4x4xcomplex<f32>>
  %e = tensor.empty() : tensor<8x4x4xcomplex<f32>>
  %z = linalg.fill ins(%zc : complex<f32>) outs(%e : tensor<8x4x4xcomplex<f32>>) -> tensor<8x4x4xcomplex<f32>>
  %a = linalg.generic {indexing_maps = [affine_map<(b,k,j,i)->(b,i,j)>, affine_map<(b,k,j,i)->(k,i)>, affine_map<(b,k,j,i)->(b,k,j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x3, %f : tensor<8x4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%z : tensor<8x4x4xcomplex<f32>>) {
  ^bb0(%p: complex<f32>, %q: complex<f32>, %r: complex<f32>):
    %m = complex.mul %p, %q : complex<f32>
    %s = complex.add %r, %m : complex<f32>
    linalg.yield %s : complex<f32>
  } -> tensor<8x4x4xcomplex<f32>>
  %t = linalg.generic {indexing_maps = [affine_map<(b,k,j)->(b,k,j)>, affine_map<(b,k,j)->(k,j)>, affine_map<(b,k,j)->(b,k,j)>], iterator_types = ["parallel","parallel","parallel"]} ins(%a, %tw : tensor<8x4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%e : tensor<8x4x4xcomplex<f32>>) {
  ^bb0(%p: complex<f32>, %q: complex<f32>, %o: complex<f32>):
    %m = complex.mul %p, %q : complex<f32>
    linalg.yield %m : complex<f32>
  } -> tensor<8x4x4xcomplex<f32>>
  %y = linalg.generic {indexing_maps = [affine_map<(b,l,k,j)->(b,k,j)>, affine_map<(b,l,k,j)->(l,j)>, affine_map<(b,l,k,j)->(b,l,k)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%t, %f : tensor<8x4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%z : tensor<8x4x4xcomplex<f32>>) {
  ^bb0(%p: complex<f32>, %q: complex<f32>, %r: complex<f32>):
    %m = complex.mul %p, %q : complex<f32>
    %s = complex.add %r, %m : complex<f32>
    linalg.yield %s : complex<f32>
  } -> tensor<8x4x4xcomplex<f32>>
  %o = tensor.collapse_shape %y [[0],[1,2]] : tensor<8x4x4xcomplex<f32>> into tensor<8x16xcomplex<f32>>
  return %o : tensor<8x16xcomplex<f32>>
}
