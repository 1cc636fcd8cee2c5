// RUN: shard-opt %s --shard-spmd --split-input-file | FileCheck %s

// The window of a block is found without a visit to every device: this grid has 2^38.

shard.grid @g(shape = 524288x524288)

// CHECK-LABEL: func.func @stencil
// CHECK-SAME: tensor<2xf32>
// CHECK: shard.update_halo {{.*}} split_axes = {{\[\[}}0, 1]] halo_sizes = [1, 1] : tensor<4xf32>
// CHECK-NOT: all_gather
#input = affine_map<(d0, d1) -> (d0 + d1)>
#kernel = affine_map<(d0, d1) -> (d1)>
#output = affine_map<(d0, d1) -> (d0)>
func.func @stencil(
    %a: tensor<549755813888xf32> {shard.sharding = #shard.sharding<@g, [[0, 1]]>},
    %k: tensor<3xf32>, %o: tensor<549755813888xf32>) -> tensor<549755813888xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<549755813888xf32> to tensor<549755813890xf32>
  %r = linalg.generic {indexing_maps = [#input, #kernel, #output],
                       iterator_types = ["parallel", "reduction"]}
      ins(%padded, %k : tensor<549755813890xf32>, tensor<3xf32>)
      outs(%o : tensor<549755813888xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %m, %z : f32
    linalg.yield %s : f32
  } -> tensor<549755813888xf32>
  return %r : tensor<549755813888xf32>
}

// -----

// Blocks of 17 and blocks of 16 drift apart; the halos cover all of the drift.

shard.grid @g(shape = 65536)

// CHECK-LABEL: func.func @drift
// CHECK: shard.update_halo {{.*}} halo_sizes = [65535, 1]
func.func @drift(
    %a: tensor<1x1048578xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %k: tensor<1x3xf32>, %o: tensor<1x1048576xf32>) -> tensor<1x1048576xf32> {
  %r = linalg.conv_2d ins(%a, %k : tensor<1x1048578xf32>, tensor<1x3xf32>)
      outs(%o : tensor<1x1048576xf32>) -> tensor<1x1048576xf32>
  return %r : tensor<1x1048576xf32>
}

// -----

// More unequal blocks than are compared one by one, at distances that differ: the
// input is gathered.

shard.grid @g(shape = 1048576x1048576)

// CHECK-LABEL: func.func @too_many
// CHECK: shard.all_gather
// CHECK-NOT: update_halo
#input = affine_map<(d0, d1) -> (d0 + d1)>
#kernel = affine_map<(d0, d1) -> (d1)>
#output = affine_map<(d0, d1) -> (d0)>
func.func @too_many(
    %a: tensor<4611686018427387906xf32> {shard.sharding = #shard.sharding<@g, [[0, 1]]>},
    %k: tensor<3xf32>, %o: tensor<4611686018427387904xf32>) -> tensor<4611686018427387904xf32> {
  %r = linalg.generic {indexing_maps = [#input, #kernel, #output],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a, %k : tensor<4611686018427387906xf32>, tensor<3xf32>)
      outs(%o : tensor<4611686018427387904xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %m, %z : f32
    linalg.yield %s : f32
  } -> tensor<4611686018427387904xf32>
  return %r : tensor<4611686018427387904xf32>
}
