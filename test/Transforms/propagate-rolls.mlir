// A tensor and the same tensor rolled have one sharding, although the slices between them
// have extents that do not fit.

// RUN: shard-opt %s --sharding-propagation 2>/dev/null | FileCheck %s
// RUN: shard-opt %s --sharding-propagation 2>/dev/null | shard-opt --sharding-propagation 2>/dev/null | FileCheck %s
// RUN: shard-opt %s --shard-spmd 2>/dev/null | FileCheck %s --check-prefix=SPMD
// RUN: shard-run %s --verify --entry pipeline | FileCheck %s --check-prefix=VERIFY
// RUN: shard-run %s --verify --entry backward | FileCheck %s --check-prefix=VERIFY
// RUN: shard-run %s --verify --entry partial | FileCheck %s --check-prefix=VERIFY
// RUN: shard-run %s --verify --entry by_half_a_block | FileCheck %s --check-prefix=VERIFY

// VERIFY: PASS

shard.grid @g(shape = 8)

// CHECK-LABEL: func.func @pipeline
// CHECK: -> (tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}0], []]>})
// SPMD-LABEL: func.func @pipeline
// SPMD: shard.shift %{{.*}} on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<1x4xf32>
// SPMD-NOT: {{shard.shift|all_|update_halo|permute}}
// SPMD: return
func.func @pipeline(%x: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x4xf32> {
  %e = math.exp %x : tensor<8x4xf32>
  %a = tensor.extract_slice %e[7, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
  %b = tensor.extract_slice %e[0, 0] [7, 4] [1, 1] : tensor<8x4xf32> to tensor<7x4xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
  %t = math.tanh %c : tensor<8x4xf32>
  return %t : tensor<8x4xf32>
}

// From the result to the argument.
// CHECK-LABEL: func.func @backward
// CHECK-SAME: %arg0: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}0], []]>}
// SPMD-LABEL: func.func @backward
// SPMD: shard.shift
// SPMD-NOT: {{shard.shift|all_|update_halo|permute}}
// SPMD: return
func.func @backward(%x: tensor<8x4xf32>) -> (tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %a = tensor.extract_slice %x[5, 0] [3, 4] [1, 1] : tensor<8x4xf32> to tensor<3x4xf32>
  %b = tensor.extract_slice %x[0, 0] [5, 4] [1, 1] : tensor<8x4xf32> to tensor<5x4xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @by_half_a_block
// CHECK: -> (tensor<16x4xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}0], []]>})
// SPMD-LABEL: func.func @by_half_a_block
// SPMD-NOT: all_
// SPMD: return
func.func @by_half_a_block(%x: tensor<16x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<16x4xf32> {
  %a = tensor.extract_slice %x[15, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<1x4xf32>
  %b = tensor.extract_slice %x[0, 0] [15, 4] [1, 1] : tensor<16x4xf32> to tensor<15x4xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<1x4xf32>, tensor<15x4xf32>) -> tensor<16x4xf32>
  return %c : tensor<16x4xf32>
}

// A partial sum is rolled as it is.
// SPMD-LABEL: func.func @partial
// SPMD: linalg.matmul
// SPMD-NOT: all_reduce
// SPMD: return
func.func @partial(%x: tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}, %y: tensor<16x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[], []], partial = sum [0]>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.matmul ins(%x, %y : tensor<8x16xf32>, tensor<16x4xf32>) outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  %a = tensor.extract_slice %p[7, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
  %b = tensor.extract_slice %p[0, 0] [7, 4] [1, 1] : tensor<8x4xf32> to tensor<7x4xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// Slices of two tensors, and slices that leave something out, are no rolls.
// CHECK-LABEL: func.func @no_rolls
// CHECK: -> (tensor<8x4xf32>, tensor<8x4xf32>)
func.func @no_rolls(%x: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %y: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %a = tensor.extract_slice %x[7, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
  %b = tensor.extract_slice %y[0, 0] [7, 4] [1, 1] : tensor<8x4xf32> to tensor<7x4xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
  %d = tensor.extract_slice %x[5, 0] [3, 4] [1, 1] : tensor<8x4xf32> to tensor<3x4xf32>
  %e = tensor.extract_slice %x[0, 0] [5, 4] [1, 1] : tensor<8x4xf32> to tensor<5x4xf32>
  %f = tensor.concat dim(0) %e, %d : (tensor<5x4xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return %c, %f : tensor<8x4xf32>, tensor<8x4xf32>
}
