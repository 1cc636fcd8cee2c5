// Insertions side by side that write all of a tensor are a concatenation.
//
// RUN: shard-opt %s --shard-spread-insertions --split-input-file | FileCheck %s

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @roll(
// CHECK: %[[LAST:.*]] = tensor.extract_slice %{{.*}}[0, 5]
// CHECK: %[[OTHERS:.*]] = tensor.extract_slice %{{.*}}[0, 0]
// CHECK-NOT: tensor.insert_slice
// CHECK: tensor.concat dim(1) %[[LAST]], %[[OTHERS]]
func.func @roll(%a: tensor<3x6xf32>) -> tensor<3x6xf32> {
  %last = tensor.extract_slice %a[0, 5] [3, 1] [1, 1] : tensor<3x6xf32> to tensor<3x1xf32>
  %others = tensor.extract_slice %a[0, 0] [3, 5] [1, 1] : tensor<3x6xf32> to tensor<3x5xf32>
  %empty = tensor.empty() : tensor<3x6xf32>
  // The order of insertions is not that of places.
  %0 = tensor.insert_slice %others into %empty[0, 1] [3, 5] [1, 1] : tensor<3x5xf32> into tensor<3x6xf32>
  %1 = tensor.insert_slice %last into %0[0, 0] [3, 1] [1, 1] : tensor<3x1xf32> into tensor<3x6xf32>
  return %1 : tensor<3x6xf32>
}

// -----

// What no insertion writes stays, and what two write is that of the later one.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @gap(
// CHECK-COUNT-2: tensor.insert_slice
// CHECK-LABEL: func.func @overlap(
// CHECK-COUNT-3: tensor.insert_slice
// CHECK-LABEL: func.func @two_dims(
// CHECK-COUNT-2: tensor.insert_slice
// CHECK-NOT: tensor.concat
func.func @gap(%a: tensor<2xf32>, %b: tensor<3xf32>, %c: tensor<6xf32>) -> tensor<6xf32> {
  %0 = tensor.insert_slice %a into %c[0] [2] [1] : tensor<2xf32> into tensor<6xf32>
  %1 = tensor.insert_slice %b into %0[3] [3] [1] : tensor<3xf32> into tensor<6xf32>
  return %1 : tensor<6xf32>
}
func.func @overlap(%a: tensor<2xf32>, %b: tensor<3xf32>, %c: tensor<6xf32>) -> tensor<6xf32> {
  %0 = tensor.insert_slice %a into %c[0] [2] [1] : tensor<2xf32> into tensor<6xf32>
  %1 = tensor.insert_slice %b into %0[1] [3] [1] : tensor<3xf32> into tensor<6xf32>
  %2 = tensor.insert_slice %a into %1[4] [2] [1] : tensor<2xf32> into tensor<6xf32>
  return %2 : tensor<6xf32>
}
func.func @two_dims(%a: tensor<2x4xf32>, %b: tensor<4x2xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tensor.insert_slice %a into %c[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x4xf32>
  %1 = tensor.insert_slice %b into %0[0, 2] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// A value between with another user, and one with a hint, stay.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @used(
// CHECK-COUNT-2: tensor.insert_slice
// CHECK-LABEL: func.func @hinted(
// CHECK-COUNT-2: tensor.insert_slice
func.func @used(%a: tensor<2xf32>, %b: tensor<4xf32>, %c: tensor<6xf32>)
    -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = tensor.insert_slice %a into %c[0] [2] [1] : tensor<2xf32> into tensor<6xf32>
  %1 = tensor.insert_slice %b into %0[2] [4] [1] : tensor<4xf32> into tensor<6xf32>
  return %0, %1 : tensor<6xf32>, tensor<6xf32>
}
func.func @hinted(%a: tensor<2xf32>, %b: tensor<4xf32>, %c: tensor<6xf32>) -> tensor<6xf32> {
  %0 = tensor.insert_slice %a into %c[0] [2] [1] : tensor<2xf32> into tensor<6xf32>
  %1 = tensor.insert_slice %b into %0[2] [4] [1] {shard.loops = #shard.sharding<@grid, [[0]]>}
      : tensor<4xf32> into tensor<6xf32>
  return %1 : tensor<6xf32>
}

// -----

// Parts by turns are groups of one element of each part. Parts that lack the dimension stay: each
// device inserts those that are in its block.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @turns(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<3x4xf32>, %[[B:[a-z0-9]+]]: tensor<3x4xf32>
// CHECK-DAG: %[[EVEN:.*]] = tensor.expand_shape %[[A]] {{.*}} : tensor<3x4xf32> into tensor<3x4x1xf32>
// CHECK-DAG: %[[ODD:.*]] = tensor.expand_shape %[[B]] {{.*}} : tensor<3x4xf32> into tensor<3x4x1xf32>
// CHECK: %[[PAIRS:.*]] = tensor.concat dim(2) %[[EVEN]], %[[ODD]]
// CHECK: tensor.collapse_shape %[[PAIRS]] {{\[\[}}0], [1, 2]] : tensor<3x4x2xf32> into tensor<3x8xf32>
// CHECK-NOT: tensor.insert_slice
// CHECK-LABEL: func.func @stack(
// CHECK-COUNT-2: tensor.insert_slice
// Two parts that take one turn are no group, but choices by place.
// CHECK-LABEL: func.func @same_turn(
// CHECK-NOT: tensor.concat
// CHECK-COUNT-2: arith.select
func.func @turns(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>) -> tensor<3x8xf32> {
  %empty = tensor.empty() : tensor<3x8xf32>
  %0 = tensor.insert_slice %b into %empty[0, 1] [3, 4] [1, 2] : tensor<3x4xf32> into tensor<3x8xf32>
  %1 = tensor.insert_slice %a into %0[0, 0] [3, 4] [1, 2] : tensor<3x4xf32> into tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}
func.func @stack(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %empty = tensor.empty() : tensor<2x4xf32>
  %0 = tensor.insert_slice %a into %empty[0, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<2x4xf32>
  %1 = tensor.insert_slice %b into %0[1, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
func.func @same_turn(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.insert_slice %a into %c[1] [4] [2] : tensor<4xf32> into tensor<8xf32>
  %1 = tensor.insert_slice %b into %0[1] [4] [2] : tensor<4xf32> into tensor<8xf32>
  return %1 : tensor<8xf32>
}
