// RUN: shard-opt %s --shard-move-collectives | FileCheck %s

// Device 0 alone has what the uneven gather gives. The rows of the other devices are elements for the
// second result, which is no slice of what is gathered in front.

shard.grid @g(shape = 2x2)

// CHECK-LABEL: func @rows_of_all_devices
// CHECK: %[[ROWS:.*]] = shard.all_gather %arg0 on @g grid_axes = [1] gather_axis = 0
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[ROWS]]
// CHECK: %[[FIRST:.*]] = shard.all_gather %[[PART]] on @g grid_axes = [0] gather_axis = 1
// CHECK: return %[[FIRST]], %[[ROWS]]
func.func @rows_of_all_devices(%a: tensor<1x1x11xf32> {shard.local = #shard.local<tensor<2x2x11xf32>, <@g, [[1], [0], []]>>})
    -> (tensor<2x1x8xf32>, tensor<2x1x11xf32> {shard.local = #shard.local<tensor<2x2x11xf32>, <@g, [[], [0], []]>>}) {
  %rows = shard.all_gather %a on @g grid_axes = [1] gather_axis = 0 : tensor<1x1x11xf32> -> tensor<2x1x11xf32>
  %part = tensor.extract_slice %rows[0, 0, 0] [2, 1, 8] [1, 1, 1] : tensor<2x1x11xf32> to tensor<2x1x8xf32>
  %first = shard.all_gather %part on @g grid_axes = [0] gather_axis = 1 : tensor<2x1x8xf32> -> tensor<2x1x8xf32>
  return %first, %rows : tensor<2x1x8xf32>, tensor<2x1x11xf32>
}

// The argument is known to have nothing but padding behind the row.

// CHECK-LABEL: func @padding
// CHECK: %[[FIRST:.*]] = shard.all_gather %arg0 on @g grid_axes = [0] gather_axis = 1
// CHECK: %[[ROWS:.*]] = shard.all_gather %[[FIRST]] on @g grid_axes = [1] gather_axis = 0
// CHECK: %[[BLOCK:.*]] = shard.all_slice %[[ROWS]] on @g grid_axes = [0] slice_axis = 1
// CHECK: return %{{.*}}, %[[BLOCK]]
func.func @padding(%a: tensor<1x1x11xf32> {shard.local = #shard.local<tensor<2x1x11xf32>, <@g, [[1], [0], []]>>})
    -> (tensor<2x1x8xf32>, tensor<2x1x11xf32> {shard.local = #shard.local<tensor<2x1x11xf32>, <@g, [[], [0], []]>>}) {
  %rows = shard.all_gather %a on @g grid_axes = [1] gather_axis = 0 : tensor<1x1x11xf32> -> tensor<2x1x11xf32>
  %part = tensor.extract_slice %rows[0, 0, 0] [2, 1, 8] [1, 1, 1] : tensor<2x1x11xf32> to tensor<2x1x8xf32>
  %first = shard.all_gather %part on @g grid_axes = [0] gather_axis = 1 : tensor<2x1x8xf32> -> tensor<2x1x8xf32>
  return %first, %rows : tensor<2x1x8xf32>, tensor<2x1x11xf32>
}
