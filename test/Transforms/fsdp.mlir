// Fully sharded data parallelism: the batch is split by data, and so are the rows of
// the weights. Each weight is gathered for its matmul; nothing else is sent, and the
// results keep data. The sizes of batch and weight do not matter.
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -
// RUN: shard-run %s --entry mlp --verify | FileCheck %s --check-prefix=DONE
// RUN: shard-run %s --entry batched --verify | FileCheck %s --check-prefix=DONE
// RUN: shard-run %s --entry layers --verify | FileCheck %s --check-prefix=DONE

// DONE: all_gather {{ *}}data
// DONE-NOT: all_gather {{ *}}model
// DONE-NOT: {{(all_reduce|reduce_scatter|all_to_all) +data}}
// DONE: PASS

shard.grid @g(shape = 4x2) axes ["data", "model"]

// CHECK-LABEL: func.func @large_batch
// CHECK-SAME: -> (tensor<256x64xf32> {{.*}}{{\[}}[0], [1]]
// CHECK: shard.all_gather %arg1 on @g grid_axes = [0] gather_axis = 0 : tensor<16x64xf32> -> tensor<64x64xf32>
// CHECK: linalg.matmul ins(%arg0, %all_gather : tensor<256x64xf32>, tensor<64x64xf32>)
func.func @large_batch(
    %x: tensor<1024x64xf32> {shard.sharding = #shard.sharding<@g, [["data"], []]>},
    %w: tensor<64x128xf32> {shard.sharding = #shard.sharding<@g, [["data"], ["model"]]>})
    -> tensor<1024x128xf32> {
  %z = arith.constant dense<0.0> : tensor<1024x128xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1024x64xf32>, tensor<64x128xf32>) outs(%z : tensor<1024x128xf32>) -> tensor<1024x128xf32>
  return %y : tensor<1024x128xf32>
}

// CHECK-LABEL: func.func @larger_weight
// CHECK-SAME: -> (tensor<8x1024xf32> {{.*}}{{\[}}[0], [1]]
// CHECK: shard.all_gather %arg1 on @g grid_axes = [0] gather_axis = 0
func.func @larger_weight(
    %x: tensor<32x16xf32> {shard.sharding = #shard.sharding<@g, [["data"], []]>},
    %w: tensor<16x2048xf32> {shard.sharding = #shard.sharding<@g, [["data"], ["model"]]>})
    -> tensor<32x2048xf32> {
  %z = arith.constant dense<0.0> : tensor<32x2048xf32>
  %y = linalg.matmul ins(%x, %w : tensor<32x16xf32>, tensor<16x2048xf32>) outs(%z : tensor<32x2048xf32>) -> tensor<32x2048xf32>
  return %y : tensor<32x2048xf32>
}

// Two layers; only batch and weights are stated.
// CHECK-LABEL: func.func @mlp
// CHECK-SAME: -> (tensor<16x16xf32> {{.*}}{{\[}}[0], []]
// CHECK: shard.all_gather %arg1 on @g grid_axes = [0] gather_axis = 0
// CHECK: linalg.matmul
// CHECK: shard.all_gather %arg2 on @g grid_axes = [0] gather_axis = 1
// CHECK: linalg.matmul
// CHECK: shard.all_reduce {{.*}} grid_axes = [1] : tensor<16x16xf32>
func.func @mlp(
    %x: tensor<64x16xf32> {shard.sharding = #shard.sharding<@g, [["data"], []]>},
    %w1: tensor<16x32xf32> {shard.sharding = #shard.sharding<@g, [["data"], ["model"]]>},
    %w2: tensor<32x16xf32> {shard.sharding = #shard.sharding<@g, [["model"], ["data"]]>})
    -> tensor<64x16xf32> {
  %z = arith.constant dense<0.0> : tensor<64x32xf32>
  %z2 = arith.constant dense<0.0> : tensor<64x16xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<64x16xf32>, tensor<16x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
  %e = math.tanh %h : tensor<64x32xf32>
  %y = linalg.matmul ins(%e, %w2 : tensor<64x32xf32>, tensor<32x16xf32>) outs(%z2 : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// The projection and the scores of attention, with a batch dimension.
// CHECK-LABEL: func.func @batched
// CHECK-SAME: -> (tensor<2x16x16xf32>
// CHECK: shard.all_gather %arg1 on @g grid_axes = [0] gather_axis = 0
func.func @batched(
    %x: tensor<8x16x8xf32> {shard.sharding = #shard.sharding<@g, [["data"], [], []]>},
    %w: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [["data"], []]>})
    -> tensor<8x16x16xf32> {
  %z = arith.constant dense<0.0> : tensor<128x8xf32>
  %z2 = arith.constant dense<0.0> : tensor<8x16x16xf32>
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<8x16x8xf32> into tensor<128x8xf32>
  %q = linalg.matmul ins(%flat, %w : tensor<128x8xf32>, tensor<8x8xf32>) outs(%z : tensor<128x8xf32>) -> tensor<128x8xf32>
  %q3 = tensor.expand_shape %q [[0, 1], [2]] output_shape [8, 16, 8] : tensor<128x8xf32> into tensor<8x16x8xf32>
  %i = tensor.empty() : tensor<8x8x16xf32>
  %t = linalg.transpose ins(%x : tensor<8x16x8xf32>) outs(%i : tensor<8x8x16xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%q3, %t : tensor<8x16x8xf32>, tensor<8x8x16xf32>) outs(%z2 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
  return %s : tensor<8x16x16xf32>
}

// Layers in a loop: the weight of each layer is gathered for its iteration.
// CHECK-LABEL: func.func @layers
// CHECK: scf.for {{.*}} -> (tensor<16x32xf32>)
// CHECK: %[[W:.*]] = tensor.extract_slice {{.*}} : tensor<6x8x32xf32> to tensor<8x32xf32>
// CHECK: %[[G:.*]] = shard.all_gather %[[W]] {{.*}} : tensor<8x32xf32> -> tensor<32x32xf32>
// CHECK: linalg.matmul ins(%{{.*}}, %[[G]] : tensor<16x32xf32>, tensor<32x32xf32>)
// CHECK-NOT: shard.
// CHECK: return %{{.*}} : tensor<16x32xf32>
func.func @layers(%x: tensor<64x32xf32> {shard.sharding = #shard.sharding<@g, [["data"], []]>},
    %w: tensor<6x32x32xf32> {shard.sharding = #shard.sharding<@g, [[], ["data"], []]>}) -> tensor<64x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 6 : index
  %cst = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<64x32xf32> {
    %wi = tensor.extract_slice %w[%i, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<6x32x32xf32> to tensor<32x32xf32>
    %e = tensor.empty() : tensor<64x32xf32>
    %z = linalg.fill ins(%cst : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
    %m = linalg.matmul ins(%h, %wi : tensor<64x32xf32>, tensor<32x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
    %t = math.tanh %m : tensor<64x32xf32>
    scf.yield %t : tensor<64x32xf32>
  }
  return %r : tensor<64x32xf32>
}
