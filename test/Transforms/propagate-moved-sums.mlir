// Axes of a loop that is summed up split another loop where less than half is sent
// then (lib/Propagation/ReductionMoves.h).
// RUN: shard-opt %s --split-input-file --shard-spmd | FileCheck %s
// RUN: shard-opt %s --split-input-file --sharding-propagation -o %t.once
// RUN: shard-opt %t.once --split-input-file --sharding-propagation -o %t.twice
// RUN: diff %t.once %t.twice

// 64 rows of the product are more than the operands: x is exchanged, so that rows are split and
// nothing is summed. No hint is for w, which took the axis of the loop that is summed up: as its
// user wants it whole then, it is.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: tensor<8x8xf32> {shard.local = #shard.local<tensor<8x8xf32>, <@g, {{\[\[\], \[\]\]}}>>}
// CHECK-SAME: -> (tensor<16x8xf32> {shard.local = #shard.local<tensor<64x8xf32>, <@g, {{\[\[0\], \[\]\]}}>>})
// CHECK: shard.all_to_all
// CHECK-NOT: shard.
// CHECK: linalg.matmul
// CHECK-NOT: shard.
// CHECK: return
func.func @narrow(%x: tensor<64x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
                  %w: tensor<8x8xf32>) -> tensor<64x8xf32> {
  %z = arith.constant dense<0.0> : tensor<64x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x8xf32>, tensor<8x8xf32>) outs(%z : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// -----

// Both operands have hints for the summed loop, which is short.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @hinted(
// CHECK-SAME: -> (tensor<16x32xf32> {shard.local = #shard.local<tensor<64x32xf32>, <@g, {{\[\[0\], \[\]\]}}>>})
// CHECK: shard.all_to_all
// CHECK: shard.all_gather
// CHECK: linalg.matmul
// CHECK-NOT: shard.
// CHECK: return
func.func @hinted(%x: tensor<64x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
                  %w: tensor<4x32xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<64x32xf32> {
  %z = arith.constant dense<0.0> : tensor<64x32xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x4xf32>, tensor<4x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----

// A long summed loop stays split: the sum is the smallest of the three.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @long(
// CHECK-NOT: shard.all_gather
// CHECK: linalg.matmul
// CHECK: shard.all_reduce
func.func @long(%x: tensor<8x256xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
                %w: tensor<256x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x256xf32>, tensor<256x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// The result is wanted whole: behind a move it would have to be gathered, and the sum sends
// less than twice as much. The operands have as many elements as the sum.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @whole(
// CHECK: linalg.matmul
// CHECK: shard.all_reduce
func.func @whole(%x: tensor<64x64xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}, %w: tensor<64x32xf32>)
    -> (tensor<64x32xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %z = arith.constant dense<0.0> : tensor<64x32xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----

// The rows of the first minimum could be split for less than a sum sends, but its padding
// would then be filled by a halo, whose bytes are not known.
shard.grid @g(shape = 2)
// CHECK-LABEL: func.func @padded(
// CHECK-NOT: shard.all_to_all
// CHECK-NOT: shard.update_halo
// CHECK: shard.all_reduce
// CHECK-NOT: shard.
// CHECK: return
func.func @padded(%x: tensor<2x4x2xi8> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                  %y: tensor<3x4x4xi8> {shard.sharding = #shard.sharding<@g, [[], [0], []]>}) -> tensor<3x4xi8> {
  %one = arith.constant 1 : i8
  %init = arith.constant dense<0> : tensor<3x4xi8>
  %p = tensor.pad %x low[0, 0, 2] high[1, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %one : i8
  } : tensor<2x4x2xi8> to tensor<3x4x4xi8>
  %a = linalg.reduce { arith.minsi } ins(%p : tensor<3x4x4xi8>) outs(%init : tensor<3x4xi8>) dimensions = [1]
  %b = linalg.reduce { arith.minsi } ins(%y : tensor<3x4x4xi8>) outs(%init : tensor<3x4xi8>) dimensions = [1]
  %c = arith.minsi %a, %b : tensor<3x4xi8>
  return %c : tensor<3x4xi8>
}

// -----

// A 1x1 convolution of an image whose channels are split: the images are split instead, which
// no window slides over. Rows of an image are not tried, as halos have no price here.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @convolution(
// CHECK-SAME: -> (tensor<1x8x8x16xf32> {shard.local = #shard.local<tensor<4x8x8x16xf32>, <@g, {{\[\[0\], \[\], \[\], \[\]\]}}>>})
// CHECK: shard.all_to_all {{.*}} : tensor<4x8x8x2xf32> -> tensor<1x8x8x8xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @convolution(%x: tensor<4x8x8x8xf32> {shard.sharding = #shard.sharding<@g, [[], [], [], [0]]>},
                       %w: tensor<16x1x1x8xf32>) -> tensor<4x8x8x16xf32> {
  %z = arith.constant dense<0.0> : tensor<4x8x8x16xf32>
  %0 = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<4x8x8x8xf32>, tensor<16x1x1x8xf32>) outs(%z : tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
  return %0 : tensor<4x8x8x16xf32>
}

// -----

// One image: its rows stay whole, and the 8 filters are split.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @one_image(
// CHECK-SAME: -> (tensor<1x8x8x8xf32> {shard.local = #shard.local<tensor<1x8x8x32xf32>, <@g, {{\[\[\], \[\], \[\], \[0\]\]}}>>})
// CHECK: shard.all_gather {{.*}} gather_axis = 3 : tensor<1x10x10x2xf32> -> tensor<1x10x10x8xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @one_image(%x: tensor<1x10x10x8xf32> {shard.sharding = #shard.sharding<@g, [[], [], [], [0]]>},
                     %w: tensor<32x3x3x8xf32>) -> tensor<1x8x8x32xf32> {
  %z = arith.constant dense<0.0> : tensor<1x8x8x32xf32>
  %0 = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x10x10x8xf32>, tensor<32x3x3x8xf32>) outs(%z : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  return %0 : tensor<1x8x8x32xf32>
}

// -----

// The first of two layers: the rows are split behind the second one too, and only x moves. If the region ended at the second product, its operand would be gathered.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @layers(
// CHECK-SAME: -> (tensor<16x16xf32> {shard.local = #shard.local<tensor<64x16xf32>, <@g, {{\[\[0\], \[\]\]}}>>})
// CHECK: shard.all_to_all {{.*}} : tensor<64x4xf32> -> tensor<16x16xf32>
// CHECK-NOT: shard.
// CHECK: return
func.func @layers(%x: tensor<64x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}, %v: tensor<16x64xf32>,
                  %w: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = arith.constant dense<0.0> : tensor<64x16xf32>
  %0 = linalg.matmul ins(%x, %v : tensor<64x16xf32>, tensor<16x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = math.tanh %0 : tensor<64x64xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<64x64xf32>, tensor<64x16xf32>) outs(%s : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %2 : tensor<64x16xf32>
}

// -----

// The second weight states that its columns are split: the rows of its product cannot take the
// axis, so that the region ends there.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @columns(
// CHECK-SAME: -> (tensor<64x4xf32> {shard.local = #shard.local<tensor<64x16xf32>, <@g, {{\[\[\], \[0\]\]}}>>})
func.func @columns(%x: tensor<64x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}, %v: tensor<16x64xf32>,
                   %w: tensor<64x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> tensor<64x16xf32> {
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = arith.constant dense<0.0> : tensor<64x16xf32>
  %0 = linalg.matmul ins(%x, %v : tensor<64x16xf32>, tensor<16x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = math.tanh %0 : tensor<64x64xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<64x64xf32>, tensor<64x16xf32>) outs(%s : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %2 : tensor<64x16xf32>
}

// -----

// Only the rows of a batch are split, and both become one dimension for a product: the rows are
// exchanged for the batch, which stays split behind the product. They would be gathered.
shard.grid @g(shape = 2x2)
// CHECK-LABEL: func.func @merged(
// CHECK-SAME: -> (tensor<16x32xf32> {shard.local = #shard.local<tensor<64x32xf32>, <@g, {{\[\[0, 1\], \[\]\]}}>>})
// CHECK: shard.all_to_all {{.*}} split_axis = 0 concat_axis = 1 : tensor<2x8x64xf32> -> tensor<1x16x64xf32>
// CHECK-NOT: shard.all_gather
// CHECK: return
func.func @merged(%x: tensor<4x16x64xf32> {shard.sharding = #shard.sharding<@g, [[0], [1], []]>}, %w: tensor<64x32xf32>)
    -> tensor<64x32xf32> {
  %z = arith.constant dense<0.0> : tensor<64x32xf32>
  %m = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x16x64xf32> into tensor<64x64xf32>
  %0 = linalg.matmul ins(%m, %w : tensor<64x64xf32>, tensor<64x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----

// Rows are split in front of the layer and behind it, the hidden values by columns. The second
// weight has no hint: it is split like the columns, so that the product is a scattered sum and
// neither it nor the gradient of the hidden values is exchanged. The gradients gather %dy once,
// although one of them takes it transposed.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<3x5xf32> {shard.local = #shard.local<tensor<12x5xf32>, <@g, {{\[\[0\], \[\]\]}}>>}
// CHECK-SAME: -> (tensor<2x5xf32> {{.*}}, tensor<5x3xf32> {{.*}}, tensor<5x3xf32>
// CHECK-NOT: all_to_all
// CHECK: shard.all_gather {{.*}} : tensor<2x5xf32> -> tensor<8x5xf32>
// CHECK: shard.reduce_scatter {{.*}} : tensor<8x5xf32> -> tensor<2x5xf32>
// CHECK: shard.all_gather {{.*}} : tensor<2x5xf32> -> tensor<8x5xf32>
// CHECK-NOT: shard.all
// CHECK: return
func.func @layer(%x: tensor<8x5xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                 %up: tensor<5x12xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}, %down: tensor<12x5xf32>,
                 %dy: tensor<8x5xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<8x5xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, tensor<5x12xf32>, tensor<5x12xf32>) {
  %y0 = arith.constant dense<0.0> : tensor<8x5xf32>
  %a0 = arith.constant dense<0.0> : tensor<8x12xf32>
  %w0 = arith.constant dense<0.0> : tensor<5x12xf32>
  %a = linalg.matmul ins(%x, %up : tensor<8x5xf32>, tensor<5x12xf32>) outs(%a0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  %y = linalg.matmul ins(%a, %down : tensor<8x12xf32>, tensor<12x5xf32>) outs(%y0 : tensor<8x5xf32>) -> tensor<8x5xf32>
  %last = arith.addf %y, %x : tensor<8x5xf32>
  %ew = tensor.empty() : tensor<5x12xf32>
  %wt = linalg.transpose ins(%down : tensor<12x5xf32>) outs(%ew : tensor<5x12xf32>) permutation = [1, 0]
  %da = linalg.matmul ins(%dy, %wt : tensor<8x5xf32>, tensor<5x12xf32>) outs(%a0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  %masked = arith.mulf %da, %a : tensor<8x12xf32>
  %e = tensor.empty() : tensor<5x8xf32>
  %xt = linalg.transpose ins(%x : tensor<8x5xf32>) outs(%e : tensor<5x8xf32>) permutation = [1, 0]
  %dup = linalg.matmul ins(%xt, %masked : tensor<5x8xf32>, tensor<8x12xf32>) outs(%w0 : tensor<5x12xf32>) -> tensor<5x12xf32>
  %dyt = linalg.transpose ins(%dy : tensor<8x5xf32>) outs(%e : tensor<5x8xf32>) permutation = [1, 0]
  %ddown = linalg.matmul ins(%dyt, %a : tensor<5x8xf32>, tensor<8x12xf32>) outs(%w0 : tensor<5x12xf32>) -> tensor<5x12xf32>
  return %last, %dup, %ddown : tensor<8x5xf32>, tensor<5x12xf32>, tensor<5x12xf32>
}

// -----

// Queries, keys and values are split by tokens. The scores are many, so that they would gather keys
// and values. The axis moves to the heads, which all have: what is exchanged is a fourth as large.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @attention(
// CHECK-COUNT-4: shard.all_to_all
// CHECK-NOT: shard.all
// CHECK: return
func.func @attention(%q: tensor<8x512x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                     %k: tensor<8x512x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                     %v: tensor<8x512x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>})
    -> (tensor<8x512x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>}) {
  %s0 = arith.constant dense<0.0> : tensor<8x512x512xf32>
  %e = tensor.empty() : tensor<8x512x512xf32>
  %r0 = arith.constant dense<0.0> : tensor<8x512x16xf32>
  %scores = linalg.batch_matmul
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>,
                       affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%q, %k : tensor<8x512x16xf32>, tensor<8x512x16xf32>) outs(%s0 : tensor<8x512x512xf32>)
      -> tensor<8x512x512xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<8x512x512xf32>) outs(%e : tensor<8x512x512xf32>)
      -> tensor<8x512x512xf32>
  %result = linalg.batch_matmul ins(%weights, %v : tensor<8x512x512xf32>, tensor<8x512x16xf32>)
      outs(%r0 : tensor<8x512x16xf32>) -> tensor<8x512x16xf32>
  return %result : tensor<8x512x16xf32>
}
