// A step of a beam search that keeps two of 64 words, with their scores, in two rounds: the words
// are split, and each round reduces the best score, its place, and the element there.
// RUN: shard-run %s --hint 'arg1=[[],[0]]' --verify | FileCheck %s
// CHECK: all_reduce  v         3                   72 B
// CHECK: all_reduce  v         3                   72 B
// CHECK: memory per device
// CHECK: PASS

shard.grid @mesh(shape = 4) axes ["v"]
func.func @main(%h: tensor<4x16xf32>, %wv: tensor<16x64xf32>, %cum: tensor<4xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %im = arith.constant -1 : i32
  %z_e = tensor.empty() : tensor<4x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%z_e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %l = linalg.matmul ins(%h, %wv : tensor<4x16xf32>, tensor<16x64xf32>) outs(%z : tensor<4x64xf32>) -> tensor<4x64xf32>
  %s0_e = tensor.empty() : tensor<4x64xf32>
  %s0 = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%l, %cum : tensor<4x64xf32>, tensor<4xf32>) outs(%s0_e : tensor<4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.addf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<4x64xf32>
  %mf0_e = tensor.empty() : tensor<4xf32>
  %mf0 = linalg.fill ins(%ninf : f32) outs(%mf0_e : tensor<4xf32>) -> tensor<4xf32>
  %mi0_e = tensor.empty() : tensor<4xi32>
  %mi0 = linalg.fill ins(%im : i32) outs(%mi0_e : tensor<4xi32>) -> tensor<4xi32>
  %am0:2 = linalg.generic {indexing_maps = [affine_map<(n,k)->(n,k)>, affine_map<(n,k)->(n)>, affine_map<(n,k)->(n)>], iterator_types = ["parallel","reduction"]} ins(%s0 : tensor<4x64xf32>) outs(%mf0, %mi0 : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%x: f32, %m: f32, %i: i32):
    %k = linalg.index 1 : index
    %k32 = arith.index_cast %k : index to i32
    %l1 = arith.cmpf ogt, %x, %m : f32
    %mm = arith.select %l1, %x, %m : f32
    %ii = arith.select %l1, %k32, %i : i32
    linalg.yield %mm, %ii : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  %s1_e = tensor.empty() : tensor<4x64xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(n,k)->(n,k)>, affine_map<(n,k)->(n)>, affine_map<(n,k)->(n,k)>], iterator_types = ["parallel","parallel"]} ins(%s0, %am0#1 : tensor<4x64xf32>, tensor<4xi32>) outs(%s1_e : tensor<4x64xf32>) {
  ^bb0(%x: f32, %i: i32, %o: f32):
    %k = linalg.index 1 : index
    %k32 = arith.index_cast %k : index to i32
    %e = arith.cmpi eq, %k32, %i : i32
    %v = arith.select %e, %ninf, %x : f32
    linalg.yield %v : f32
  } -> tensor<4x64xf32>
  %mf1_e = tensor.empty() : tensor<4xf32>
  %mf1 = linalg.fill ins(%ninf : f32) outs(%mf1_e : tensor<4xf32>) -> tensor<4xf32>
  %mi1_e = tensor.empty() : tensor<4xi32>
  %mi1 = linalg.fill ins(%im : i32) outs(%mi1_e : tensor<4xi32>) -> tensor<4xi32>
  %am1:2 = linalg.generic {indexing_maps = [affine_map<(n,k)->(n,k)>, affine_map<(n,k)->(n)>, affine_map<(n,k)->(n)>], iterator_types = ["parallel","reduction"]} ins(%s1 : tensor<4x64xf32>) outs(%mf1, %mi1 : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%x: f32, %m: f32, %i: i32):
    %k = linalg.index 1 : index
    %k32 = arith.index_cast %k : index to i32
    %l1 = arith.cmpf ogt, %x, %m : f32
    %mm = arith.select %l1, %x, %m : f32
    %ii = arith.select %l1, %k32, %i : i32
    linalg.yield %mm, %ii : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  %va = tensor.expand_shape %am0#0 [[0,1]] output_shape [4,1] : tensor<4xf32> into tensor<4x1xf32>
  %vb = tensor.expand_shape %am1#0 [[0,1]] output_shape [4,1] : tensor<4xf32> into tensor<4x1xf32>
  %vc = tensor.concat dim(1) %va, %vb : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
  %ia = tensor.expand_shape %am0#1 [[0,1]] output_shape [4,1] : tensor<4xi32> into tensor<4x1xi32>
  %ib = tensor.expand_shape %am1#1 [[0,1]] output_shape [4,1] : tensor<4xi32> into tensor<4x1xi32>
  %ic = tensor.concat dim(1) %ia, %ib : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  return %vc, %ic : tensor<4x2xf32>, tensor<4x2xi32>
}
