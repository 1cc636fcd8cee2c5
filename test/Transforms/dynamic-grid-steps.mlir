// Whether an axis of unknown size divides a dimension is not known unless a sharding splits that by
// it: no step of a reshard splits another dimension by such an axis to send less.
// RUN: shard-opt %s --shard-spmd | FileCheck %s

shard.grid @last(shape = 3x?)
shard.grid @middle(shape = 2x4x?)

// Rows are exchanged over the axis of known size, not sliced over the other one.
// CHECK-LABEL: func.func @beside
// CHECK-NOT: grid_axes = [1]
func.func @beside(%x: tensor<7x3x1xf32> {shard.sharding = #shard.sharding<@last, [[], [], [0]]>})
    -> (tensor<7x3x1xf32> {shard.sharding = #shard.sharding<@last, [[], [], []]>}) {
  return %x : tensor<7x3x1xf32>
}

// A sum over the axis is not scattered over rows.
// CHECK-LABEL: func.func @kinds
// CHECK-NOT: shard.reduce_scatter
// CHECK: shard.all_reduce {{.*}} on @last grid_axes = [1]
func.func @kinds(%x: tensor<6x1xi16> {shard.sharding = #shard.sharding<@last, [[], []], partial = sum [1]>})
    -> (tensor<6x1xi16> {shard.sharding = #shard.sharding<@last, [[], []]>}) {
  %s = shard.sharding @last split_axes = [[], []] partial = max [1] : !shard.sharding
  %0 = shard.shard %x to %s annotate_for_users : tensor<6x1xi16>
  return %0 : tensor<6x1xi16>
}

// Nor behind slices over axes of known sizes.
// CHECK-LABEL: func.func @known
// CHECK-NOT: shard.reduce_scatter
// CHECK: shard.all_reduce {{.*}} on @middle grid_axes = [2] reduction ={{ +}}min
// CHECK-NOT: grid_axes = [2]
// CHECK: return
func.func @known(%x: tensor<9x1x3xi8> {shard.sharding = #shard.sharding<@middle, [[], [], []], partial = min [2]>})
    -> (tensor<9x1x3xi8> {shard.sharding = #shard.sharding<@middle, [[], [], []]>}) {
  return %x : tensor<9x1x3xi8>
}
