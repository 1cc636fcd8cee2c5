// A generic op that reads its init, a constant, used by a product: fused into it,
// it would run on the constant once per row.
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

shard.grid @grid(shape = 2)

func.func @main(%a: tensor<12x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                %s: tensor<f32>) -> tensor<12xf32> {
  %one = arith.constant 1.0 : f32
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<12xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %v = linalg.generic
      {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
       iterator_types = ["parallel"]}
      ins(%w, %s : tensor<2xf32>, tensor<f32>) outs(%w : tensor<2xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %p, %out : f32
    linalg.yield %q : f32
  } -> tensor<2xf32>
  %r = linalg.matvec ins(%a, %v : tensor<12x2xf32>, tensor<2xf32>)
      outs(%ones : tensor<12xf32>) -> tensor<12xf32>
  return %r : tensor<12xf32>
}
