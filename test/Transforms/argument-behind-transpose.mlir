// A weight without a hint that is used transposed, as PyTorch's nn.Linear does, is whole if the
// product needs it whole: the argument takes what the users of the transposition want. The layer
// mixes the tokens of each channel, whose tokens are split: it computes channels on each device.

// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --verify --entry main
// RUN: shard-run %s --verify --entry used_split

#x = affine_map<(b, c, t, k) -> (b, c, k)>
#w = affine_map<(b, c, t, k) -> (k, t)>
#y = affine_map<(b, c, t, k) -> (b, c, t)>
shard.grid @g(shape = 4)

// CHECK-LABEL: func @main
// CHECK-SAME: tensor<24x16xf32>, <@g, {{\[\[}}], []]>>}
// CHECK-SAME: tensor<16x24xf32>, <@g, {{\[\[}}], []]>>}
// CHECK-NOT: shard.all_gather
// CHECK: shard.all_to_all
// CHECK-NOT: shard.all_gather
func.func @main(%x: tensor<2x16x32xf32> {shard.sharding = #shard.sharding<@g, [[],[0],[]]>},
                %w1: tensor<24x16xf32>, %w2: tensor<16x24xf32>) -> tensor<2x16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %f1 = tensor.empty() : tensor<16x24xf32>
  %t1 = linalg.transpose ins(%w1 : tensor<24x16xf32>) outs(%f1 : tensor<16x24xf32>) permutation = [1, 0]
  %f2 = tensor.empty() : tensor<24x16xf32>
  %t2 = linalg.transpose ins(%w2 : tensor<16x24xf32>) outs(%f2 : tensor<24x16xf32>) permutation = [1, 0]
  %e0 = tensor.empty() : tensor<2x32x16xf32>
  %xt = linalg.transpose ins(%x : tensor<2x16x32xf32>) outs(%e0 : tensor<2x32x16xf32>) permutation = [0, 2, 1]
  %e1 = tensor.empty() : tensor<2x32x24xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x32x24xf32>) -> tensor<2x32x24xf32>
  %h = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%xt, %t1 : tensor<2x32x16xf32>, tensor<16x24xf32>) outs(%z1 : tensor<2x32x24xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x32x24xf32>
  %g = math.tanh %h : tensor<2x32x24xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%g, %t2 : tensor<2x32x24xf32>, tensor<24x16xf32>) outs(%z2 : tensor<2x32x16xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x32x16xf32>
  %e2 = tensor.empty() : tensor<2x16x32xf32>
  %yt = linalg.transpose ins(%y : tensor<2x32x16xf32>) outs(%e2 : tensor<2x16x32xf32>) permutation = [0, 2, 1]
  %r = arith.addf %x, %yt : tensor<2x16x32xf32>
  return %r : tensor<2x16x32xf32>
}

// Where another user takes it split, it stays split.
// CHECK-LABEL: func @used_split
// CHECK-SAME: tensor<16x24xf32>, <@g, {{\[\[}}0], []]>>}) ->
// CHECK: shard.all_gather
func.func @used_split(%x: tensor<2x32x24xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                      %residual: tensor<2x16x32xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                      %w: tensor<16x24xf32>)
    -> (tensor<2x16x32xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
        tensor<24x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x16xf32>
  %wt = linalg.transpose ins(%w : tensor<16x24xf32>) outs(%e : tensor<24x16xf32>) permutation = [1, 0]
  %exp = math.exp %wt : tensor<24x16xf32>
  %e0 = tensor.empty() : tensor<2x32x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wt : tensor<2x32x24xf32>, tensor<24x16xf32>) outs(%z : tensor<2x32x16xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x32x16xf32>
  %e1 = tensor.empty() : tensor<2x16x32xf32>
  %yt = linalg.transpose ins(%y : tensor<2x32x16xf32>) outs(%e1 : tensor<2x16x32xf32>) permutation = [0, 2, 1]
  %r = arith.addf %residual, %yt : tensor<2x16x32xf32>
  return %r, %exp : tensor<2x16x32xf32>, tensor<24x16xf32>
}
