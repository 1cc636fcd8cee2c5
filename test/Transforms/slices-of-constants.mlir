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
// CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0] [1, 4, 1] [1, 1, 1] : tensor<1x4x8xf32> to tensor<1x4xf32>
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

// Sizes of which the last element is outside stay too; strides count, as far as the last one.
// CHECK-LABEL: func.func @too_many(
// CHECK: %[[C9:.*]] = arith.constant 9 : index
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0] [1, 1, %[[C9]]] [1, 1, 1]
func.func @too_many(%a: tensor<1x4x8xf32>) -> tensor<?xf32> {
  %c9 = arith.constant 9 : index
  %s = tensor.extract_slice %a[0, 0, 0] [1, 1, %c9] [1, 1, 1] : tensor<1x4x8xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// CHECK-LABEL: func.func @two_with_a_stride(
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 1] [1, 1, 2] [1, 1, 6] : tensor<1x4x8xf32> to tensor<2xf32>
func.func @two_with_a_stride(%a: tensor<1x4x8xf32>) -> tensor<?xf32> {
  %c2 = arith.constant 2 : index
  %s = tensor.extract_slice %a[0, 0, 1] [1, 1, %c2] [1, 1, 6] : tensor<1x4x8xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// So do those of insertions. MLIR's canonicalizer casts the source to 4x1.
// CHECK-LABEL: func.func @inserted(
// CHECK: %[[S:.*]] = tensor.cast %{{.*}} : tensor<1x?xf32> to tensor<1x4xf32>
// CHECK: tensor.insert_slice %[[S]] into %{{.*}}[0, 0, 2] [1, 4, 1] [1, 1, 1] : tensor<1x4xf32> into tensor<1x4x8xf32>
func.func @inserted(%a: tensor<1x?xf32>, %b: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %s = tensor.insert_slice %a into %b[0, 0, %c2] [1, %c4, 1] [1, 1, 1] : tensor<1x?xf32> into tensor<1x4x8xf32>
  return %s : tensor<1x4x8xf32>
}

// CHECK-LABEL: func.func @inserted_side_by_side(
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[0, 0, %{{.*}}] [1, 4, 1] [1, 1, 1] : tensor<1x4xf32> into tensor<1x4x8xf32>
func.func @inserted_side_by_side(%a: tensor<1x?xf32>, %b: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %c4 = arith.constant 4 : index
  %0 = scf.forall (%i) in (8) shared_outs(%o = %b) -> (tensor<1x4x8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[0, 0, %i] [1, %c4, 1] [1, 1, 1] : tensor<1x?xf32> into tensor<1x4x8xf32>
    }
  }
  return %0 : tensor<1x4x8xf32>
}

// A block of one row goes to a column, whose place and size fold behind the partition.
// RUN: shard-run %s --verify --entry inserted_on_grid | FileCheck %s --check-prefix=INSERTED
// INSERTED: PASS
shard.grid @three_axes(shape = 4x2x2)
func.func @inserted_on_grid(
    %a: tensor<1x1x3xf32> {shard.sharding = #shard.sharding<@three_axes, [[], [], [0, 2]]>},
    %b: tensor<1x2x3x5x1xf32>)
    -> (tensor<1x2x3x5x1xf32> {shard.sharding = #shard.sharding<@three_axes, [[?], [1, 0, ?], [2], [], []]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.insert_slice %a into %b[%c0, 1, 0, %c1, 0] [1, 1, 3, 1, 1] [1, 1, 1, 1, 1] : tensor<1x1x3xf32> into tensor<1x2x3x5x1xf32>
  return %0 : tensor<1x2x3x5x1xf32>
}

// The blocks of the rows have one row each.
// GRID: PASS
shard.grid @grid(shape = 2)
func.func @on_grid(%a: tensor<2x4x8xf32>) -> (tensor<2x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %c0 = arith.constant 0 : index
  %s = tensor.extract_slice %a[0, 0, %c0] [2, 4, 1] [1, 1, 1] : tensor<2x4x8xf32> to tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// An offset that is a constant out of range cannot be written into an op. The size is: MLIR
// folds the cast of the slice to a static size into the insertion.
// CHECK-LABEL: func.func @beyond(
// CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}} [1, 11, %{{.*}}] [1, 1, 1] : tensor<11x11x4xf32> to tensor<1x11x?xf32>
// CHECK: tensor.insert_slice %[[S]] into %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] [1, 11, %{{.*}}] [1, 1, 1] : tensor<1x11x?xf32> into
func.func @beyond(%s: tensor<11x11x4xf32>, %d: tensor<11x11x4xf32>, %o: index, %p: index, %n: index) -> tensor<11x11x4xf32> {
  %c11 = arith.constant 11 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract_slice %s[%o, 0, %p] [%c1, 11, %n] [1, 1, 1] : tensor<11x11x4xf32> to tensor<?x11x?xf32>
  %i = tensor.insert_slice %e into %d[%o, %c11, %p] [%c1, 11, %n] [1, 1, 1] : tensor<?x11x?xf32> into tensor<11x11x4xf32>
  return %i : tensor<11x11x4xf32>
}
