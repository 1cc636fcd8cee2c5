// What devices read of their halos is stated where it is less than the halos hold, so that
// nothing else is sent; the prediction counts the same.

// RUN: shard-opt %s --shard-spmd --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-spmd --split-input-file 2>/dev/null | shard-opt --split-input-file --shard-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=BYTES

// Blocks of 5 rows are read by blocks of 3, 3 and 1 places, two rows by each: device 0
// reads row 5 of device 1, and device 1 reads rows 10 and 11 of device 2, of 16 bytes each.
shard.grid @g(shape = 3)
// CHECK-LABEL: func.func @drift
// CHECK: shard.update_halo {{.*}} halo_sizes = [0, 2] {shard.windows = [array<i64>, array<i64>, array<i64: 7, 2, 0, 2, 0, 15>, array<i64>]} : tensor<1x1x7x4xf32>
// BYTES: update_halo 0 1 1 32 B
func.func @drift(%a: tensor<1x1x15x4xf32> {shard.sharding = #shard.sharding<@g, [[], [], [0], []]>}, %k: tensor<1x1x2x4xf32>, %o: tensor<1x1x7x1xf32>) -> tensor<1x1x7x1xf32> {
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a, %k : tensor<1x1x15x4xf32>, tensor<1x1x2x4xf32>) outs(%o : tensor<1x1x7x1xf32>) -> tensor<1x1x7x1xf32>
  return %r : tensor<1x1x7x1xf32>
}

// -----

// Each second row and column is read: device 1 reads 7 elements of device 2, of 4 bytes.
shard.grid @g(shape = 3)
// CHECK-LABEL: func.func @apart
// CHECK: shard.update_halo {{.*}} halo_sizes = [0, 1] {shard.windows = [array<i64>, array<i64>, array<i64: 7, 2, 0, 1, 0, 14>, array<i64: 7, 2, 0, 1, 0, 14>]} : tensor<1x1x6x14xf32>
// BYTES: update_halo 0 1 1 28 B
func.func @apart(%a: tensor<1x1x14x14xf32> {shard.sharding = #shard.sharding<@g, [[], [], [0], []]>}, %k: tensor<1x1x1x1xf32>, %o: tensor<1x1x7x7xf32>) -> tensor<1x1x7x7xf32> {
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a, %k : tensor<1x1x14x14xf32>, tensor<1x1x1x1xf32>) outs(%o : tensor<1x1x7x7xf32>) -> tensor<1x1x7x7xf32>
  return %r : tensor<1x1x7x7xf32>
}

// -----

// Blocks that divide evenly read their halos as they are.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @even
// CHECK: shard.update_halo {{.*}} halo_sizes = [1, 1] : tensor<1x1x6x4xf32>
// BYTES: update_halo 0 1 1 32 B
func.func @even(%a: tensor<1x1x16x4xf32> {shard.sharding = #shard.sharding<@g, [[], [], [0], []]>}, %k: tensor<1x1x3x4xf32>, %o: tensor<1x1x16x1xf32>) -> tensor<1x1x16x1xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 0, 1, 0] high[0, 0, 1, 0] {
  ^bb0(%i: index, %c: index, %x: index, %y: index):
    tensor.yield %zero : f32
  } : tensor<1x1x16x4xf32> to tensor<1x1x18x4xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%p, %k : tensor<1x1x18x4xf32>, tensor<1x1x3x4xf32>) outs(%o : tensor<1x1x16x1xf32>) -> tensor<1x1x16x1xf32>
  return %r : tensor<1x1x16x1xf32>
}
