// Open values between two ops take together what the ops at their ends compute and want,
// if fewer bytes are resharded then.

// RUN: shard-opt %s --shard-spmd --split-input-file | FileCheck %s
// RUN: shard-opt %s --sharding-propagation --split-input-file -o %t.once
// RUN: shard-opt %t.once --sharding-propagation --split-input-file | diff %t.once -

// A feed-forward layer on a split sequence. The rows of %x reach the hidden values first,
// but both products split the columns of the weights. So does everything between them.

shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @sequence(
// CHECK: shard.all_gather {{.*}} : tensor<16x64xf32> -> tensor<64x64xf32>
// CHECK: linalg.matmul
// CHECK-NEXT: math.tanh {{.*}} : tensor<64x64xf32>
// CHECK-NOT: shard.all_to_all
// CHECK: linalg.matmul
// CHECK-NEXT: shard.reduce_scatter {{.*}} : tensor<64x64xf32> -> tensor<16x64xf32>
// CHECK-NOT: shard.all
func.func @sequence(%x: tensor<64x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                    %up: tensor<64x256xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
                    %down: tensor<256x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<64x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %z1 = arith.constant dense<0.0> : tensor<64x256xf32>
  %h = linalg.matmul ins(%x, %up : tensor<64x64xf32>, tensor<64x256xf32>)
                     outs(%z1 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %t = math.tanh %h : tensor<64x256xf32>
  %z2 = arith.constant dense<0.0> : tensor<64x64xf32>
  %y = linalg.matmul ins(%t, %down : tensor<64x256xf32>, tensor<256x64xf32>)
                     outs(%z2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = arith.addf %x, %y : tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// The same region with a value in it that has a hint: its rows stay, and both its ends are
// resharded.

shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @hinted(
// CHECK: shard.all_to_all
// CHECK: math.tanh {{.*}} : tensor<16x256xf32>
// CHECK: shard.all_to_all
func.func @hinted(%x: tensor<64x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                  %up: tensor<64x256xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
                  %down: tensor<256x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<64x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %z1 = arith.constant dense<0.0> : tensor<64x256xf32>
  %h = linalg.matmul ins(%x, %up : tensor<64x64xf32>, tensor<64x256xf32>)
                     outs(%z1 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %t = math.tanh %h {shard.sharding = #shard.sharding<@g, [[0], []]>} : tensor<64x256xf32>
  %z2 = arith.constant dense<0.0> : tensor<64x64xf32>
  %y = linalg.matmul ins(%t, %down : tensor<64x256xf32>, tensor<256x64xf32>)
                     outs(%z2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// What a loop carries takes the columns of %step: %init is exchanged once in front of the
// loop, instead of %step in each of its iterations.

shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @carried(
// CHECK: shard.all_to_all
// CHECK: scf.for
// CHECK-NOT: shard.
// CHECK: return {{.*}} : tensor<16x4xf32>
func.func @carried(%init: tensor<16x16xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                   %step: tensor<16x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>})
    -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%acc = %init) -> tensor<16x16xf32> {
    %0 = arith.addf %acc, %step : tensor<16x16xf32>
    scf.yield %0 : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// -----

// %x has columns, but nine iterations want rows: it is exchanged once in front of the loop.

shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @used_in_a_loop(
// CHECK: shard.all_to_all
// CHECK: scf.for
// CHECK-NOT: shard.all_to_all
// CHECK: return
func.func @used_in_a_loop(%x: tensor<16x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
                          %init: tensor<16x16xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<16x16xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = math.exp %x : tensor<16x16xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%acc = %init) -> tensor<16x16xf32> {
    %0 = arith.addf %acc, %e : tensor<16x16xf32>
    %1 = linalg.matmul ins(%0, %0 : tensor<16x16xf32>, tensor<16x16xf32>)
                       outs(%acc : tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %1 : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// -----

// Slices do not end the region where they leave whole what is split: halves of the heads
// as in rotary embeddings.

shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @halves(
// CHECK: shard.all_gather {{.*}} : tensor<16x64xf32> -> tensor<64x64xf32>
// CHECK: linalg.matmul
// CHECK-NOT: shard.all_to_all
// CHECK: tensor.extract_slice {{.*}} : tensor<64x2x32xf32> to tensor<64x2x16xf32>
// CHECK-NOT: shard.all
// CHECK: linalg.matmul
// CHECK-NEXT: shard.reduce_scatter {{.*}} : tensor<64x64xf32> -> tensor<16x64xf32>
// CHECK-NOT: shard.all
func.func @halves(%x: tensor<64x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                  %up: tensor<64x256xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
                  %down: tensor<128x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<64x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %z1 = arith.constant dense<0.0> : tensor<64x256xf32>
  %h = linalg.matmul ins(%x, %up : tensor<64x64xf32>, tensor<64x256xf32>)
                     outs(%z1 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %heads = tensor.expand_shape %h [[0], [1, 2]] output_shape [64, 8, 32]
      : tensor<64x256xf32> into tensor<64x8x32xf32>
  %low = tensor.extract_slice %heads[0, 0, 0] [64, 8, 16] [1, 1, 1]
      : tensor<64x8x32xf32> to tensor<64x8x16xf32>
  %high = tensor.extract_slice %heads[0, 0, 16] [64, 8, 16] [1, 1, 1]
      : tensor<64x8x32xf32> to tensor<64x8x16xf32>
  %turned = arith.subf %low, %high : tensor<64x8x16xf32>
  %flat = tensor.collapse_shape %turned [[0], [1, 2]]
      : tensor<64x8x16xf32> into tensor<64x128xf32>
  %z2 = arith.constant dense<0.0> : tensor<64x64xf32>
  %y = linalg.matmul ins(%flat, %down : tensor<64x128xf32>, tensor<128x64xf32>)
                     outs(%z2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// What a call hands on is as little split as it comes: a slice of it is computed with, and it is
// returned whole. Without that, the rows that the product takes would be gathered (177 KB).

shard.grid @g(shape = 3)
// CHECK-LABEL: func.func private @hands_on(
// CHECK-SAME: %{{.*}}: tensor<1617x41xf32> {shard.local
// CHECK-SAME: -> ({{.*}}, tensor<1617x41xf32> {shard.local
func.func private @hands_on(%x: tensor<1617x41xf32>, %w: tensor<41x15xf32>)
    -> (tensor<1617x15xf32>, tensor<1617x41xf32>) {
  %z = arith.constant dense<0.0> : tensor<1617x15xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1617x41xf32>, tensor<41x15xf32>)
                     outs(%z : tensor<1617x15xf32>) -> tensor<1617x15xf32>
  return %y, %x : tensor<1617x15xf32>, tensor<1617x41xf32>
}
// CHECK-LABEL: func.func @calls_what_hands_on(
// CHECK: shard.all_to_all {{.*}} : tensor<14x15xf32> -> tensor<41x5xf32>
// CHECK-NOT: shard.all
// CHECK: return
func.func @calls_what_hands_on(
    %x: tensor<1617x41xf32> {shard.sharding = #shard.sharding<@g, [[], []]>},
    %w: tensor<41x15xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<1617x15xf32>, tensor<1617x41xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %0:2 = call @hands_on(%x, %w)
      : (tensor<1617x41xf32>, tensor<41x15xf32>) -> (tensor<1617x15xf32>, tensor<1617x41xf32>)
  return %0#0, %0#1 : tensor<1617x15xf32>, tensor<1617x41xf32>
}
