// Slices of what all devices have need no collective to become whole again, or to become others, and
// collectives that have moved past others are followed by these.
//
// RUN: shard-opt %s --split-input-file --shard-move-collectives | FileCheck %s

shard.grid @g(shape = 4)
shard.grid @h(shape = 2x2)

// CHECK-LABEL: func @whole
// CHECK-NOT: on @g
// CHECK: %[[A:.*]] = math.tanh %arg0 : tensor<3x4xf32>
// CHECK-NEXT: return %[[A]]
func.func @whole(%x: tensor<3x4xf32> {shard.local = #shard.local<tensor<3x4xf32>, <@g, [[], []]>>}) -> tensor<3x4xf32> {
  %a = math.tanh %x : tensor<3x4xf32>
  %0 = shard.all_slice %a on @g grid_axes = [0] slice_axis = 0 : tensor<3x4xf32> -> tensor<1x4xf32>
  %1 = shard.all_gather %0 on @g grid_axes = [0] gather_axis = 0 : tensor<1x4xf32> -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// An argument that all devices of a grid have is the same along the axes of another grid of as many.
// CHECK-LABEL: func @other_grid
// CHECK-NOT: on @g
// CHECK: return %arg0
func.func @other_grid(%x: tensor<3x4xf32> {shard.local = #shard.local<tensor<3x4xf32>, <@h, [[], []]>>}) -> tensor<3x4xf32> {
  %0 = shard.all_slice %x on @g grid_axes = [0] slice_axis = 0 : tensor<3x4xf32> -> tensor<1x4xf32>
  %1 = shard.all_gather %0 on @g grid_axes = [0] gather_axis = 0 : tensor<1x4xf32> -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// A grid of fewer devices does not say what the others have.
shard.grid @few(shape = 2)
// CHECK-LABEL: func @fewer_devices
// CHECK: shard.all_gather
func.func @fewer_devices(%x: tensor<3x4xf32> {shard.local = #shard.local<tensor<3x4xf32>, <@few, [[], []]>>}) -> tensor<3x4xf32> {
  %0 = shard.all_slice %x on @g grid_axes = [0] slice_axis = 0 : tensor<3x4xf32> -> tensor<1x4xf32>
  %1 = shard.all_gather %0 on @g grid_axes = [0] gather_axis = 0 : tensor<1x4xf32> -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// Rows, then columns.
// CHECK-LABEL: func @columns
// CHECK: %[[C:.*]] = shard.all_slice %arg0 on @g grid_axes = [0] slice_axis = 1 : tensor<5x4xf32> -> tensor<5x1xf32>
// CHECK-NEXT: return %[[C]]
func.func @columns(%x: tensor<5x4xf32> {shard.local = #shard.local<tensor<5x4xf32>, <@g, [[], []]>>}) -> tensor<5x1xf32> {
  %0 = shard.all_slice %x on @g grid_axes = [0] slice_axis = 0 : tensor<5x4xf32> -> tensor<2x4xf32>
  %1 = shard.all_to_all %0 on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<2x4xf32> -> tensor<5x1xf32>
  return %1 : tensor<5x1xf32>
}

// An uneven dimension becomes whole in two steps, as these send less; all of it is there.
// CHECK-LABEL: func @two_steps
// CHECK-NOT: on @g
// CHECK: %[[A:.*]] = math.tanh %arg0 : tensor<5x4xf32>
// CHECK-NEXT: return %[[A]]
func.func @two_steps(%x: tensor<5x4xf32> {shard.local = #shard.local<tensor<5x4xf32>, <@g, [[], []]>>}) -> tensor<5x4xf32> {
  %0 = shard.all_slice %x on @g grid_axes = [0] slice_axis = 0 : tensor<5x4xf32> -> tensor<2x4xf32>
  %a = math.tanh %0 : tensor<2x4xf32>
  %1 = shard.all_to_all %a on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<2x4xf32> -> tensor<5x1xf32>
  %2 = shard.all_gather %1 on @g grid_axes = [0] gather_axis = 1 : tensor<5x1xf32> -> tensor<5x4xf32>
  return %2 : tensor<5x4xf32>
}

// Two steps send less than one where something has to be sent.
// CHECK-LABEL: func @sent
// CHECK: shard.all_to_all
// CHECK: shard.all_gather %{{.*}} gather_axis = 1
func.func @sent(%x: tensor<2x4xf32> {shard.local = #shard.local<tensor<5x4xf32>, <@g, [[0], []]>>}) -> tensor<5x4xf32> {
  %a = math.tanh %x : tensor<2x4xf32>
  %1 = shard.all_to_all %a on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<2x4xf32> -> tensor<5x1xf32>
  %2 = shard.all_gather %1 on @g grid_axes = [0] gather_axis = 1 : tensor<5x1xf32> -> tensor<5x4xf32>
  return %2 : tensor<5x4xf32>
}

// Devices have different tensors, or tensors that need not be one.
// CHECK-LABEL: func @different
// CHECK: shard.all_gather
// CHECK: shard.all_gather
func.func @different(%x: tensor<3x4xf32> {shard.local = #shard.local<tensor<3x16xf32>, <@g, [[], [0]]>>}, %y: tensor<3x4xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = shard.all_slice %x on @g grid_axes = [0] slice_axis = 0 : tensor<3x4xf32> -> tensor<1x4xf32>
  %1 = shard.all_gather %0 on @g grid_axes = [0] gather_axis = 0 : tensor<1x4xf32> -> tensor<3x4xf32>
  %2 = shard.all_slice %y on @g grid_axes = [0] slice_axis = 0 : tensor<3x4xf32> -> tensor<1x4xf32>
  %3 = shard.all_gather %2 on @g grid_axes = [0] gather_axis = 0 : tensor<1x4xf32> -> tensor<3x4xf32>
  return %1, %3 : tensor<3x4xf32>, tensor<3x4xf32>
}

// Blocks that are nested unevenly are not those that are exchanged.
// CHECK-LABEL: func @nested
// CHECK: shard.all_to_all
func.func @nested(%x: tensor<5x4xf32> {shard.local = #shard.local<tensor<5x4xf32>, <@h, [[], []]>>}) -> tensor<5x1xf32> {
  %0 = shard.all_slice %x on @h grid_axes = [0, 1] slice_axis = 0 : tensor<5x4xf32> -> tensor<2x4xf32>
  %1 = shard.all_to_all %0 on @h grid_axes = [0, 1] split_axis = 1 concat_axis = 0 : tensor<2x4xf32> -> tensor<5x1xf32>
  return %1 : tensor<5x1xf32>
}

// The first gather moves past the second one and the op behind it, and the second one follows.

// CHECK-LABEL: func @two_gathers
// CHECK: %[[N:.*]] = arith.trunci %arg0 : tensor<3x4xi64> to tensor<3x4xi32>
// CHECK: %[[A:.*]] = shard.all_gather %[[N]] on @h
// CHECK: %[[B:.*]] = shard.all_gather %[[A]] on @h
// CHECK: return %[[B]]
func.func @two_gathers(%x: tensor<3x4xi64> {shard.local = #shard.local<tensor<5x7xi64>, <@h, [[0], [1]]>>}) -> tensor<5x7xi32> {
  %a = shard.all_gather %x on @h grid_axes = [0] gather_axis = 0 : tensor<3x4xi64> -> tensor<5x4xi64>
  %b = shard.all_gather %a on @h grid_axes = [1] gather_axis = 1 : tensor<5x4xi64> -> tensor<5x7xi64>
  %c = arith.trunci %b : tensor<5x7xi64> to tensor<5x7xi32>
  return %c : tensor<5x7xi32>
}
