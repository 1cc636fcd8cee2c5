// A step of k-means: points are split, and only the sums of the clusters and their numbers of
// points meet.
// RUN: shard-run %s --hint 'arg0=[[0],[]]' --verify | FileCheck %s
// CHECK: all_reduce  x         1                  768 B
// CHECK: all_reduce  x         1                   96 B
// CHECK: memory per device
// CHECK: PASS

shard.grid @mesh(shape = 4) axes ["x"]
func.func @main(%p: tensor<64x8xf32>, %c: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<64xi32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %i0 = arith.constant 0 : i32
  %dz_e = tensor.empty() : tensor<64x16xf32>
  %dz = linalg.fill ins(%zero : f32) outs(%dz_e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(n,k,f)->(n,f)>, affine_map<(n,k,f)->(k,f)>, affine_map<(n,k,f)->(n,k)>], iterator_types = ["parallel","parallel","reduction"]} ins(%p, %c : tensor<64x8xf32>, tensor<16x8xf32>) outs(%dz : tensor<64x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.subf %x, %y : f32
    %q = arith.mulf %s, %s : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64x16xf32>
  %mf_e = tensor.empty() : tensor<64xf32>
  %mf = linalg.fill ins(%inf : f32) outs(%mf_e : tensor<64xf32>) -> tensor<64xf32>
  %mi_e = tensor.empty() : tensor<64xi32>
  %mi = linalg.fill ins(%i0 : i32) outs(%mi_e : tensor<64xi32>) -> tensor<64xi32>
  %am:2 = linalg.generic {indexing_maps = [affine_map<(n,k)->(n,k)>, affine_map<(n,k)->(n)>, affine_map<(n,k)->(n)>], iterator_types = ["parallel","reduction"]} ins(%d : tensor<64x16xf32>) outs(%mf, %mi : tensor<64xf32>, tensor<64xi32>) {
  ^bb0(%x: f32, %m: f32, %i: i32):
    %k = linalg.index 1 : index
    %k32 = arith.index_cast %k : index to i32
    %l = arith.cmpf olt, %x, %m : f32
    %mm = arith.select %l, %x, %m : f32
    %ii = arith.select %l, %k32, %i : i32
    linalg.yield %mm, %ii : f32, i32
  } -> (tensor<64xf32>, tensor<64xi32>)
  %oe = tensor.empty() : tensor<64x16xf32>
  %oh = linalg.generic {indexing_maps = [affine_map<(n,k)->(n)>, affine_map<(n,k)->(n,k)>], iterator_types = ["parallel","parallel"]} ins(%am#1 : tensor<64xi32>) outs(%oe : tensor<64x16xf32>) {
  ^bb0(%x: i32, %o: f32):
    %k = linalg.index 1 : index
    %k32 = arith.index_cast %k : index to i32
    %e = arith.cmpi eq, %k32, %x : i32
    %v = arith.select %e, %one, %zero : f32
    linalg.yield %v : f32
  } -> tensor<64x16xf32>
  %sz_e = tensor.empty() : tensor<16x8xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%sz_e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %sum = linalg.matmul indexing_maps = [affine_map<(i,j,k)->(k,i)>, affine_map<(i,j,k)->(k,j)>, affine_map<(i,j,k)->(i,j)>] ins(%oh, %p : tensor<64x16xf32>, tensor<64x8xf32>) outs(%sz : tensor<16x8xf32>) -> tensor<16x8xf32>
  %cz_e = tensor.empty() : tensor<16xf32>
  %cz = linalg.fill ins(%zero : f32) outs(%cz_e : tensor<16xf32>) -> tensor<16xf32>
  %cnt = linalg.reduce { arith.addf } ins(%oh : tensor<64x16xf32>) outs(%cz : tensor<16xf32>) dimensions = [0]
  %nc_e = tensor.empty() : tensor<16x8xf32>
  %nc = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%sum, %cnt : tensor<16x8xf32>, tensor<16xf32>) outs(%nc_e : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %mx = arith.maximumf %b, %one : f32
    %y = arith.divf %a, %mx : f32
    linalg.yield %y : f32
  } -> tensor<16x8xf32>
  return %nc, %am#1 : tensor<16x8xf32>, tensor<64xi32>
}
