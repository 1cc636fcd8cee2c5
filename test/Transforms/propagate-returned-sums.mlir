// A result without a hint gets the layout of an argument of its type that it is computed from,
// where that makes a reduce_scatter of an all_reduce.
//
// RUN: shard-opt %s --split-input-file --shard-spmd | FileCheck %s
// RUN: shard-opt %s --split-input-file --sharding-propagation -o %t.once
// RUN: shard-opt %t.once --split-input-file --sharding-propagation | diff %t.once -
// RUN: shard-opt %s --split-input-file --shard-explain 2>&1 | FileCheck %s --check-prefix=WHY

shard.grid @g(shape = 2x4)

// Weight stationary in two dimensions, from the hints of the input and the first weight: the
// second weight and the result follow.
//
// CHECK-LABEL: func @two_dimensions
// CHECK-SAME: tensor<32x16xf32> {shard.local = #shard.local<tensor<128x32xf32>, <@g, {{\[\[1\], \[0\]\]}}>>}
// CHECK: shard.all_gather
// CHECK: shard.all_reduce
// CHECK: shard.reduce_scatter
// CHECK-NOT: shard.all
// CHECK: return
// WHY: %6 at {{.*}}: {{\[\[\], \[0, 1\]\]}}
// WHY: axis 0 in dimension 1: through operand 0 of func.return {{.*}}, through operand 0 of func.return {{.*}}, from the hint #shard.sharding<@g, {{\[\[\], \[0, 1\]\]}}>
func.func @two_dimensions(%x: tensor<8x32xf32> {shard.sharding = #shard.sharding<@g, [[], [0, 1]]>},
    %a: tensor<32x128xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>},
    %b: tensor<128x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x128xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8x128xf32>) -> tensor<8x128xf32>
  %h = linalg.matmul ins(%x, %a : tensor<8x32xf32>, tensor<32x128xf32>) outs(%i : tensor<8x128xf32>) -> tensor<8x128xf32>
  %t = math.tanh %h : tensor<8x128xf32>
  %e1 = tensor.empty() : tensor<8x32xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %y = linalg.matmul ins(%t, %b : tensor<8x128xf32>, tensor<128x32xf32>) outs(%i1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

shard.grid @g(shape = 2x4)

// A gradient of a weight, summed over the batch, is split like the weight.
//
// CHECK-LABEL: func @gradient
// CHECK: shard.reduce_scatter {{.*}} grid_axes = [0]
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @gradient(%x: tensor<256x32xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
    %w: tensor<32x32xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x32xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<256x32xf32>, tensor<32x32xf32>) outs(%i : tensor<256x32xf32>) -> tensor<256x32xf32>
  %e1 = tensor.empty() : tensor<32x32xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %d = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %y : tensor<256x32xf32>, tensor<256x32xf32>) outs(%i1 : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %d : tensor<32x32xf32>
}

// -----

shard.grid @g(shape = 4)

// As many results as arguments of one type: each takes the layout of the argument with its
// number.
//
// CHECK-LABEL: func @pairs
// CHECK-SAME: -> (tensor<2x8xf32> {{.*}}, tensor<8x2xf32> {{.*}})
// CHECK: shard.reduce_scatter {{.*}} scatter_axis = 0 : tensor<8x8xf32> -> tensor<2x8xf32>
// CHECK: shard.reduce_scatter {{.*}} scatter_axis = 1 : tensor<8x8xf32> -> tensor<8x2xf32>
// CHECK: return
func.func @pairs(%w: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
    %v: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %x: tensor<8x32xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %x2: tensor<8x32xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %z: tensor<32x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %el = tensor.empty() : tensor<32x8xf32>
  %l = linalg.fill ins(%zero : f32) outs(%el : tensor<32x8xf32>) -> tensor<32x8xf32>
  %p = linalg.matmul ins(%z, %w : tensor<32x8xf32>, tensor<8x8xf32>) outs(%l : tensor<32x8xf32>) -> tensor<32x8xf32>
  %q = linalg.matmul ins(%p, %v : tensor<32x8xf32>, tensor<8x8xf32>) outs(%l : tensor<32x8xf32>) -> tensor<32x8xf32>
  %er = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%er : tensor<32xf32>) -> tensor<32xf32>
  %r = linalg.reduce { arith.addf } ins(%q : tensor<32x8xf32>) outs(%f : tensor<32xf32>) dimensions = [1]
  %y = linalg.broadcast ins(%r : tensor<32xf32>) outs(%el : tensor<32x8xf32>) dimensions = [1]
  %t = math.exp %y : tensor<32x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %dw = linalg.matmul ins(%x, %y : tensor<8x32xf32>, tensor<32x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  %dv = linalg.matmul ins(%x2, %t : tensor<8x32xf32>, tensor<32x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %dw, %dv : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

shard.grid @g(shape = 4)

// The argument of that type is whole, as in tensor parallelism.
//
// CHECK-LABEL: func @whole
// CHECK: shard.all_reduce
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @whole(%other: tensor<8x8xf32>, %x: tensor<8x32xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %w: tensor<32x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x32xf32>, tensor<32x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = arith.addf %y, %other : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// -----

shard.grid @g(shape = 4)

// Not computed from the argument of that type.
//
// CHECK-LABEL: func @unrelated
// CHECK: shard.all_reduce
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @unrelated(%x: tensor<8x32xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %w: tensor<32x8xf32>, %other: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x32xf32>, tensor<32x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y, %other : tensor<8x8xf32>, tensor<8x8xf32>
}
