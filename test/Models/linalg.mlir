// RUN: shard-opt %s --shard-spmd --split-input-file 2>/dev/null | FileCheck %s

// Results that reduce in different ways: each gets its own kind.

shard.grid @grid(shape = 2)
#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (j)>
// CHECK-LABEL: func.func @two_kinds(
// CHECK: %[[R:[a-z0-9_]+]]:2 = linalg.generic {{.*}} ins(%{{.*}} : tensor<4x5xf32>)
// CHECK-DAG: shard.all_reduce %[[R]]#0 on @grid grid_axes = [0] : tensor<5xf32>
// CHECK-DAG: shard.all_reduce %[[R]]#1 on @grid grid_axes = [0] reduction = {{ ?}}max : tensor<5xf32>
func.func @two_kinds(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                     %s: tensor<5xf32>, %m: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<8x5xf32>) outs(%s, %m : tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%x: f32, %acc: f32, %mx: f32):
    %1 = arith.addf %acc, %x : f32
    %2 = arith.maximumf %mx, %x : f32
    linalg.yield %1, %2 : f32, f32
  } -> (tensor<5xf32>, tensor<5xf32>)
  return %0#0, %0#1 : tensor<5xf32>, tensor<5xf32>
}

// -----

// A body whose parts cannot be combined sees whole columns.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @no_combiner(
// CHECK: shard.all_gather
// CHECK: linalg.reduce {{.*}}ins(%{{.*}} : tensor<8x5xf32>)
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @no_combiner(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %c: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.reduce ins(%a : tensor<8x5xf32>) outs(%c : tensor<5xf32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      %s = arith.subf %in, %acc : f32
      linalg.yield %s : f32
    }
  return %0 : tensor<5xf32>
}

// -----

// Differences from the carried value are a sum of negatives; the init counts once.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @differences(
// CHECK-SAME: %[[A:.*]]: tensor<4x5xf32> {{.*}}, %[[C:.*]]: tensor<5xf32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<5xf32>
// CHECK: %[[INIT:.*]] = arith.select %{{.*}}, %[[C]], %[[ZERO]] : tensor<5xf32>
// CHECK-NEXT: %[[PART:.*]] = linalg.reduce { arith.subf } ins(%[[A]] : tensor<4x5xf32>) outs(%[[INIT]] : tensor<5xf32>)
// CHECK-NEXT: %[[ALL:.*]] = shard.all_reduce %[[PART]] on @grid grid_axes = [0] : tensor<5xf32> -> tensor<5xf32>
// CHECK-NEXT: return %[[ALL]]
func.func @differences(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %c: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.reduce ins(%a : tensor<8x5xf32>) outs(%c : tensor<5xf32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      %s = arith.subf %acc, %in : f32
      linalg.yield %s : f32
    }
  return %0 : tensor<5xf32>
}

// -----

// The init of a complex sum counts once; where it is neutral, it is taken as it is.

shard.grid @grid(shape = 2)
#m = affine_map<(i) -> (i)>
#t = affine_map<(i) -> ()>
// CHECK-LABEL: func.func @complex_sum(
// CHECK-SAME: %[[A:.*]]: tensor<4xcomplex<f32>> {{.*}}, %[[C:.*]]: tensor<complex<f32>>
// CHECK: %[[NUMBER:.*]] = complex.constant [-0.000000e+00 : f32, -0.000000e+00 : f32] : complex<f32>
// CHECK: %[[ZERO:.*]] = linalg.fill ins(%[[NUMBER]] : complex<f32>)
// CHECK: %[[INIT:.*]] = arith.select %{{.*}}, %[[C]], %[[ZERO]] : tensor<complex<f32>>
// CHECK: linalg.generic {{.*}} ins(%[[A]] : tensor<4xcomplex<f32>>) outs(%[[INIT]] : tensor<complex<f32>>)
// CHECK: shard.all_reduce %{{.*}} on @grid grid_axes = [0] : tensor<complex<f32>> -> tensor<complex<f32>>
// CHECK: linalg.generic {{.*}} ins(%[[A]] : tensor<4xcomplex<f32>>) outs(%{{.*}} : tensor<complex<f32>>)
// CHECK: shard.all_reduce
// CHECK-NOT: arith.select
func.func @complex_sum(%a: tensor<8xcomplex<f32>> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %c: tensor<complex<f32>>) -> (tensor<complex<f32>>, tensor<complex<f32>>) {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %e = tensor.empty() : tensor<complex<f32>>
  %z = linalg.fill ins(%zero : complex<f32>) outs(%e : tensor<complex<f32>>) -> tensor<complex<f32>>
  %0 = linalg.generic {indexing_maps = [#m, #t], iterator_types = ["reduction"]} ins(%a : tensor<8xcomplex<f32>>) outs(%c : tensor<complex<f32>>) {
  ^bb0(%in: complex<f32>, %acc: complex<f32>):
    %s = complex.add %in, %acc : complex<f32>
    linalg.yield %s : complex<f32>
  } -> tensor<complex<f32>>
  %1 = linalg.generic {indexing_maps = [#m, #t], iterator_types = ["reduction"]} ins(%a : tensor<8xcomplex<f32>>) outs(%z : tensor<complex<f32>>) {
  ^bb0(%in: complex<f32>, %acc: complex<f32>):
    %s = complex.add %in, %acc : complex<f32>
    linalg.yield %s : complex<f32>
  } -> tensor<complex<f32>>
  return %0, %1 : tensor<complex<f32>>, tensor<complex<f32>>
}

// -----

// A partial sum is reduced before a scalar is added: else it would count twice.

shard.grid @grid(shape = 2)
#v = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
// CHECK-LABEL: func.func @scalar_added(
// CHECK: %[[P:[a-z0-9_]+]] = linalg.reduce
// CHECK: %[[R:[a-z0-9_]+]] = shard.all_reduce %[[P]]
// CHECK: linalg.generic {{.*}} ins(%[[R]], %{{.*}} : tensor<5xf32>, f32)
func.func @scalar_added(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %x: f32) -> tensor<5xf32> {
  %zero = arith.constant dense<0.0> : tensor<5xf32>
  %0 = linalg.reduce {arith.addf} ins(%a : tensor<8x5xf32>) outs(%zero : tensor<5xf32>) dimensions = [0]
  %1 = linalg.generic {indexing_maps = [#v, #s, #v], iterator_types = ["parallel"]}
      ins(%0, %x : tensor<5xf32>, f32) outs(%zero : tensor<5xf32>) {
  ^bb0(%in: f32, %y: f32, %o: f32):
    %2 = arith.addf %in, %y : f32
    linalg.yield %2 : f32
  } -> tensor<5xf32>
  return %1 : tensor<5xf32>
}

// -----

// A sum of multiples of a partial tensor is partial: 8 elements are reduced, not 64.

shard.grid @grid(shape = 2)
#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (j)>
// CHECK-LABEL: func.func @multiples(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<8x8xf32>
// CHECK: %[[P:[a-z0-9_]+]] = linalg.generic {{.*}} ins(%[[A]] : tensor<8x8xf32>)
// CHECK: shard.all_reduce %[[P]] {{.*}} : tensor<8xf32> -> tensor<8xf32>
func.func @multiples(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], []], partial = sum [0]>}, %x: f32) -> tensor<8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%zero : tensor<8xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %two = arith.constant 2.0 : f32
    %1 = arith.mulf %two, %in : f32
    %2 = arith.negf %1 : f32
    %3 = arith.mulf %2, %x : f32
    %4 = arith.addf %sum, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Windows of one element and windows that do not overlap are no windows.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @spatial(
// CHECK-NOT: shard.all_
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}}ins(%{{.*}}, %{{.*}} : tensor<1x4x6x3xf32>, tensor<1x1x3x5xf32>) outs(%{{.*}} : tensor<1x4x6x5xf32>)
// CHECK: linalg.pooling_nhwc_sum {{.*}}ins(%{{.*}}, %{{.*}} : tensor<1x4x6x5xf32>, tensor<2x2xf32>) outs(%{{.*}} : tensor<1x2x3x5xf32>)
// CHECK-NOT: shard.all_
// CHECK: return
func.func @spatial(%a: tensor<1x8x6x3xf32> {shard.sharding = #shard.sharding<@grid, [[], [0], [], []]>}, %f: tensor<1x1x3x5xf32>)
    -> (tensor<1x4x3x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0], [], []]>}) {
  %z = arith.constant dense<0.0> : tensor<1x8x6x5xf32>
  %y = arith.constant dense<0.0> : tensor<1x4x3x5xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a, %f : tensor<1x8x6x3xf32>, tensor<1x1x3x5xf32>) outs(%z : tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32>
  %1 = linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>} ins(%0, %w : tensor<1x8x6x5xf32>, tensor<2x2xf32>)
      outs(%y : tensor<1x4x3x5xf32>) -> tensor<1x4x3x5xf32>
  return %1 : tensor<1x4x3x5xf32>
}

// -----

// Tiles are digits of the dimension; rows of a softmax are independent.

shard.grid @grid(shape = 3)
// CHECK-LABEL: func.func @relayout(
// CHECK-NOT: shard.all_
// CHECK: linalg.softmax dimension(1) ins(%{{.*}} : tensor<8x10xf32>)
// CHECK: linalg.pack %{{.*}} inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %{{.*}} : tensor<8x10xf32> -> tensor<2x5x4x2xf32>
// CHECK: math.exp
// CHECK: linalg.unpack %{{.*}} inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %{{.*}} : tensor<2x5x4x2xf32> -> tensor<8x10xf32>
// CHECK-NOT: shard.all_
// CHECK: return
func.func @relayout(%a: tensor<24x10xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<24x10xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %e = tensor.empty() : tensor<24x10xf32>
  %t = tensor.empty() : tensor<6x5x4x2xf32>
  %0 = linalg.softmax dimension(1) ins(%a : tensor<24x10xf32>) outs(%e : tensor<24x10xf32>) -> tensor<24x10xf32>
  %1 = linalg.pack %0 inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %t : tensor<24x10xf32> -> tensor<6x5x4x2xf32>
  %p = math.exp %1 : tensor<6x5x4x2xf32>
  %2 = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %e : tensor<6x5x4x2xf32> -> tensor<24x10xf32>
  return %2 : tensor<24x10xf32>
}

// -----

// The dimension of a softmax is split, too: its maxima and sums are combined, rows without
// elements included. An exchange of the dimensions in front of the op is cheaper than that.

shard.grid @grid(shape = 4)
// CHECK-LABEL: func.func @softmax_dimension(
// CHECK: arith.constant dense<0xFF800000> : tensor<8xf32>
// CHECK: arith.maxnumf
// CHECK: shard.all_reduce {{.*}} grid_axes = [0] reduction =  max : tensor<8xf32> -> tensor<8xf32>
// CHECK: math.exp
// CHECK: shard.all_reduce {{.*}} grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
// CHECK: arith.divf
// CHECK-NOT: shard.all_
// CHECK: return
func.func @softmax_dimension(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) -> tensor<8x5xf32> {
  %e = tensor.empty() : tensor<8x5xf32>
  %0 = linalg.softmax dimension(1) ins(%a : tensor<8x5xf32>) outs(%e : tensor<8x5xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// CHECK-LABEL: func.func @softmax_after_exchange(
// CHECK: shard.all_to_all
// CHECK: linalg.softmax dimension(1) ins(%{{.*}} : tensor<2x64xf32>)
// CHECK-NOT: shard.all_
// CHECK: return
func.func @softmax_after_exchange(%a: tensor<8x64xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>})
    -> (tensor<8x64xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %e = tensor.empty() : tensor<8x64xf32>
  %0 = linalg.softmax dimension(1) ins(%a : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

