// RUN: shard-opt %s --shard-fold-collectives | FileCheck %s
// RUN: shard-run %s --verify --entry on_grid | FileCheck %s --check-prefix=GRID

// Offsets, sizes and strides that are constants become static, and the slice drops the same
// dimensions as before. MLIR's canonicalizer makes [1, 1, 4] of the first one.

// CHECK-LABEL: func.func @second_of_one(
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0] [1, 4, 1] [1, 1, 1] : tensor<1x4x8xf32> to tensor<1x4xf32>
func.func @second_of_one(%a: tensor<1x4x8xf32>) -> tensor<1x4xf32> {
  %c0 = arith.constant 0 : index
  %s = tensor.extract_slice %a[0, 0, %c0] [1, 4, 1] [1, 1, 1] : tensor<1x4x8xf32> to tensor<1x4xf32>
  return %s : tensor<1x4xf32>
}

// CHECK-LABEL: func.func @sizes(
// CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0] [1, 4, 1] [1, 1, 2] : tensor<1x4x8xf32> to tensor<1x4xf32>
// CHECK: tensor.cast %[[S]] : tensor<1x4xf32> to tensor<1x?xf32>
func.func @sizes(%a: tensor<1x4x8xf32>) -> tensor<1x?xf32> {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %s = tensor.extract_slice %a[0, 0, 0] [1, %c4, 1] [1, 1, %c2] : tensor<1x4x8xf32> to tensor<1x?xf32>
  return %s : tensor<1x?xf32>
}

// A hint stays.
// CHECK-LABEL: func.func @hint(
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0] [1, 4, 1] [1, 1, 1] {shard.sharding = #shard.sharding<@grid, {{\[\[\], \[0\]\]}}>}
func.func @hint(%a: tensor<1x4x8xf32>) -> tensor<1x4xf32> {
  %c0 = arith.constant 0 : index
  %s = tensor.extract_slice %a[0, 0, %c0] [1, 4, 1] [1, 1, 1] {shard.sharding = #shard.sharding<@grid, [[], [0]]>} : tensor<1x4x8xf32> to tensor<1x4xf32>
  return %s : tensor<1x4xf32>
}

// A constant that does not fit stays a value: the run tells.
// CHECK-LABEL: func.func @outside(
// CHECK: %[[C9:.*]] = arith.constant 9 : index
// CHECK: tensor.extract_slice %{{.*}}[0, 0, %[[C9]]]
func.func @outside(%a: tensor<1x4x8xf32>) -> tensor<1x4xf32> {
  %c9 = arith.constant 9 : index
  %s = tensor.extract_slice %a[0, 0, %c9] [1, 4, 1] [1, 1, 1] : tensor<1x4x8xf32> to tensor<1x4xf32>
  return %s : tensor<1x4xf32>
}

// The blocks of the rows have one row each.
// GRID: PASS
shard.grid @grid(shape = 2)
func.func @on_grid(%a: tensor<2x4x8xf32>) -> (tensor<2x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %c0 = arith.constant 0 : index
  %s = tensor.extract_slice %a[0, 0, %c0] [2, 4, 1] [1, 1, 1] : tensor<2x4x8xf32> to tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}
