// Tiles that do not divide their tensor, as tiling makes them. The iterations of the first loop
// gather, so that it runs them one after the other; what they share must not be taken for
// what the second loop has.
//
// RUN: shard-run %s --verify 2>/dev/null | FileCheck %s
// CHECK: PASS

shard.grid @g(shape = 2x3) axes ["a", "b"]
func.func @main(%x: tensor<100x20xf32> {shard.sharding = #shard.sharding<@g, [["a"], ["b"]]>}, %w: tensor<20x12xf32>) -> (tensor<100x12xf32>, tensor<100x20xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x12xf32>
  %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<100x12xf32>) -> tensor<100x12xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (100, 12) step (32, 5) shared_outs(%o = %f) -> (tensor<100x12xf32>) {
    %sz = affine.min affine_map<(d0) -> (-d0 + 100, 32)>(%i)
    %sw = affine.min affine_map<(d0) -> (-d0 + 12, 5)>(%j)
    %xs = tensor.extract_slice %x[%i, 0] [%sz, 20] [1, 1] : tensor<100x20xf32> to tensor<?x20xf32>
    %ws = tensor.extract_slice %w[0, %j] [20, %sw] [1, 1] : tensor<20x12xf32> to tensor<20x?xf32>
    %os = tensor.extract_slice %o[%i, %j] [%sz, %sw] [1, 1] : tensor<100x12xf32> to tensor<?x?xf32>
    %m = linalg.matmul ins(%xs, %ws : tensor<?x20xf32>, tensor<20x?xf32>) outs(%os : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[%i, %j] [%sz, %sw] [1, 1] : tensor<?x?xf32> into tensor<100x12xf32>
    }
  }
  %lb = arith.constant 0 : index
  %ub = arith.constant 100 : index
  %st = arith.constant 24 : index
  %q = scf.for %i = %lb to %ub step %st iter_args(%o = %x) -> (tensor<100x20xf32>) {
    %sz = affine.min affine_map<(d0) -> (-d0 + 100, 24)>(%i)
    %xs = tensor.extract_slice %o[%i, 0] [%sz, 20] [1, 1] : tensor<100x20xf32> to tensor<?x20xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(a,b)->(a,b)>], iterator_types = ["parallel","parallel"]} outs(%xs : tensor<?x20xf32>) {
    ^bb0(%v: f32):
      %y = arith.mulf %v, %v : f32
      linalg.yield %y : f32
    } -> tensor<?x20xf32>
    %n = tensor.insert_slice %t into %o[%i, 0] [%sz, 20] [1, 1] : tensor<?x20xf32> into tensor<100x20xf32>
    scf.yield %n : tensor<100x20xf32>
  }
  return %r, %q : tensor<100x12xf32>, tensor<100x20xf32>
}
