// Dimensions that slices read in equal chunks get a dimension for the number of the chunk.
// RUN: shard-opt %s --shard-expand-reshapes | FileCheck %s
// RUN: shard-run %s --entry=gate --verify | FileCheck %s --check-prefix=GATE
// RUN: shard-run %s --entry=gate --print-partitioned | FileCheck %s --check-prefix=EMPTY

// The halves of a product for a gate: the weights and their bias come apart, and what reads one
// value twice still does.
// CHECK-LABEL: func @gate(
// CHECK-DAG: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [8, 2, 16]
// CHECK-DAG: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [2, 16]
// CHECK: %[[ALL:.*]] = arith.addf %{{.*}} : tensor<6x2x16xf32>
// CHECK: %[[EXP:.*]] = math.exp %[[ALL]] : tensor<6x2x16xf32>
// CHECK: %[[BOTH:.*]] = arith.mulf %[[ALL]], %[[EXP]] : tensor<6x2x16xf32>
// CHECK: tensor.extract_slice %[[BOTH]][0, 0, 0] [6, 1, 16] [1, 1, 1] : tensor<6x2x16xf32> to tensor<6x16xf32>
// CHECK: tensor.extract_slice %[[BOTH]][0, 1, 0] [6, 1, 16] [1, 1, 1] : tensor<6x2x16xf32> to tensor<6x16xf32>
// Only the sum of the second product is sent: 2 * 3/4 * 6x8 elements.
// GATE: all_reduce m 1 288 B
// GATE-NOT: shift
// GATE: PASS
// An empty tensor that comes apart is an empty tensor, also in a host without MLIR's extensions;
// else the fill of it is made once for all users, and resharded.
// EMPTY: %[[E:.*]] = tensor.empty() : tensor<6x2x4xf32>
// EMPTY: linalg.fill ins(%{{.*}}) outs(%[[E]] : tensor<6x2x4xf32>)
shard.grid @grid(shape = 4) axes ["m"]
func.func @gate(%x: tensor<6x8xf32>, %w: tensor<8x32xf32>, %b: tensor<32xf32>,
    %v: tensor<16x8xf32> {shard.sharding = #shard.sharding<@grid, [["m"], []]>}) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<6x32xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<6x32xf32>) -> tensor<6x32xf32>
  %2 = linalg.matmul ins(%x, %w : tensor<6x8xf32>, tensor<8x32xf32>) outs(%1 : tensor<6x32xf32>) -> tensor<6x32xf32>
  %3 = linalg.broadcast ins(%b : tensor<32xf32>) outs(%0 : tensor<6x32xf32>) dimensions = [0]
  %4 = arith.addf %2, %3 : tensor<6x32xf32>
  %5 = math.exp %4 : tensor<6x32xf32>
  %6 = arith.mulf %4, %5 : tensor<6x32xf32>
  %7 = tensor.extract_slice %6[0, 0] [6, 16] [1, 1] : tensor<6x32xf32> to tensor<6x16xf32>
  %8 = tensor.extract_slice %6[0, 16] [6, 16] [1, 1] : tensor<6x32xf32> to tensor<6x16xf32>
  %9 = arith.mulf %7, %8 : tensor<6x16xf32>
  %10 = tensor.empty() : tensor<6x8xf32>
  %11 = linalg.fill ins(%zero : f32) outs(%10 : tensor<6x8xf32>) -> tensor<6x8xf32>
  %12 = linalg.matmul ins(%9, %v : tensor<6x16xf32>, tensor<16x8xf32>) outs(%11 : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %12 : tensor<6x8xf32>
}

// Chunks of two sizes, a chunk that is read alone, and a value that something else reads too stay.
// CHECK-LABEL: func @other_reads(
// CHECK-NOT: tensor.expand_shape
func.func @other_reads(%a: tensor<12xf32>)
    -> (tensor<6xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<12xf32>) {
  %0 = arith.addf %a, %a : tensor<12xf32>
  %1 = tensor.extract_slice %0[0] [6] [1] : tensor<12xf32> to tensor<6xf32>
  %2 = tensor.extract_slice %0[8] [4] [1] : tensor<12xf32> to tensor<4xf32>
  %3 = arith.mulf %a, %a : tensor<12xf32>
  %4 = tensor.extract_slice %3[6] [6] [1] : tensor<12xf32> to tensor<6xf32>
  %5 = math.exp %a : tensor<12xf32>
  %6 = tensor.extract_slice %5[0] [6] [1] : tensor<12xf32> to tensor<6xf32>
  %7 = tensor.extract_slice %5[6] [6] [1] : tensor<12xf32> to tensor<6xf32>
  return %1, %2, %4, %6, %7, %5 : tensor<6xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<12xf32>
}

// A sum that has another user would be computed twice; a transposed argument may be.
// CHECK-LABEL: func @repeated(
// CHECK: linalg.transpose {{.*}} : tensor<8x3xf32>
// CHECK: linalg.transpose {{.*}} : tensor<2x4x3xf32>
// CHECK: linalg.reduce {{.*}} : tensor<8x3xf32>
// CHECK-NOT: tensor.expand_shape
func.func @repeated(%a: tensor<8x3xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<3x8xf32>
  %1 = linalg.transpose ins(%a : tensor<8x3xf32>) outs(%0 : tensor<3x8xf32>) permutation = [1, 0]
  %2 = math.exp %1 : tensor<3x8xf32>
  %3 = tensor.extract_slice %2[0, 0] [3, 4] [1, 1] : tensor<3x8xf32> to tensor<3x4xf32>
  %4 = tensor.extract_slice %2[0, 4] [3, 4] [1, 1] : tensor<3x8xf32> to tensor<3x4xf32>
  %5 = tensor.empty() : tensor<8xf32>
  %6 = linalg.fill ins(%zero : f32) outs(%5 : tensor<8xf32>) -> tensor<8xf32>
  %7 = linalg.reduce { arith.addf } ins(%a : tensor<8x3xf32>) outs(%6 : tensor<8xf32>) dimensions = [1]
  %8 = math.exp %7 : tensor<8xf32>
  %9 = tensor.extract_slice %8[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %10 = tensor.extract_slice %8[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %3, %4, %1, %9, %10, %7 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}

// Hints that split the argument by chunks, or chunks evenly, fit; others keep the dimension, as
// hints of what is between do.
// CHECK-LABEL: func @hints(
// CHECK-COUNT-2: tensor.expand_shape
// CHECK-NOT: tensor.expand_shape
shard.grid @other(shape = 2x3) axes ["x", "y"]
func.func @hints(
    %a: tensor<12xf32> {shard.sharding = #shard.sharding<@other, [["x"]]>},
    %b: tensor<12xf32> {shard.sharding = #shard.sharding<@other, [["x", "y"]]>},
    %c: tensor<12xf32> {shard.sharding = #shard.sharding<@other, [["y"]]>},
    %d: tensor<12xf32>)
    -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %0 = math.exp %a : tensor<12xf32>
  %1 = tensor.extract_slice %0[0] [6] [1] : tensor<12xf32> to tensor<6xf32>
  %2 = tensor.extract_slice %0[6] [6] [1] : tensor<12xf32> to tensor<6xf32>
  %3 = math.exp %b : tensor<12xf32>
  %4 = tensor.extract_slice %3[0] [6] [1] : tensor<12xf32> to tensor<6xf32>
  %5 = tensor.extract_slice %3[6] [6] [1] : tensor<12xf32> to tensor<6xf32>
  %6 = math.exp %c : tensor<12xf32>
  %7 = tensor.extract_slice %6[0] [6] [1] : tensor<12xf32> to tensor<6xf32>
  %8 = tensor.extract_slice %6[6] [6] [1] : tensor<12xf32> to tensor<6xf32>
  %9 = math.exp %d : tensor<12xf32>
  %s = shard.sharding @other split_axes = [[1]] : !shard.sharding
  %10 = shard.shard %9 to %s : tensor<12xf32>
  %11 = math.sqrt %10 : tensor<12xf32>
  %12 = tensor.extract_slice %11[0] [6] [1] : tensor<12xf32> to tensor<6xf32>
  %13 = tensor.extract_slice %11[6] [6] [1] : tensor<12xf32> to tensor<6xf32>
  return %1, %2, %4, %5, %7, %8, %12, %13 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}
