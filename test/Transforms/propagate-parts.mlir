// A loop takes one part of a batch after another, of which each device has one: the parts are
// exchanged once for rows of all parts, and what the loop computes is split.
// RUN: shard-opt %s --split-input-file --shard-spmd | FileCheck %s
// RUN: shard-opt %s --split-input-file --sharding-propagation -o %t.once
// RUN: shard-opt %t.once --split-input-file --sharding-propagation | diff %t.once -

shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @accumulate(
// CHECK-NOT: shard.all_gather
// CHECK: shard.all_to_all {{.*}} tensor<1x256x8xf32> -> tensor<4x64x8xf32>
// CHECK-NOT: shard.all
// CHECK: scf.for
// CHECK: tensor.extract_slice {{.*}} tensor<4x64x8xf32> to tensor<64x8xf32>
// CHECK: math.tanh {{.*}} tensor<64x8xf32>
// CHECK-NOT: shard.all
// CHECK: return
func.func @accumulate(%x: tensor<1024x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                      %init: tensor<256x8xf32>) -> tensor<256x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %parts = tensor.expand_shape %x [[0, 1], [2]] output_shape [4, 256, 8] : tensor<1024x8xf32> into tensor<4x256x8xf32>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> tensor<256x8xf32> {
    %part = tensor.extract_slice %parts[%i, 0, 0] [1, 256, 8] [1, 1, 1] : tensor<4x256x8xf32> to tensor<256x8xf32>
    %0 = math.tanh %part : tensor<256x8xf32>
    %1 = arith.addf %acc, %0 : tensor<256x8xf32>
    scf.yield %1 : tensor<256x8xf32>
  }
  return %sum : tensor<256x8xf32>
}

// -----

// Gradients of a weight: less is sent if the parts are gathered, but each device would compute all
// of a product of 64 GFLOP.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @gradients(
// CHECK: shard.all_to_all
// CHECK: scf.for
// CHECK: linalg.matmul {{.*}} tensor<1024x512xf32>
// CHECK: return
func.func @gradients(%x: tensor<8192x1024xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                     %w: tensor<1024x1024xf32>, %init: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<2048x1024xf32>
  %parts = tensor.expand_shape %x [[0, 1], [2]] output_shape [4, 2048, 1024] : tensor<8192x1024xf32> into tensor<4x2048x1024xf32>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> tensor<1024x1024xf32> {
    %part = tensor.extract_slice %parts[%i, 0, 0] [1, 2048, 1024] [1, 1, 1] : tensor<4x2048x1024xf32> to tensor<2048x1024xf32>
    %0 = linalg.matmul ins(%part, %w : tensor<2048x1024xf32>, tensor<1024x1024xf32>) outs(%zero : tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
    %e = tensor.empty() : tensor<1024x2048xf32>
    %t = linalg.transpose ins(%part : tensor<2048x1024xf32>) outs(%e : tensor<1024x2048xf32>) permutation = [1, 0]
    %1 = linalg.matmul ins(%t, %0 : tensor<1024x2048xf32>, tensor<2048x1024xf32>) outs(%acc : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    scf.yield %1 : tensor<1024x1024xf32>
  }
  return %sum : tensor<1024x1024xf32>
}

// -----

// A slice at a place that only the run knows does not share what the loop gathers, as the loop
// exchanges its parts: it is looked up.
shard.grid @g(shape = 2x1x3)
// CHECK-LABEL: func.func @look_up(
// CHECK-NOT: shard.all_gather
// CHECK-DAG: shard.all_to_all {{.*}} tensor<2x8x6xf32> -> tensor<12x8x1xf32>
// CHECK-DAG: shard.all_reduce {{.*}} tensor<6xf32>
// CHECK-NOT: shard.all_gather
// CHECK: return
func.func @look_up(%x: tensor<12x8x6xf32> {shard.sharding = #shard.sharding<@g, [[0, 2], [], []]>},
                   %init: tensor<8x6xf32>, %n: index) -> (tensor<8x6xf32>, tensor<6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %sum = scf.for %i = %c0 to %c12 step %c1 iter_args(%acc = %init) -> tensor<8x6xf32> {
    %part = tensor.extract_slice %x[%i, 0, 0] [1, 8, 6] [1, 1, 1] : tensor<12x8x6xf32> to tensor<8x6xf32>
    %0 = arith.addf %acc, %part : tensor<8x6xf32>
    scf.yield %0 : tensor<8x6xf32>
  }
  %row = tensor.extract_slice %x[%n, 3, 0] [1, 1, 6] [1, 1, 1] : tensor<12x8x6xf32> to tensor<6xf32>
  return %sum, %row : tensor<8x6xf32>, tensor<6xf32>
}

// -----

// A pixel shuffle whose channels are split: both halves of the axis are on minor dimensions that
// are merged. They move to the rows together, by one exchange.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @pixel_shuffle(
// CHECK-NOT: shard.all_gather
// CHECK: shard.redistribute
// CHECK-NOT: shard.all
// CHECK: linalg.transpose
// CHECK-NOT: shard.all
// CHECK: return {{.*}} : tensor<2x8x8x4xf32>
func.func @pixel_shuffle(%x: tensor<2x8x8x16xf32> {shard.sharding = #shard.sharding<@g, [[], [], [], [0]]>})
    -> tensor<2x16x16x4xf32> {
  %e = tensor.expand_shape %x [[0], [1], [2], [3, 4, 5]] output_shape [2, 8, 8, 2, 2, 4] : tensor<2x8x8x16xf32> into tensor<2x8x8x2x2x4xf32>
  %o = tensor.empty() : tensor<2x8x2x8x2x4xf32>
  %t = linalg.transpose ins(%e : tensor<2x8x8x2x2x4xf32>) outs(%o : tensor<2x8x2x8x2x4xf32>) permutation = [0, 1, 3, 2, 4, 5]
  %y = tensor.collapse_shape %t [[0], [1, 2], [3, 4], [5]] : tensor<2x8x2x8x2x4xf32> into tensor<2x16x16x4xf32>
  return %y : tensor<2x16x16x4xf32>
}

// -----

// Gradients of a weight: the sum over the rows is a sum over devices only since the axis moved. It
// stays partial in the loop, and is reduced behind it.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @summed_once(
// CHECK-NOT: shard.all_gather
// CHECK: shard.all_to_all
// CHECK: scf.for
// CHECK-NOT: shard.all
// CHECK: scf.yield
// CHECK-NOT: shard.all_gather
// CHECK: shard.all_reduce
// CHECK-NOT: shard.all
// CHECK: return
func.func @summed_once(%x: tensor<8192x1024xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                       %w: tensor<1024x64xf32>, %init: tensor<1024x64xf32>) -> tensor<1024x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<2048x64xf32>
  %none = arith.constant dense<0.0> : tensor<1024x64xf32>
  %parts = tensor.expand_shape %x [[0, 1], [2]] output_shape [4, 2048, 1024] : tensor<8192x1024xf32> into tensor<4x2048x1024xf32>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> tensor<1024x64xf32> {
    %part = tensor.extract_slice %parts[%i, 0, 0] [1, 2048, 1024] [1, 1, 1] : tensor<4x2048x1024xf32> to tensor<2048x1024xf32>
    %y = linalg.matmul ins(%part, %w : tensor<2048x1024xf32>, tensor<1024x64xf32>) outs(%zero : tensor<2048x64xf32>) -> tensor<2048x64xf32>
    %t = math.tanh %y : tensor<2048x64xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%part, %t : tensor<2048x1024xf32>, tensor<2048x64xf32>) outs(%none : tensor<1024x64xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    } -> tensor<1024x64xf32>
    %1 = arith.addf %acc, %g : tensor<1024x64xf32>
    scf.yield %1 : tensor<1024x64xf32>
  }
  return %sum : tensor<1024x64xf32>
}

// -----

// A hint splits the gradient by the axis that it is a sum over: it is scattered behind the loop,
// not in each iteration.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @scattered_once(
// CHECK: scf.for
// CHECK-NOT: shard.
// CHECK: scf.yield
// CHECK: shard.reduce_scatter {{.*}} tensor<16x8xf32> -> tensor<4x8xf32>
// CHECK-NOT: shard.all
// CHECK: return
func.func @scattered_once(%xs: tensor<4x24x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                          %ys: tensor<4x24x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>})
    -> (tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %init = arith.constant dense<0.0> : tensor<16x8xf32>
  %g = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> (tensor<16x8xf32>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 24, 16] [1, 1, 1] : tensor<4x24x16xf32> to tensor<24x16xf32>
    %y = tensor.extract_slice %ys[%i, 0, 0] [1, 24, 8] [1, 1, 1] : tensor<4x24x8xf32> to tensor<24x8xf32>
    %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %y : tensor<24x16xf32>, tensor<24x8xf32>) outs(%init : tensor<16x8xf32>) -> tensor<16x8xf32>
    %s = arith.addf %acc, %p : tensor<16x8xf32>
    scf.yield %s : tensor<16x8xf32>
  }
  return %g : tensor<16x8xf32>
}
