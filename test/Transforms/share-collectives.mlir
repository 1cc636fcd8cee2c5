// RUN: shard-opt %s --shard-share-collectives --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-share-collectives --shard-verify-spmd --split-input-file -o /dev/null
// RUN: shard-opt %s --shard-optimize-collectives --shard-verify-spmd --split-input-file -o /dev/null

shard.grid @grid(shape = 2x4x2)

// What is gathered over the minor axis comes first, where both can take it.
// CHECK-LABEL: func.func @minor
// CHECK-NEXT: %[[S:.*]] = shard.all_gather %arg0 on @grid grid_axes = [1]
// CHECK-NEXT: %[[L:.*]] = shard.all_gather %[[S]] on @grid grid_axes = [0]
// CHECK-NEXT: return %[[L]], %[[S]]
func.func @minor(%a: tensor<2x8xf32>) -> (tensor<16x8xf32>, tensor<8x8xf32>) {
  %0 = shard.all_gather %a on @grid grid_axes = [0, 1] gather_axis = 0 : tensor<2x8xf32> -> tensor<16x8xf32>
  %1 = shard.all_gather %a on @grid grid_axes = [1] gather_axis = 0 : tensor<2x8xf32> -> tensor<8x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<8x8xf32>
}

// The major axis is no step on the way.
// CHECK-LABEL: func.func @major
// CHECK-NEXT: shard.all_gather %arg0 on @grid grid_axes = [0, 1]
// CHECK-NEXT: shard.all_gather %arg0 on @grid grid_axes = [0]
func.func @major(%a: tensor<2x8xf32>) -> (tensor<16x8xf32>, tensor<4x8xf32>) {
  %0 = shard.all_gather %a on @grid grid_axes = [0, 1] gather_axis = 0 : tensor<2x8xf32> -> tensor<16x8xf32>
  %1 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<2x8xf32> -> tensor<4x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<4x8xf32>
}

// The same in another order.
// CHECK-LABEL: func.func @order
// CHECK-COUNT-2: shard.all_gather
// CHECK-NOT: shard.all_gather
// CHECK: return %[[L:.*]], %[[L]] :
func.func @order(%a: tensor<2x8xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>) {
  %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<2x8xf32> -> tensor<4x8xf32>
  %1 = shard.all_gather %0 on @grid grid_axes = [1] gather_axis = 1 : tensor<4x8xf32> -> tensor<4x32xf32>
  %2 = shard.all_gather %a on @grid grid_axes = [1] gather_axis = 1 : tensor<2x8xf32> -> tensor<2x32xf32>
  %3 = shard.all_gather %2 on @grid grid_axes = [0] gather_axis = 0 : tensor<2x32xf32> -> tensor<4x32xf32>
  return %1, %3 : tensor<4x32xf32>, tensor<4x32xf32>
}

// A value gathered in two dimensions, and then as a whole: one of both is the first step.
// CHECK-LABEL: func.func @dims
// CHECK-NEXT: %[[A:.*]] = shard.all_gather %arg0 on @grid grid_axes = [0] gather_axis = 0
// CHECK-NEXT: %[[B:.*]] = shard.all_gather %arg0 on @grid grid_axes = [1] gather_axis = 1
// CHECK-NEXT: %[[C:.*]] = shard.all_gather %[[B]] on @grid grid_axes = [2, 0] gather_axis = 0
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @dims(%a: tensor<2x8xf32>) -> (tensor<4x8xf32>, tensor<2x32xf32>, tensor<8x32xf32>) {
  %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<2x8xf32> -> tensor<4x8xf32>
  %1 = shard.all_gather %a on @grid grid_axes = [1] gather_axis = 1 : tensor<2x8xf32> -> tensor<2x32xf32>
  %2 = shard.all_gather %a on @grid grid_axes = [2, 0] gather_axis = 0 : tensor<2x8xf32> -> tensor<8x8xf32>
  %3 = shard.all_gather %2 on @grid grid_axes = [1] gather_axis = 1 : tensor<8x8xf32> -> tensor<8x32xf32>
  return %0, %1, %3 : tensor<4x8xf32>, tensor<2x32xf32>, tensor<8x32xf32>
}

// Over one axis twice: the order matters.
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-4: shard.all_gather
func.func @twice(%a: tensor<2x8xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<2x8xf32> -> tensor<4x8xf32>
  %1 = shard.all_gather %0 on @grid grid_axes = [0] gather_axis = 1 : tensor<4x8xf32> -> tensor<4x16xf32>
  %2 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 1 : tensor<2x8xf32> -> tensor<2x16xf32>
  %3 = shard.all_gather %2 on @grid grid_axes = [0] gather_axis = 0 : tensor<2x16xf32> -> tensor<4x16xf32>
  return %1, %3 : tensor<4x16xf32>, tensor<4x16xf32>
}

// Blocks that are cut at the end do not fit together.
// CHECK-LABEL: func.func @uneven
// CHECK-NEXT: shard.all_gather %arg0 on @grid grid_axes = [0, 1]
// CHECK-NEXT: shard.all_gather %arg0 on @grid grid_axes = [1]
func.func @uneven(%a: tensor<2x8xf32>) -> (tensor<15x8xf32>, tensor<8x8xf32>) {
  %0 = shard.all_gather %a on @grid grid_axes = [0, 1] gather_axis = 0 : tensor<2x8xf32> -> tensor<15x8xf32>
  %1 = shard.all_gather %a on @grid grid_axes = [1] gather_axis = 0 : tensor<2x8xf32> -> tensor<8x8xf32>
  return %0, %1 : tensor<15x8xf32>, tensor<8x8xf32>
}

// A branch takes what comes behind it anyway; two branches have nothing in front.
// CHECK-LABEL: func.func @behind
// CHECK-NEXT: %[[G:.*]] = shard.all_gather
// CHECK-NEXT: scf.if
// CHECK-NEXT: math.exp %[[G]]
// CHECK: shard.all_reduce
// CHECK: scf.if
// CHECK-NEXT: shard.all_reduce
// CHECK: arith.addf %{{.*}}, %[[G]]
func.func @behind(%a: tensor<4xf32>, %b: tensor<8xf32>, %c: i1, %d: i1) -> tensor<8xf32> {
  %r = scf.if %c -> tensor<8xf32> {
    %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<4xf32> -> tensor<8xf32>
    %1 = math.exp %0 : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    %2 = shard.all_reduce %b on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  %s = scf.if %d -> tensor<8xf32> {
    %2 = shard.all_reduce %b on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %r : tensor<8xf32>
  }
  %3 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<4xf32> -> tensor<8xf32>
  %4 = arith.addf %s, %3 : tensor<8xf32>
  return %4 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2x4x2) {bandwidth = array<f64: 1.0e9, 1.0e9, 1.0e9>, latency = array<f64: 1.0, 1.0, 1.0>}

// One call from the first takes less than two from the second.
// CHECK-LABEL: func.func @latency
// CHECK-NEXT: %[[A:.*]] = shard.all_gather %arg0 on @grid grid_axes = [1] gather_axis = 1
// CHECK-NEXT: %[[B:.*]] = shard.all_gather %arg0 on @grid grid_axes = [2] gather_axis = 0
// CHECK-NEXT: %[[C:.*]] = shard.all_gather %[[A]] on @grid grid_axes = [0, 2] gather_axis = 0
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @latency(%a: tensor<2x8xf32>) -> (tensor<2x32xf32>, tensor<4x8xf32>, tensor<8x32xf32>) {
  %0 = shard.all_gather %a on @grid grid_axes = [1] gather_axis = 1 : tensor<2x8xf32> -> tensor<2x32xf32>
  %1 = shard.all_gather %a on @grid grid_axes = [2] gather_axis = 0 : tensor<2x8xf32> -> tensor<4x8xf32>
  %2 = shard.all_gather %0 on @grid grid_axes = [0, 2] gather_axis = 0 : tensor<2x32xf32> -> tensor<8x32xf32>
  return %0, %1, %2 : tensor<2x32xf32>, tensor<4x8xf32>, tensor<8x32xf32>
}

// -----

shard.grid @grid(shape = 8) {shard.machine = {memory = 1.0e6}}

// Two tensors of 32 KiB fit.
// CHECK-LABEL: func.func @memory
// CHECK: shard.all_gather
// CHECK-NOT: shard.all_gather
func.func @memory(%a: tensor<1024xf32>, %c: i1) -> (tensor<8192xf32>, tensor<8192xf32>) {
  %r = scf.if %c -> tensor<8192xf32> {
    %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<1024xf32> -> tensor<8192xf32>
    %1 = math.exp %0 : tensor<8192xf32>
    scf.yield %1 : tensor<8192xf32>
  } else {
    %2 = tensor.empty() : tensor<8192xf32>
    scf.yield %2 : tensor<8192xf32>
  }
  %3 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<1024xf32> -> tensor<8192xf32>
  %4 = math.exp %3 : tensor<8192xf32>
  return %r, %4 : tensor<8192xf32>, tensor<8192xf32>
}

// -----

shard.grid @grid(shape = 8) {shard.machine = {memory = 7.0e4}}

// What is gathered in front of the branch would live beside the product, where the memory is
// highest.
// CHECK-LABEL: func.func @memory
// CHECK: scf.if
// CHECK-NEXT: shard.all_gather
// CHECK: shard.all_gather
func.func @memory(%a: tensor<1024xf32>, %c: i1, %b: tensor<160x128xf32>, %w: tensor<128x32xf32>) -> (tensor<8192xf32>, tensor<160x32xf32>, tensor<8192xf32>) {
  %r = scf.if %c -> tensor<8192xf32> {
    %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<1024xf32> -> tensor<8192xf32>
    %1 = math.exp %0 : tensor<8192xf32>
    scf.yield %1 : tensor<8192xf32>
  } else {
    %2 = tensor.empty() : tensor<8192xf32>
    scf.yield %2 : tensor<8192xf32>
  }
  %e = math.exp %b : tensor<160x128xf32>
  %o = tensor.empty() : tensor<160x32xf32>
  %p = linalg.matmul ins(%e, %w : tensor<160x128xf32>, tensor<128x32xf32>) outs(%o : tensor<160x32xf32>) -> tensor<160x32xf32>
  %3 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<1024xf32> -> tensor<8192xf32>
  %4 = math.exp %3 : tensor<8192xf32>
  return %r, %p, %4 : tensor<8192xf32>, tensor<160x32xf32>, tensor<8192xf32>
}
