// A partial value that one user needs complete is completed once, for the users too that
// could take it partial.
// RUN: shard-opt %s --shard-spmd --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-propagate --split-input-file -o %t.once
// RUN: shard-opt %t.once --shard-propagate --split-input-file | diff %t.once -

// CHECK-LABEL: func.func @argument
// CHECK: %[[SUM:.*]] = shard.all_reduce %arg0
// CHECK-NEXT: math.exp %[[SUM]]
// CHECK-NEXT: arith.mulf %[[SUM]], %arg1
// CHECK-NOT: shard.all_reduce
shard.grid @grid(shape = 4) axes ["x"]
func.func @argument(
    %a: tensor<16xf32> {shard.sharding = #shard.sharding<@grid, [[]], partial = sum ["x"]>},
    %b: tensor<16xf32> {shard.sharding = #shard.sharding<@grid, [[]]>})
    -> (tensor<16xf32> {shard.sharding = #shard.sharding<@grid, [[]]>},
        tensor<16xf32> {shard.sharding = #shard.sharding<@grid, [[]]>}) {
  %0 = math.exp %a : tensor<16xf32>
  %1 = arith.mulf %a, %b : tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// Two products, both wanted complete.
// CHECK-LABEL: func.func @products
// CHECK: %[[SUM:.*]] = shard.all_reduce %arg0
// CHECK-NEXT: arith.mulf %[[SUM]], %arg1
// CHECK-NEXT: arith.mulf %[[SUM]], %arg2
// CHECK-NOT: shard.all_reduce
shard.grid @grid(shape = 4) axes ["x"]
func.func @products(
    %a: tensor<16xf32> {shard.sharding = #shard.sharding<@grid, [[]], partial = sum ["x"]>},
    %b: tensor<16xf32>, %c: tensor<16xf32>)
    -> (tensor<16xf32> {shard.sharding = #shard.sharding<@grid, [[]]>},
        tensor<16xf32> {shard.sharding = #shard.sharding<@grid, [[]]>}) {
  %0 = arith.mulf %a, %b : tensor<16xf32>
  %1 = arith.mulf %a, %c : tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// One sum of the argument has fewer elements than the argument, and nobody needs that whole.
// CHECK-LABEL: func.func @smaller
// CHECK: %[[SUM:.*]] = linalg.reduce
// CHECK-NEXT: shard.all_reduce %[[SUM]] {{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK-NOT: shard.all_reduce
shard.grid @grid(shape = 4) axes ["x"]
func.func @smaller(
    %a: tensor<16x4xf32> {shard.sharding = #shard.sharding<@grid, [[], []], partial = sum ["x"]>},
    %init: tensor<4xf32>)
    -> (tensor<4xf32> {shard.sharding = #shard.sharding<@grid, [[]]>}) {
  %0 = linalg.reduce ins(%a : tensor<16x4xf32>) outs(%init : tensor<4xf32>) dimensions = [0]
    (%x: f32, %acc: f32) {
      %s = arith.addf %acc, %x : f32
      linalg.yield %s : f32
    }
  return %0 : tensor<4xf32>
}

// -----

// What a loop sums up stays partial in it, and both users of the result take it complete.
// CHECK-LABEL: func.func @loop
// CHECK: %[[LOOP:.*]] = scf.for
// CHECK-NOT: shard.all_reduce
// CHECK: scf.yield
// CHECK: %[[SUM:.*]] = shard.all_reduce %[[LOOP]]
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[SUM]]
// CHECK-NEXT: return %[[PRODUCT]], %[[SUM]]
shard.grid @grid(shape = 4) axes ["x"]
func.func @loop(%w: tensor<4x3x8xf32>,
    %x: tensor<8x5xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>},
    %c: tensor<3x5xf32>)
    -> (tensor<3x5xf32> {shard.sharding = #shard.sharding<@grid, [[], []]>},
        tensor<3x5xf32> {shard.sharding = #shard.sharding<@grid, [[], []]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %init = arith.constant dense<0.0> : tensor<3x5xf32>
  %sums = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %init) -> (tensor<3x5xf32>) {
    %s = tensor.extract_slice %w[%i, 0, 0] [1, 3, 8] [1, 1, 1]
        : tensor<4x3x8xf32> to tensor<3x8xf32>
    %e = tensor.empty() : tensor<3x5xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
    %m = linalg.matmul ins(%s, %x : tensor<3x8xf32>, tensor<8x5xf32>)
                       outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
    %a = arith.addf %acc, %m : tensor<3x5xf32>
    scf.yield %a : tensor<3x5xf32>
  }
  %product = arith.mulf %sums, %c : tensor<3x5xf32>
  return %product, %sums : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// That the concatenation takes both complete is found after the first op was asked.
// CHECK-LABEL: func.func @found_later
// CHECK: %[[A:.*]] = shard.all_reduce %arg0
// CHECK: %[[B:.*]] = shard.all_reduce %arg1
// CHECK-NEXT: arith.addf %[[B]], %[[B]]
// CHECK-NEXT: tensor.concat dim(0) %[[B]], %[[A]]
// CHECK-NOT: shard.all_reduce
shard.grid @grid(shape = 2)
func.func @found_later(
    %a: tensor<4xf32> {shard.sharding = #shard.sharding<@grid, [[]], partial = sum [0]>},
    %b: tensor<4xf32> {shard.sharding = #shard.sharding<@grid, [[]], partial = sum [0]>},
    %c: f32) -> (tensor<8xf32>, tensor<7xf32>, tensor<4xf32>) {
  %padded = tensor.pad %a low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<4xf32> to tensor<7xf32>
  %0 = tensor.empty() : tensor<4xf32>
  %mapped = linalg.map { arith.addf } ins(%b, %b : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>)
  %concat = tensor.concat dim(0) %b, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %concat, %padded, %mapped : tensor<8xf32>, tensor<7xf32>, tensor<4xf32>
}

// -----

// An axis of size 1 makes no difference: one all_reduce serves both sums.
// CHECK-LABEL: func.func @unit_axis
// CHECK: %[[FIRST:.*]] = linalg.reduce
// CHECK-NEXT: %[[SECOND:.*]] = linalg.reduce {{.*}} outs(%[[FIRST]] :
// CHECK-NEXT: %[[SUM:.*]] = shard.all_reduce %[[SECOND]]
// CHECK-NEXT: return %[[SUM]]
shard.grid @g(shape = 2x2x1)
func.func @unit_axis(%a: tensor<4xf32> {shard.sharding = #shard.sharding<@g, [[0, 2, 1]]>}, %init: tensor<f32>) -> tensor<f32> {
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4xf32>) outs(%init : tensor<f32>) dimensions = [0]
  %1 = linalg.reduce { arith.addf } ins(%a : tensor<4xf32>) outs(%0 : tensor<f32>) dimensions = [0]
  return %1 : tensor<f32>
}

// -----

// The one product is larger than the sum that it is made of: that is completed in front of it. A
// smaller result is completed itself.
// CHECK-LABEL: func.func @larger
// CHECK: %[[SUM:.*]] = shard.all_reduce %arg0 {{.*}} : tensor<16x2xf32>
// CHECK: linalg.matmul ins(%[[SUM]], %arg1
// CHECK-NOT: shard.all_reduce
// CHECK-LABEL: func.func @smaller
// CHECK-NOT: shard.all_reduce
// CHECK: linalg.matmul ins(%arg0, %arg1
// CHECK: shard.all_reduce {{.*}} : tensor<16x1xf32>
shard.grid @grid(shape = 4) axes ["x"]
func.func @larger(
    %a: tensor<16x2xf32> {shard.sharding = #shard.sharding<@grid, [[], []], partial = sum ["x"]>},
    %b: tensor<2x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x2xf32>, tensor<2x16xf32>) outs(%zero : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
func.func @smaller(
    %a: tensor<16x2xf32> {shard.sharding = #shard.sharding<@grid, [[], []], partial = sum ["x"]>},
    %b: tensor<2x1xf32>) -> tensor<16x1xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x1xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x2xf32>, tensor<2x1xf32>) outs(%zero : tensor<16x1xf32>) -> tensor<16x1xf32>
  return %0 : tensor<16x1xf32>
}

// -----

// The contraction could take the argument partial, but its own loops are split by the axis. What
// counts is the size of its result without the split (see also the next function).
// CHECK-LABEL: func.func @splitByTheAxis
// CHECK: %[[SUM:.*]] = shard.all_reduce %arg0 {{.*}} grid_axes = [1]
// CHECK-NEXT: arith.addf %[[SUM]], %[[SUM]]
// CHECK: linalg.vecmat ins(%[[SUM]], %arg1
// CHECK-NOT: shard.all_reduce %arg0
shard.grid @grid(shape = 2x2)
func.func @splitByTheAxis(
    %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]], partial = sum [1]>},
    %b: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>}, %init: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[1]]>}) {
  %0 = arith.addf %a, %a : tensor<8xf32>
  %1 = linalg.vecmat ins(%a, %b : tensor<8xf32>, tensor<8x8xf32>) outs(%init : tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// CHECK-LABEL: func.func @splitToLess
// CHECK: %[[SUM:.*]] = shard.all_reduce %arg0 {{.*}} grid_axes = [1]
// CHECK-NOT: shard.all_reduce %arg0
func.func @splitToLess(
    %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]], partial = sum [1]>},
    %b: tensor<8x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>}, %init: tensor<6xf32>)
    -> (tensor<8xf32>, tensor<6xf32> {shard.sharding = #shard.sharding<@grid, [[1]]>}) {
  %0 = arith.addf %a, %a : tensor<8xf32>
  %1 = linalg.vecmat ins(%a, %b : tensor<8xf32>, tensor<8x6xf32>) outs(%init : tensor<6xf32>) -> tensor<6xf32>
  return %0, %1 : tensor<8xf32>, tensor<6xf32>
}

// -----

// Over an axis of one device a value is complete.
// CHECK-LABEL: func.func @oneDevice
// CHECK-SAME: (%arg0: tensor<4xf32> {shard.local = #shard.local<tensor<8xf32>, <@grid, {{\[\[}}0]]>>})
// CHECK-NEXT: math.exp %arg0
// CHECK-NEXT: return
shard.grid @grid(shape = 2x1)
func.func @oneDevice(
    %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]], partial = sum [1]>}) -> tensor<8xf32> {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// An annotation that asks for the partial value, and whose only user takes the complete one, is
// reduced for both.
// CHECK-LABEL: func.func @annotatedForOne
// CHECK: %[[SUM:.*]] = shard.all_reduce %arg0
// CHECK-NOT: shard.all_reduce
// CHECK: tensor.extract_slice %[[SUM]]
shard.grid @grid(shape = 2)
func.func @annotatedForOne(
    %a: tensor<8x2xf32> {shard.sharding = #shard.sharding<@grid, [[?], [?]], partial = sum [0]>})
    -> (tensor<8x2xf32>, tensor<8xf32>) {
  %0 = tensor.extract_slice %a[0, 1] [8, 1] [1, 1] : tensor<8x2xf32> to tensor<8xf32>
  %s = shard.sharding @grid split_axes = [[], []] partial = sum [0] : !shard.sharding
  %1 = shard.shard %a to %s annotate_for_users : tensor<8x2xf32>
  return %1, %0 : tensor<8x2xf32>, tensor<8xf32>
}
