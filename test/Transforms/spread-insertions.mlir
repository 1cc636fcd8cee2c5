// RUN: shard-opt %s --shard-spread-insertions --split-input-file | FileCheck %s

shard.grid @g(shape = 2x2)

// 5 rows are padded to 8, which 4 devices could split; 3 columns to 4, as there is no row for each of 4
// devices. The image has no place for the third zero behind its last column.
// CHECK-LABEL: @image
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: %[[EVEN:.*]] = tensor.pad %{{.*}} low[0, 0] high[3, 1]
// CHECK: %[[APART:.*]] = tensor.expand_shape %[[EVEN]] {{\[\[}}0, 1], [2, 3]] output_shape [8, 1, 4, 1]
// CHECK: %[[SPREAD:.*]] = tensor.pad %[[APART]] low[0, 0, 0, 0] high[0, 1, 0, 2]
// CHECK: tensor.yield %[[ZERO]]
// CHECK: tensor<8x1x4x1xf32> to tensor<8x2x4x3xf32>
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[SPREAD]] {{.*}} into tensor<16x12xf32>
// CHECK: %[[CUT:.*]] = tensor.extract_slice %[[FLAT]][0, 0] [10, 8] [1, 1]
// CHECK: %[[PLACED:.*]] = tensor.pad %[[CUT]] low[0, 1] high[0, 0]
// CHECK: return %[[PLACED]] : tensor<10x9xf32>
func.func @image(%a: tensor<5x3xf32>) -> tensor<10x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<10x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<10x9xf32>) -> tensor<10x9xf32>
  %r = tensor.insert_slice %a into %f[0, 1] [5, 3] [2, 3] : tensor<5x3xf32> into tensor<10x9xf32>
  return %r : tensor<10x9xf32>
}

// The columns keep their places, and those behind are filled.
// CHECK-LABEL: @rows
// CHECK: %[[SEVEN:.*]] = arith.constant 7 : i32
// CHECK-NOT: tensor.pad
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [4, 1, 3]
// CHECK: tensor.collapse_shape {{.*}} into tensor<8x3xi32>
// CHECK-NOT: tensor.extract_slice
// CHECK: tensor.pad {{.*}} low[2, 1] high[1, 0]
// CHECK: tensor.yield %[[SEVEN]]
func.func @rows(%a: tensor<4x3xi32>) -> tensor<11x4xi32> {
  %f = arith.constant dense<7> : tensor<11x4xi32>
  %r = tensor.insert_slice %a into %f[2, 1] [4, 3] [2, 1] : tensor<4x3xi32> into tensor<11x4xi32>
  return %r : tensor<11x4xi32>
}

// CHECK-LABEL: @others
// CHECK-NOT: tensor.expand_shape
func.func @others(%a: tensor<4xf32>, %b: tensor<?xf32>, %i: index, %n: index)
    -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9x9xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<9xf32>
  %many = arith.constant dense<0.0> : tensor<9x9xf32>
  %place = tensor.insert_slice %a into %zeros[%i] [4] [2] : tensor<4xf32> into tensor<9xf32>
  %size = tensor.insert_slice %b into %zeros[0] [%n] [2] : tensor<?xf32> into tensor<9xf32>
  %dense = tensor.insert_slice %a into %zeros[0] [4] [1] : tensor<4xf32> into tensor<9xf32>
  %hint = tensor.insert_slice %a into %zeros[0] [4] [2] {shard.loops = #shard.sharding<@g, [[]]>} : tensor<4xf32> into tensor<9xf32>
  %rank = tensor.insert_slice %a into %many[0, 0] [1, 4] [1, 2] : tensor<4xf32> into tensor<9x9xf32>
  %last = tensor.insert_slice %a into %zeros[2] [4] [0] : tensor<4xf32> into tensor<9xf32>
  return %place, %size, %dense, %hint, %last, %rank : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9x9xf32>
}

// Into other elements: a choice by place, in the rows 1, 3, 5 and the columns 2 and 3.
// CHECK-LABEL: @choice
// CHECK-SAME: %[[A:.*]]: tensor<3x2xi8>, %[[B:.*]]: tensor<8x5xi8>
// CHECK: %[[SPREAD:.*]] = tensor.pad %{{.*}} low[1, 2]
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} ins(%[[SPREAD]] : tensor<8x5xi8>) outs(%[[B]] : tensor<8x5xi8>)
// CHECK: ^bb0(%[[NEW:.*]]: i8, %[[OLD:.*]]: i8):
// CHECK: linalg.index 0
// CHECK: arith.cmpi ule, %{{.*}}, %c4
// CHECK: arith.remui %{{.*}}, %c2
// CHECK: linalg.index 1
// CHECK: arith.cmpi ule, %{{.*}}, %c1
// CHECK: arith.select %{{.*}}, %[[NEW]], %[[OLD]] : i8
// CHECK: return %[[ALL]]
func.func @choice(%a: tensor<3x2xi8>, %b: tensor<8x5xi8>) -> tensor<8x5xi8> {
  %r = tensor.insert_slice %a into %b[1, 2] [3, 2] [2, 1] : tensor<3x2xi8> into tensor<8x5xi8>
  return %r : tensor<8x5xi8>
}

// Equal elements need no image.
// CHECK-LABEL: @equal
// CHECK: %[[SEVEN:.*]] = arith.constant 7.0
// CHECK-NOT: tensor.pad
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK: arith.select %{{.*}}, %[[SEVEN]]
func.func @equal(%b: tensor<8xf32>) -> tensor<8xf32> {
  %sevens = arith.constant dense<7.0> : tensor<3xf32>
  %r = tensor.insert_slice %sevens into %b[0] [3] [3] : tensor<3xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// No grid: nothing to split.
// CHECK-LABEL: @alone
// CHECK-NOT: tensor.expand_shape
func.func @alone(%a: tensor<4xf32>) -> tensor<9xf32> {
  %zeros = arith.constant dense<0.0> : tensor<9xf32>
  %r = tensor.insert_slice %a into %zeros[0] [4] [2] : tensor<4xf32> into tensor<9xf32>
  return %r : tensor<9xf32>
}
