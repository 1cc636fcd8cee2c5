// Integers and indices that are computed of constants or of static extents become constants
// at the places of the ops; slices, sources of insertions and pads get the extents that
// follow. What data gives, floats, ops with hints and what MLIR does not fold stay.

// RUN: shard-opt %s --shard-fold-numbers --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-fold-numbers --split-input-file --mlir-print-debuginfo | FileCheck %s --check-prefix=PLACES

// CHECK-LABEL: func.func @sums
// CHECK-SAME: %[[A:.*]]: tensor<16x8xf32>
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[FIVE:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[X:.*]] = tensor.extract_slice %[[A]][%[[TWO]], 0] [8, 8] [1, 1] : tensor<16x8xf32> to tensor<8x8xf32>
// CHECK-NEXT: %[[Y:.*]] = tensor.insert_slice %[[X]] into %[[A]][%[[FIVE]], 0] [8, 8] [1, 1]
// CHECK-NEXT: %[[Z:.*]] = tensor.extract_slice %[[A]][%[[EIGHT]], 0] [2, 8] [1, 1]
// CHECK-NEXT: return %[[X]], %[[Y]], %[[Z]]
// PLACES: arith.constant 2 : index loc(#[[SUM:.*]])
// PLACES: #[[SUM]] = loc("sum")
func.func @sums(%a: tensor<16x8xf32>) -> (tensor<8x8xf32>, tensor<16x8xf32>, tensor<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %i = arith.index_cast %one : i32 to index
  %two = arith.addi %i, %i : index loc("sum")
  %five = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0)>(%two)[%i]
  %extent = tensor.dim %a, %c0 : tensor<16x8xf32>
  %eight = arith.divsi %extent, %two : index
  %x = tensor.extract_slice %a[%two, 0] [8, 8] [1, 1] : tensor<16x8xf32> to tensor<8x8xf32>
  %y = tensor.insert_slice %x into %a[%five, 0] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<16x8xf32>
  %z = tensor.extract_slice %a[%eight, 0] [2, 8] [1, 1] : tensor<16x8xf32> to tensor<2x8xf32>
  return %x, %y, %z : tensor<8x8xf32>, tensor<16x8xf32>, tensor<2x8xf32>
}

// -----

// Sizes and widths; that of %w is not in its tensor, and stays.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME: %[[A:.*]]: tensor<16x8xf32>, %[[AT:.*]]: index
// CHECK: %[[N:.*]] = arith.constant 17 : index
// CHECK-NEXT: %[[X:.*]] = tensor.extract_slice %[[A]][%[[AT]], 0] [4, 1] [1, 1] : tensor<16x8xf32> to tensor<4xf32>
// CHECK-NEXT: %[[DX:.*]] = tensor.cast %[[X]] : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: %[[Y:.*]] = tensor.pad %[[A]] low[1, %[[AT]]] high[2, 0]
// CHECK: tensor<16x8xf32> to tensor<19x?xf32>
// CHECK-NEXT: %[[DY:.*]] = tensor.cast %[[Y]] : tensor<19x?xf32> to tensor<?x?xf32>
// CHECK-NEXT: %[[W:.*]] = tensor.extract_slice %[[A]][0, 0] [%[[N]], 8] [1, 1] : tensor<16x8xf32> to tensor<?x8xf32>
// CHECK-NEXT: return %[[DX]], %[[DY]], %[[W]]
func.func @sizes(%a: tensor<16x8xf32>, %at: index) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?x8xf32>) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0.0 : f32
  %c2 = arith.addi %c1, %c1 : index
  %c4 = arith.muli %c2, %c2 : index
  %c17 = arith.addi %c16, %c1 : index
  %x = tensor.extract_slice %a[%at, 0] [%c4, 1] [1, 1] : tensor<16x8xf32> to tensor<?xf32>
  %y = tensor.pad %a low[%c1, %at] high[%c2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<16x8xf32> to tensor<?x?xf32>
  %w = tensor.extract_slice %a[0, 0] [%c17, 8] [1, 1] : tensor<16x8xf32> to tensor<?x8xf32>
  return %x, %y, %w : tensor<?xf32>, tensor<?x?xf32>, tensor<?x8xf32>
}

// -----

// The source of an insertion: that of %x as the slice states it, that of %y by a cast. The
// size of %w, which is data, that of %v, which is not in its tensor, and that of %u, of a
// dimension of unknown extent, stay.
// CHECK-LABEL: func.func @insertions
// CHECK-SAME: %[[A:.*]]: tensor<16x8xf32>, %[[B:.*]]: tensor<?x?xf32>, %[[AT:.*]]: index
// CHECK: %[[S:.*]] = tensor.extract_slice %[[A]][%[[AT]], 0] [1, 4] [1, 1] : tensor<16x8xf32> to tensor<4xf32>
// CHECK: tensor.insert_slice %[[S]] into %[[A]][%[[AT]], 2] [1, 4] [1, 1] {my.mark} : tensor<4xf32> into tensor<16x8xf32>
// CHECK-NEXT: %[[C:.*]] = tensor.cast %[[B]] : tensor<?x?xf32> to tensor<4x?xf32>
// CHECK-NEXT: tensor.insert_slice %[[C]] into %[[A]][0, 0] [4, %[[AT]]] [1, 1] : tensor<4x?xf32> into tensor<16x8xf32>
// CHECK-NEXT: tensor.insert_slice %[[B]] into %[[A]][0, 0] [%[[AT]], %[[AT]]]
// CHECK-NEXT: tensor.insert_slice %[[B]] into %[[A]][0, 0] [%{{.*}}, %[[AT]]]
// CHECK-NEXT: tensor.insert_slice %[[B]] into %{{.*}}[0, 0] [%{{.*}}, %[[AT]]]
func.func @insertions(%a: tensor<16x8xf32>, %b: tensor<?x?xf32>, %at: index, %d: tensor<?x8xf32>)
    -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<?x8xf32>) {
  %c4 = arith.constant 4 : index
  %c17 = arith.constant 17 : index
  %s = tensor.extract_slice %a[%at, 0] [1, %c4] [1, 1] : tensor<16x8xf32> to tensor<?xf32>
  %x = tensor.insert_slice %s into %a[%at, 2] [1, %c4] [1, 1] {my.mark} : tensor<?xf32> into tensor<16x8xf32>
  %y = tensor.insert_slice %b into %a[0, 0] [%c4, %at] [1, 1] : tensor<?x?xf32> into tensor<16x8xf32>
  %w = tensor.insert_slice %b into %a[0, 0] [%at, %at] [1, 1] : tensor<?x?xf32> into tensor<16x8xf32>
  %v = tensor.insert_slice %b into %a[0, 0] [%c17, %at] [1, 1] : tensor<?x?xf32> into tensor<16x8xf32>
  %u = tensor.insert_slice %b into %d[0, 0] [%c4, %at] [1, 1] : tensor<?x?xf32> into tensor<?x8xf32>
  return %x, %y, %w, %v, %u : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<?x8xf32>
}

// -----

// CHECK-LABEL: func.func @stay
// CHECK: arith.addi {{.*}} {my.hint} : index
// CHECK: arith.divsi
// CHECK: arith.addf
// CHECK: arith.muli
// CHECK: tensor.dim
// CHECK: arith.addi {{.*}} : tensor<2xi32>
func.func @stay(%a: tensor<?xf32>, %n: index) -> (index, index, f32, index, index, tensor<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %ones = arith.constant dense<1> : tensor<2xi32>
  %0 = arith.addi %c1, %c1 {my.hint} : index
  %1 = arith.divsi %c1, %c0 : index
  %2 = arith.addf %one, %one : f32
  %3 = arith.muli %n, %c0 : index
  %4 = tensor.dim %a, %c0 : tensor<?xf32>
  %5 = arith.addi %ones, %ones : tensor<2xi32>
  return %0, %1, %2, %3, %4, %5 : index, index, f32, index, index, tensor<2xi32>
}

// -----

// Blocks that are not reached, and numbers in regions.
// CHECK-LABEL: func.func @blocks
// CHECK: scf.if
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT: scf.yield %[[TWO]]
func.func @blocks(%c: i1) -> index {
  %c1 = arith.constant 1 : index
  %0 = scf.if %c -> index {
    %1 = arith.addi %c1, %c1 : index
    scf.yield %1 : index
  } else {
    scf.yield %c1 : index
  }
  return %0 : index
^lost:
  %2 = arith.addi %2, %c1 : index
  cf.br ^lost
}

// -----

// A negative size is an error of the run, which says so; the type does not state it.
// CHECK-LABEL: func.func @negative
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [4, %c-5] [1, 1] : tensor<16x8xf32> to tensor<4x?xf32>
func.func @negative(%x: tensor<16x8xf32>) -> tensor<?x?xf32> {
  %four = arith.constant 4 : index
  %less = arith.constant -5 : index
  %0 = tensor.extract_slice %x[0, 0] [%four, %less] [1, 1] : tensor<16x8xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// What folds to one of its operands.
// CHECK-LABEL: func.func @operands
// CHECK-SAME: %[[A:.*]]: tensor<16x8xf32>, %[[N:.*]]: index
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[M:.*]] = arith.addi %[[N]], %[[ZERO]] : index
// CHECK-NEXT: %[[X:.*]] = tensor.extract_slice %[[A]][0, 0] [4, 4] [1, 1] : tensor<16x8xf32> to tensor<4x4xf32>
// CHECK-NEXT: %[[DX:.*]] = tensor.cast %[[X]] : tensor<4x4xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %[[DX]], %[[M]]
func.func @operands(%a: tensor<16x8xf32>, %n: index) -> (tensor<?x?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %sum = arith.addi %c4, %c0 : index
  %product = arith.muli %sum, %c1 : index
  %m = arith.addi %n, %c0 : index
  %x = tensor.extract_slice %a[0, 0] [%sum, %product] [1, 1] : tensor<16x8xf32> to tensor<?x?xf32>
  return %x, %m : tensor<?x?xf32>, index
}

// -----

// The hint names the two loops that the slice has as it is.
// CHECK-LABEL: func.func @loops
// CHECK: tensor.extract_slice %{{.*}}[0, %{{.*}}] [16, %{{.*}}] [1, 1] {shard.loops = {{.*}}} : tensor<16x8xf32> to tensor<16x?xf32>
shard.grid @g(shape = 4)
func.func @loops(%a: tensor<16x8xf32>, %at: index) -> tensor<16x?xf32> {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size = arith.addi %c1, %c0 : index
  %x = tensor.extract_slice %a[0, %at] [16, %size] [1, 1] {shard.loops = #shard.sharding<@g, [[0]]>} : tensor<16x8xf32> to tensor<16x?xf32>
  return %x : tensor<16x?xf32>
}

// -----

// What a device has of a stated sharding is a number. That of a value is not known yet.
// CHECK-LABEL: func.func @shape_of_shard
// CHECK: tensor.extract_slice %arg0[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
// CHECK: shard.shard_shape
shard.grid @g(shape = 4)
func.func @shape_of_shard(%a: tensor<8xf32>) -> (tensor<?xf32>, index) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %n = shard.shard_shape dims = [8] sharding = %s device = [1] : index
  %0 = tensor.extract_slice %a[0] [%n] [1] : tensor<8xf32> to tensor<?xf32>
  %chosen = shard.get_sharding %a : tensor<8xf32> -> !shard.sharding
  %m = shard.shard_shape dims = [8] sharding = %chosen device = [1] : index
  return %0, %m : tensor<?xf32>, index
}
