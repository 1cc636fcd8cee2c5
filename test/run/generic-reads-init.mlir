// A generic op that reads its init, under a broadcast: fused, it would run once
// per copy.
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

#same = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
shard.grid @grid(shape = 2) axes ["x"]

func.func @main(%x: tensor<2x2xf32>, %y: tensor<2xf32>)
    -> (tensor<5x2x2xf32> {shard.sharding = #shard.sharding<@grid, [[], [], ["x"]]>}) {
  %scaled = linalg.generic
      {indexing_maps = [#same, #turned, #row, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x, %y : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>) outs(%x : tensor<2x2xf32>) {
  ^bb0(%unread: f32, %in: f32, %unread_too: f32, %out: f32):
    %product = arith.mulf %out, %in : f32
    linalg.yield %product : f32
  } -> tensor<2x2xf32>
  %empty = tensor.empty() : tensor<5x2x2xf32>
  %copies = linalg.broadcast ins(%scaled : tensor<2x2xf32>)
      outs(%empty : tensor<5x2x2xf32>) dimensions = [0]
  return %copies : tensor<5x2x2xf32>
}
