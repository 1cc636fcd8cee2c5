// The algebra of collectives, rule by rule; test/unit/IR/CollectiveAlgebraTest.cpp
// runs both sides of each.
//
// RUN: shard-opt %s --split-input-file --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @slice_of_gather(
// CHECK-NEXT: return %{{.*}} : tensor<4xi32>
shard.grid @g(shape = 2x3)
func.func @slice_of_gather(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<4xi32> -> tensor<12xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<12xi32> -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @slice_of_gather_uneven(
// CHECK-NEXT: return %{{.*}} : tensor<4xi32>
shard.grid @g(shape = 2x3)
func.func @slice_of_gather_uneven(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<4xi32> -> tensor<10xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<10xi32> -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @slice_of_gather_other_order(
// CHECK-NEXT: %{{.*}} = shard.all_gather %{{.*}} on @g grid_axes = [0, 1] gather_axis = 0 : tensor<2xi32> -> tensor<12xi32>
// CHECK-NEXT: %{{.*}} = shard.all_slice %{{.*}} on @g grid_axes = [1, 0] slice_axis = 0 : tensor<12xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @slice_of_gather_other_order(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [0, 1] gather_axis = 0 : tensor<2xi32> -> tensor<12xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1, 0] slice_axis = 0 : tensor<12xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @slice_of_gather_prefix(
// CHECK-NEXT: %{{.*}} = shard.all_gather %{{.*}} on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<5xi32>
// CHECK-NEXT: return %{{.*}} : tensor<5xi32>
shard.grid @g(shape = 2x3)
func.func @slice_of_gather_prefix(%x: tensor<2xi32>) -> tensor<5xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [0, 1] gather_axis = 0 : tensor<2xi32> -> tensor<10xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [0] slice_axis = 0 : tensor<10xi32> -> tensor<5xi32>
  return %1 : tensor<5xi32>
}

// -----

// The gather stays for another use: its slice takes no second one.
// CHECK-LABEL: func.func @slice_of_used_gather(
// CHECK-NEXT: %[[ALL:.*]] = shard.all_gather %{{.*}} on @g grid_axes = [0, 1]
// CHECK-NEXT: shard.all_slice %[[ALL]] on @g grid_axes = [0]
shard.grid @g(shape = 2x3)
func.func @slice_of_used_gather(%x: tensor<2xi32>) -> (tensor<12xi32>, tensor<6xi32>) {
  %0 = shard.all_gather %x on @g grid_axes = [0, 1] gather_axis = 0 : tensor<2xi32> -> tensor<12xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [0] slice_axis = 0 : tensor<12xi32> -> tensor<6xi32>
  return %0, %1 : tensor<12xi32>, tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @slice_of_gather_suffix_stays(
// CHECK-NEXT: %{{.*}} = shard.all_gather %{{.*}} on @g grid_axes = [0, 1] gather_axis = 0 : tensor<2xi32> -> tensor<12xi32>
// CHECK-NEXT: %{{.*}} = shard.all_slice %{{.*}} on @g grid_axes = [1] slice_axis = 0 : tensor<12xi32> -> tensor<4xi32>
// CHECK-NEXT: return %{{.*}} : tensor<4xi32>
shard.grid @g(shape = 2x3)
func.func @slice_of_gather_suffix_stays(%x: tensor<2xi32>) -> tensor<4xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [0, 1] gather_axis = 0 : tensor<2xi32> -> tensor<12xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<12xi32> -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @slice_more_than_gather(
// CHECK-NEXT: %{{.*}} = shard.all_slice %{{.*}} on @g grid_axes = [1] slice_axis = 0 : tensor<5xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @slice_more_than_gather(%x: tensor<5xi32>) -> tensor<2xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<5xi32> -> tensor<9xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [0, 1] slice_axis = 0 : tensor<9xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @slice_of_gather_other_dim(
// CHECK-NEXT: %{{.*}} = shard.all_gather %{{.*}} on @g grid_axes = [1] gather_axis = 0 : tensor<3x3xi32> -> tensor<9x3xi32>
// CHECK-NEXT: %{{.*}} = shard.all_slice %{{.*}} on @g grid_axes = [1] slice_axis = 1 : tensor<9x3xi32> -> tensor<9x1xi32>
// CHECK-NEXT: return %{{.*}} : tensor<9x1xi32>
shard.grid @g(shape = 2x3)
func.func @slice_of_gather_other_dim(%x: tensor<3x3xi32>) -> tensor<9x1xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<3x3xi32> -> tensor<9x3xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 1 : tensor<9x3xi32> -> tensor<9x1xi32>
  return %1 : tensor<9x1xi32>
}

// -----

// CHECK-LABEL: func.func @gather_of_slice_of_unknown_stays(
// CHECK-NEXT: %{{.*}} = shard.all_slice %{{.*}} on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
// CHECK-NEXT: %{{.*}} = shard.all_gather %{{.*}} on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
// CHECK-NEXT: return %{{.*}} : tensor<6xi32>
shard.grid @g(shape = 2x3)
func.func @gather_of_slice_of_unknown_stays(%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.all_slice %x on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  %1 = shard.all_gather %0 on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
  return %1 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @gather_of_slice_of_replicated(
// CHECK-NEXT: %{{.*}} = shard.broadcast %{{.*}} on @g grid_axes = [1, 0] root = [1, 1] : (tensor<6xi32>) -> tensor<6xi32>
// CHECK-NEXT: return %{{.*}} : tensor<6xi32>
shard.grid @g(shape = 2x3)
func.func @gather_of_slice_of_replicated(%x: tensor<6xi32>) -> tensor<6xi32> {
  %r = shard.broadcast %x on @g grid_axes = [1, 0] root = [1, 1] : (tensor<6xi32>) -> tensor<6xi32>
  %0 = shard.all_slice %r on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  %1 = shard.all_gather %0 on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
  return %1 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @gather_of_slice_replicated_elsewhere_stays(
// CHECK-NEXT: %{{.*}} = shard.broadcast %{{.*}} on @g grid_axes = [0] root = [1] : (tensor<6xi32>) -> tensor<6xi32>
// CHECK-NEXT: %{{.*}} = shard.all_slice %{{.*}} on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
// CHECK-NEXT: %{{.*}} = shard.all_gather %{{.*}} on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
// CHECK-NEXT: return %{{.*}} : tensor<6xi32>
shard.grid @g(shape = 2x3)
func.func @gather_of_slice_replicated_elsewhere_stays(%x: tensor<6xi32>) -> tensor<6xi32> {
  %r = shard.broadcast %x on @g grid_axes = [0] root = [1] : (tensor<6xi32>) -> tensor<6xi32>
  %0 = shard.all_slice %r on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  %1 = shard.all_gather %0 on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
  return %1 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @gather_of_slice_of_sum_of_replicated(
// CHECK-NEXT: %{{.*}} = arith.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [0, 1] : tensor<6xi32> -> tensor<6xi32>
// CHECK-NEXT: %{{.*}} = arith.addi %{{.*}}, %{{.*}} : tensor<6xi32>
// CHECK-NEXT: return %{{.*}} : tensor<6xi32>
shard.grid @g(shape = 2x3)
func.func @gather_of_slice_of_sum_of_replicated(%x: tensor<6xi32>) -> tensor<6xi32> {
  %r = shard.all_reduce %x on @g grid_axes = [0, 1] : tensor<6xi32> -> tensor<6xi32>
  %c = arith.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %s = arith.addi %r, %c : tensor<6xi32>
  %0 = shard.all_slice %s on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  %1 = shard.all_gather %0 on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
  return %1 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @all_to_all_pair(
// CHECK-NEXT: return %{{.*}} : tensor<6x2xi32>
shard.grid @g(shape = 3x2)
func.func @all_to_all_pair(%x: tensor<6x2xi32>) -> tensor<6x2xi32> {
  %0 = shard.all_to_all %x on @g grid_axes = [0] split_axis = 0 concat_axis = 1 : tensor<6x2xi32> -> tensor<2x6xi32>
  %1 = shard.all_to_all %0 on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<2x6xi32> -> tensor<6x2xi32>
  return %1 : tensor<6x2xi32>
}

// -----

// CHECK-LABEL: func.func @all_to_all_pair_uneven(
// CHECK-NEXT: return %{{.*}} : tensor<5x2xi32>
shard.grid @g(shape = 3x2)
func.func @all_to_all_pair_uneven(%x: tensor<5x2xi32>) -> tensor<5x2xi32> {
  %0 = shard.all_to_all %x on @g grid_axes = [0, 1] split_axis = 0 concat_axis = 1 : tensor<5x2xi32> -> tensor<1x11xi32>
  %1 = shard.all_to_all %0 on @g grid_axes = [0, 1] split_axis = 1 concat_axis = 0 : tensor<1x11xi32> -> tensor<5x2xi32>
  return %1 : tensor<5x2xi32>
}

// -----

// CHECK-LABEL: func.func @all_to_all_same_dim_pair(
// CHECK-NEXT: return %{{.*}} : tensor<6xi32>
shard.grid @g(shape = 3x2)
func.func @all_to_all_same_dim_pair(%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.all_to_all %x on @g grid_axes = [0] split_axis = 0 concat_axis = 0 : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.all_to_all %0 on @g grid_axes = [0] split_axis = 0 concat_axis = 0 : tensor<6xi32> -> tensor<6xi32>
  return %1 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @all_to_all_not_inverse_stays(
// CHECK-NEXT: %{{.*}} = shard.all_to_all %{{.*}} on @g grid_axes = [0, 1] split_axis = 0 concat_axis = 1 : tensor<4x4xi32> -> tensor<1x16xi32>
// CHECK-NEXT: %{{.*}} = shard.all_to_all %{{.*}} on @g grid_axes = [1, 0] split_axis = 1 concat_axis = 0 : tensor<1x16xi32> -> tensor<4x4xi32>
// CHECK-NEXT: return %{{.*}} : tensor<4x4xi32>
shard.grid @g(shape = 2x2)
func.func @all_to_all_not_inverse_stays(%x: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %0 = shard.all_to_all %x on @g grid_axes = [0, 1] split_axis = 0 concat_axis = 1 : tensor<4x4xi32> -> tensor<1x16xi32>
  %1 = shard.all_to_all %0 on @g grid_axes = [1, 0] split_axis = 1 concat_axis = 0 : tensor<1x16xi32> -> tensor<4x4xi32>
  return %1 : tensor<4x4xi32>
}

// -----

// CHECK-LABEL: func.func @permute_identity(
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @permute_identity(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.permute %x on @g from_axes = [1, 0] to_axes = [1, 0] : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @permute_inverse(
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3x6)
func.func @permute_inverse(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.permute %x on @g from_axes = [1, 0] to_axes = [2] : tensor<2xi32>
  %1 = shard.permute %0 on @g from_axes = [2] to_axes = [1, 0] : tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @permute_chain_of_one_set(
// CHECK-NEXT: %{{.*}} = shard.permute %{{.*}} on @g from_axes = [0, 1, 2] to_axes = [2, 1, 0] : tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3x2)
func.func @permute_chain_of_one_set(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.permute %x on @g from_axes = [0, 1, 2] to_axes = [1, 0, 2] : tensor<2xi32>
  %1 = shard.permute %0 on @g from_axes = [1, 0, 2] to_axes = [2, 1, 0] : tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @permute_chain_over_other_axes_stays(
// CHECK-NEXT: %{{.*}} = shard.permute %{{.*}} on @g from_axes = [0] to_axes = [1] : tensor<2xi32>
// CHECK-NEXT: %{{.*}} = shard.permute %{{.*}} on @g from_axes = [1] to_axes = [2] : tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x2x2)
func.func @permute_chain_over_other_axes_stays(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.permute %x on @g from_axes = [0] to_axes = [1] : tensor<2xi32>
  %1 = shard.permute %0 on @g from_axes = [1] to_axes = [2] : tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @permute_of_replicated(
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [0, 1] : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x2)
func.func @permute_of_replicated(%x: tensor<2xi32>) -> tensor<2xi32> {
  %r = shard.all_reduce %x on @g grid_axes = [0, 1] : tensor<2xi32> -> tensor<2xi32>
  %0 = shard.permute %r on @g from_axes = [0] to_axes = [1] : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @shift_zero(
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 4)
func.func @shift_zero(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 0 : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @shift_all_around(
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 4)
func.func @shift_all_around(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = -8 rotate : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// Nobody has a block for anybody: what arrives is unspecified.
// CHECK-LABEL: func.func @shift_too_far(
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 4)
func.func @shift_too_far(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 4 : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0] shift_axis = 0 offset = -5 : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// The device at 0, or that at 3, receives its own block, the others an unspecified one.
// CHECK-LABEL: func.func @mirror_of_ends(
// CHECK-NEXT: return %[[X:.*]], %[[X]], %[[X]] : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
shard.grid @g(shape = 4)
func.func @mirror_of_ends(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 0 mirror : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 6 mirror : tensor<2xi32> -> tensor<2xi32>
  %2 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = -3 mirror : tensor<2xi32> -> tensor<2xi32>
  return %0, %1, %2 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}

// -----

// Two devices that mirror around themselves.
// CHECK-LABEL: func.func @mirror_of_two(
// CHECK-SAME: %[[X:.*]]: tensor<2xi32>)
// CHECK-NEXT: %[[MIRRORED:.*]] = shard.shift %[[X]] on @g grid_axes = [0] shift_axis = 0 offset = 3 rotate mirror
// CHECK-NEXT: return %[[X]], %[[MIRRORED]] : tensor<2xi32>, tensor<2xi32>
shard.grid @g(shape = 2)
func.func @mirror_of_two(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 2 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 3 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  return %0, %1 : tensor<2xi32>, tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @mirror_of_four_stays(
// CHECK-COUNT-3: shard.shift
shard.grid @g(shape = 4)
func.func @mirror_of_four_stays(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 4 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 5 mirror : tensor<2xi32> -> tensor<2xi32>
  %2 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 1 mirror : tensor<2xi32> -> tensor<2xi32>
  return %0, %1, %2 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @shift_chain_rotate(
// CHECK-NEXT: %{{.*}} = shard.shift %{{.*}} on @g grid_axes = [0, 1] shift_axis = 1 offset = 2 rotate : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x5)
func.func @shift_chain_rotate(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [1] shift_axis = 1 offset = 3 rotate : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0, 1] shift_axis = 1 offset = 4 rotate : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @shift_chain_back(
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 5)
func.func @shift_chain_back(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 2 : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0] shift_axis = 0 offset = -2 : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @shift_of_mirror(
// CHECK-NEXT: %{{.*}} = shard.shift %{{.*}} on @g grid_axes = [0, 1] shift_axis = 1 minor_axes = [0] offset = 1 rotate mirror : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: return
shard.grid @g(shape = 2x5)
func.func @shift_of_mirror(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0, 1] shift_axis = 1 minor_axes = [0] offset = 4 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0, 1] shift_axis = 1 minor_axes = [0] offset = 7 rotate : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @mirror_of_shift(
// CHECK-NEXT: %{{.*}} = shard.shift %{{.*}} on @g grid_axes = [0] shift_axis = 0 offset = -2 rotate mirror : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: return
shard.grid @g(shape = 5)
func.func @mirror_of_shift(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 3 rotate : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @mirror_twice(
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @mirror_twice(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0, 1] shift_axis = 0 minor_axes = [1] offset = 5 mirror : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0, 1] shift_axis = 0 minor_axes = [1] offset = 5 mirror : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @mirror_twice_is_shift(
// CHECK-NEXT: %{{.*}} = shard.shift %{{.*}} on @g grid_axes = [0] shift_axis = 0 offset = 3 rotate : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: return
shard.grid @g(shape = 5)
func.func @mirror_twice_is_shift(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0] shift_axis = 0 offset = 4 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @shift_chain_mixed_stays(
// CHECK-NEXT: %{{.*}} = shard.shift %{{.*}} on @g grid_axes = [0] shift_axis = 0 offset = 2 rotate : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: %{{.*}} = shard.shift %{{.*}} on @g grid_axes = [0] shift_axis = 0 offset = 1 : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 5)
func.func @shift_chain_mixed_stays(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 2 rotate : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0] shift_axis = 0 offset = 1 : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @slice_of_all_reduce(
// CHECK-NEXT: %{{.*}} = shard.reduce_scatter %{{.*}} on @g grid_axes = [1, 0] scatter_axis = 0 : tensor<6xi32> -> tensor<1xi32>
// CHECK-NEXT: return %{{.*}} : tensor<1xi32>
shard.grid @g(shape = 2x3)
func.func @slice_of_all_reduce(%x: tensor<6xi32>) -> tensor<1xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0, 1] : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1, 0] slice_axis = 0 : tensor<6xi32> -> tensor<1xi32>
  return %1 : tensor<1xi32>
}

// -----

// CHECK-LABEL: func.func @slice_of_all_reduce_partial_overlap(
// CHECK-NEXT: %{{.*}} = shard.reduce_scatter %{{.*}} on @g grid_axes = [1] reduction =  max scatter_axis = 0 : tensor<5xi32> -> tensor<2xi32>
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [0] reduction =  max : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @slice_of_all_reduce_partial_overlap(%x: tensor<5xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0, 1] reduction = max : tensor<5xi32> -> tensor<5xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<5xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @slice_of_mean_of_floats(
// CHECK-NEXT: %{{.*}} = shard.reduce_scatter %{{.*}} on @g grid_axes = [1] reduction =  average scatter_axis = 0 : tensor<4xf32> -> tensor<2xf32>
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [0] reduction =  average : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: return %{{.*}} : tensor<2xf32>
shard.grid @g(shape = 2x2)
func.func @slice_of_mean_of_floats(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0, 1] reduction = average : tensor<4xf32> -> tensor<4xf32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<4xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @slice_of_mean_of_integers_stays(
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [0, 1] reduction =  average : tensor<4xi32> -> tensor<4xi32>
// CHECK-NEXT: %{{.*}} = shard.all_slice %{{.*}} on @g grid_axes = [1] slice_axis = 0 : tensor<4xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x2)
func.func @slice_of_mean_of_integers_stays(%x: tensor<4xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0, 1] reduction = average : tensor<4xi32> -> tensor<4xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<4xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @slice_over_other_axis_stays(
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [0] : tensor<6xi32> -> tensor<6xi32>
// CHECK-NEXT: %{{.*}} = shard.all_slice %{{.*}} on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @slice_over_other_axis_stays(%x: tensor<6xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @slice_of_all_reduce_used_twice_stays(
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [1] : tensor<6xi32> -> tensor<6xi32>
// CHECK-NEXT: %{{.*}} = shard.all_slice %{{.*}} on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}}, %{{.*}} : tensor<6xi32>, tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @slice_of_all_reduce_used_twice_stays(%x: tensor<6xi32>) -> (tensor<6xi32>, tensor<2xi32>) {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  return %0, %1 : tensor<6xi32>, tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @gather_of_reduce_scatter(
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [1] reduction =  bitwise_xor : tensor<5xi32> -> tensor<5xi32>
// CHECK-NEXT: return %{{.*}} : tensor<5xi32>
shard.grid @g(shape = 2x3)
func.func @gather_of_reduce_scatter(%x: tensor<5xi32>) -> tensor<5xi32> {
  %0 = shard.reduce_scatter %x on @g grid_axes = [1] reduction = bitwise_xor scatter_axis = 0 : tensor<5xi32> -> tensor<2xi32>
  %1 = shard.all_gather %0 on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<5xi32>
  return %1 : tensor<5xi32>
}

// -----

// CHECK-LABEL: func.func @nested_sums(
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [1, 0] : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @nested_sums(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @sum_of_sum_over_same_axis_stays(
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [1] : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [1] : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @sum_of_sum_over_same_axis_stays(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [1] : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @max_of_max_overlapping(
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [1, 0] reduction =  max : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @max_of_max_overlapping(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] reduction = max : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [1, 0] reduction = max : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @max_of_umax_stays(
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [1] reduction =  umax : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [0] reduction =  max : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @max_of_umax_stays(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] reduction = umax : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] reduction = max : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @umin_of_replicated(
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [1] : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @umin_of_replicated(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [1] reduction = umin : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @reduce_scatter_of_replicated(
// CHECK-NEXT: %{{.*}} = shard.broadcast %{{.*}} on @g grid_axes = [1] root = [0] : (tensor<6xi32>) -> tensor<6xi32>
// CHECK-NEXT: %{{.*}} = shard.all_slice %{{.*}} on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @reduce_scatter_of_replicated(%x: tensor<6xi32>) -> tensor<2xi32> {
  %0 = shard.broadcast %x on @g grid_axes = [1] root = [0] : (tensor<6xi32>) -> tensor<6xi32>
  %1 = shard.reduce_scatter %0 on @g grid_axes = [1] reduction = bitwise_or scatter_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @reduce_of_replicated(
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [1] : tensor<6xi32> -> tensor<6xi32>
// CHECK-NEXT: return %{{.*}} : tensor<6xi32>
shard.grid @g(shape = 2x3)
func.func @reduce_of_replicated(%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.reduce %0 on @g grid_axes = [1] reduction = min root = [2] : (tensor<6xi32>) -> tensor<6xi32>
  return %1 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @broadcast_of_replicated(
// CHECK-NEXT: %{{.*}} = shard.all_gather %{{.*}} on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
// CHECK-NEXT: return %{{.*}} : tensor<6xi32>
shard.grid @g(shape = 2x3)
func.func @broadcast_of_replicated(%x: tensor<2xi32>) -> tensor<6xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
  %1 = shard.broadcast %0 on @g grid_axes = [1] root = [2] : (tensor<6xi32>) -> tensor<6xi32>
  return %1 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @gather_of_scatter(
// CHECK-NEXT: return %{{.*}} : tensor<6xi32>
shard.grid @g(shape = 2x3)
func.func @gather_of_scatter(%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.scatter %x on @g grid_axes = [1] scatter_axis = 0 root = [1] : (tensor<6xi32>) -> tensor<2xi32>
  %1 = shard.gather %0 on @g grid_axes = [1] gather_axis = 0 root = [1] : (tensor<2xi32>) -> tensor<6xi32>
  return %1 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @gather_of_scatter_other_root_stays(
// CHECK-NEXT: %{{.*}} = shard.scatter %{{.*}} on @g grid_axes = [1] scatter_axis = 0 root = [1] : (tensor<6xi32>) -> tensor<2xi32>
// CHECK-NEXT: %{{.*}} = shard.gather %{{.*}} on @g grid_axes = [1] gather_axis = 0 root = [0] : (tensor<2xi32>) -> tensor<6xi32>
// CHECK-NEXT: return %{{.*}} : tensor<6xi32>
shard.grid @g(shape = 2x3)
func.func @gather_of_scatter_other_root_stays(%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.scatter %x on @g grid_axes = [1] scatter_axis = 0 root = [1] : (tensor<6xi32>) -> tensor<2xi32>
  %1 = shard.gather %0 on @g grid_axes = [1] gather_axis = 0 root = [0] : (tensor<2xi32>) -> tensor<6xi32>
  return %1 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @scatter_of_gather(
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @scatter_of_gather(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.gather %x on @g grid_axes = [1, 0] gather_axis = 0 root = [1, 1] : (tensor<2xi32>) -> tensor<12xi32>
  %1 = shard.scatter %0 on @g grid_axes = [1, 0] scatter_axis = 0 root = [1, 1] : (tensor<12xi32>) -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @scatter_of_replicated(
// CHECK-NEXT: %{{.*}} = shard.reduce_scatter %{{.*}} on @g grid_axes = [1] scatter_axis = 0 : tensor<6xi32> -> tensor<2xi32>
// CHECK-NEXT: return %{{.*}} : tensor<2xi32>
shard.grid @g(shape = 2x3)
func.func @scatter_of_replicated(%x: tensor<6xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.scatter %0 on @g grid_axes = [1] scatter_axis = 0 root = [1] : (tensor<6xi32>) -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @one_device(
// CHECK-NEXT: return %{{.*}} : tensor<6xi32>
shard.grid @g(shape = 1x3)
func.func @one_device(%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.all_gather %0 on @g gather_axis = 0 : tensor<6xi32> -> tensor<6xi32>
  %2 = shard.broadcast %1 on @g grid_axes = [0] root = [0] : (tensor<6xi32>) -> tensor<6xi32>
  return %2 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @splat_moves(
// CHECK-NEXT: %{{.*}} = arith.constant dense<4> : tensor<12xi32>
// CHECK-NEXT: return %{{.*}} : tensor<12xi32>
shard.grid @g(shape = 2x3)
func.func @splat_moves() -> tensor<12xi32> {
  %c = arith.constant dense<3> : tensor<6x2xi32>
  %0 = shard.all_to_all %c on @g grid_axes = [1] split_axis = 0 concat_axis = 1 : tensor<6x2xi32> -> tensor<2x6xi32>
  %d = arith.constant dense<4> : tensor<6xi32>
  %1 = shard.all_gather %d on @g grid_axes = [0] gather_axis = 0 : tensor<6xi32> -> tensor<12xi32>
  return %1 : tensor<12xi32>
}

// -----

// CHECK-LABEL: func.func @sum_of_integer_splat(
// CHECK-NEXT: %{{.*}} = arith.constant dense<-18> : tensor<6xi32>
// CHECK-NEXT: return %{{.*}} : tensor<6xi32>
shard.grid @g(shape = 2x3)
func.func @sum_of_integer_splat() -> tensor<6xi32> {
  %c = arith.constant dense<-3> : tensor<6xi32>
  %0 = shard.all_reduce %c on @g grid_axes = [0, 1] : tensor<6xi32> -> tensor<6xi32>
  return %0 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @sum_of_float_splat_stays(
// CHECK-NEXT: %{{.*}} = arith.constant dense<3.000000e+00> : tensor<6xf32>
// CHECK-NEXT: %{{.*}} = shard.all_reduce %{{.*}} on @g grid_axes = [0, 1] : tensor<6xf32> -> tensor<6xf32>
// CHECK-NEXT: return %{{.*}} : tensor<6xf32>
shard.grid @g(shape = 2x3)
func.func @sum_of_float_splat_stays() -> tensor<6xf32> {
  %c = arith.constant dense<3.0> : tensor<6xf32>
  %0 = shard.all_reduce %c on @g grid_axes = [0, 1] : tensor<6xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// CHECK-LABEL: func.func @constant_with_different_elements_is_sliced(
// CHECK-NEXT: %{{.*}} = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
// CHECK-NEXT: %{{.*}} = shard.all_slice %{{.*}} on @g grid_axes = [1] slice_axis = 0 : tensor<3xi32> -> tensor<1xi32>
// CHECK-NEXT: return %{{.*}} : tensor<1xi32>
shard.grid @g(shape = 2x3)
func.func @constant_with_different_elements_is_sliced() -> tensor<1xi32> {
  %c = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = shard.all_slice %c on @g grid_axes = [1] slice_axis = 0 : tensor<3xi32> -> tensor<1xi32>
  return %0 : tensor<1xi32>
}

// -----

// CHECK-LABEL: func.func @sum_of_sums(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<6xf32>, %[[B:[a-z0-9]+]]: tensor<6xf32>
// CHECK-NEXT: %[[S:[a-z0-9_]+]] = arith.addf %[[A]], %[[B]] fastmath<nnan> : tensor<6xf32>
// CHECK-NEXT: %[[R:[a-z0-9_]+]] = shard.all_reduce %[[S]] on @g grid_axes = [0, 1] : tensor<6xf32> -> tensor<6xf32>
// CHECK-NEXT: return %[[R]]
shard.grid @g(shape = 2x3)
func.func @sum_of_sums(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0, 1] : tensor<6xf32> -> tensor<6xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [1, 0] : tensor<6xf32> -> tensor<6xf32>
  %2 = arith.addf %0, %1 fastmath<nnan> : tensor<6xf32>
  return %2 : tensor<6xf32>
}

// -----

// CHECK-LABEL: func.func @max_of_max(
// CHECK: arith.maxsi
// CHECK-NEXT: shard.all_reduce {{.*}} reduction =  max
// CHECK-NEXT: return
shard.grid @g(shape = 2x3)
func.func @max_of_max(%a: tensor<6xi32>, %b: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] reduction = max : tensor<6xi32> -> tensor<6xi32>
  %2 = arith.maxsi %0, %1 : tensor<6xi32>
  return %2 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func.func @sum_of_scattered_sums(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<6xf32>, %[[B:[a-z0-9]+]]: tensor<6xf32>
// CHECK-NEXT: %[[S:[a-z0-9_]+]] = arith.addf %[[B]], %[[A]] : tensor<6xf32>
// CHECK-NEXT: %[[R:[a-z0-9_]+]] = shard.reduce_scatter %[[S]] on @g grid_axes = [0] scatter_axis = 0 : tensor<6xf32> -> tensor<3xf32>
// CHECK-NEXT: return %[[R]]
shard.grid @g(shape = 2x3)
func.func @sum_of_scattered_sums(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<3xf32> {
  %0 = shard.reduce_scatter %a on @g grid_axes = [0] scatter_axis = 0 : tensor<6xf32> -> tensor<3xf32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [0] scatter_axis = 0 : tensor<6xf32> -> tensor<3xf32>
  %2 = arith.addf %1, %0 : tensor<3xf32>
  return %2 : tensor<3xf32>
}

// -----

// Blocks go to other devices where axes have another order, or along another dimension.

// CHECK-LABEL: func.func @not_scattered_alike(
// CHECK-COUNT-4: shard.reduce_scatter
// CHECK-NOT: shard.reduce_scatter
shard.grid @g(shape = 2x3)
func.func @not_scattered_alike(%a: tensor<6x6xf32>, %b: tensor<6x6xf32>, %c: tensor<6x12xf32>, %d: tensor<12x6xf32>)
    -> (tensor<1x6xf32>, tensor<6x6xf32>) {
  %0 = shard.reduce_scatter %a on @g grid_axes = [0, 1] scatter_axis = 0 : tensor<6x6xf32> -> tensor<1x6xf32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [1, 0] scatter_axis = 0 : tensor<6x6xf32> -> tensor<1x6xf32>
  %2 = arith.addf %0, %1 : tensor<1x6xf32>
  %3 = shard.reduce_scatter %c on @g grid_axes = [0] scatter_axis = 1 : tensor<6x12xf32> -> tensor<6x6xf32>
  %4 = shard.reduce_scatter %d on @g grid_axes = [0] scatter_axis = 0 : tensor<12x6xf32> -> tensor<6x6xf32>
  %5 = arith.addf %3, %4 : tensor<6x6xf32>
  return %2, %5 : tensor<1x6xf32>, tensor<6x6xf32>
}

// -----

// Unsigned maxima of signed ones, sums over other axes, sums that something else
// uses, sums that convert, and twice one sum stay.

// CHECK-LABEL: func.func @not_combined(
// CHECK-COUNT-8: shard.all_reduce
// CHECK-NOT: shard.all_reduce
shard.grid @g(shape = 2x3)
func.func @not_combined(%a: tensor<6xi32>, %b: tensor<6xi32>, %c: tensor<6xf16>)
    -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] reduction = max : tensor<6xi32> -> tensor<6xi32>
  %2 = arith.maxui %0, %1 : tensor<6xi32>
  %3 = shard.all_reduce %a on @g grid_axes = [0] : tensor<6xi32> -> tensor<6xi32>
  %4 = shard.all_reduce %b on @g grid_axes = [1] : tensor<6xi32> -> tensor<6xi32>
  %5 = arith.addi %3, %4 : tensor<6xi32>
  %6 = shard.all_reduce %a on @g grid_axes = [0, 1] : tensor<6xi32> -> tensor<6xi32>
  %7 = shard.all_reduce %b on @g grid_axes = [0, 1] : tensor<6xi32> -> tensor<6xi32>
  %8 = arith.addi %6, %7 : tensor<6xi32>
  %9 = shard.all_reduce %c on @g grid_axes = [0] : tensor<6xf16> -> tensor<6xf32>
  %10 = shard.all_reduce %c on @g grid_axes = [1] : tensor<6xf16> -> tensor<6xf32>
  %11 = arith.addf %9, %10 : tensor<6xf32>
  return %2, %5, %8, %7, %11 : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xf32>
}

// -----

// An axis of unknown size is no axis of one device.

// CHECK-LABEL: func.func @unknown_size(
// CHECK: shard.all_reduce
shard.grid @g(shape = ?)
func.func @unknown_size(%a: tensor<6xf32>) -> tensor<6xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<6xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// An extent that no collective changes is known in front of it, which is then of no use.
// CHECK-LABEL: func.func @extent_of_gather(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x?x?xi32>
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[A:.*]] = tensor.dim %[[X]], %[[ONE]]
// CHECK-NEXT: %[[B:.*]] = tensor.dim %[[X]], %[[ONE]]
// CHECK-NEXT: %[[C:.*]] = tensor.dim %[[X]], %[[ONE]]
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
shard.grid @g(shape = 2x3)
func.func @extent_of_gather(%x: tensor<2x?x?xi32>) -> (index, index, index) {
  %one = arith.constant 1 : index
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<2x?x?xi32> -> tensor<4x?x?xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 2 : tensor<4x?x?xi32> -> tensor<4x?x?xi32>
  %2 = shard.all_to_all %1 on @g grid_axes = [1] split_axis = 0 concat_axis = 2 : tensor<4x?x?xi32> -> tensor<?x?x?xi32>
  %a = tensor.dim %0, %one : tensor<4x?x?xi32>
  %b = tensor.dim %1, %one : tensor<4x?x?xi32>
  %c = tensor.dim %2, %one : tensor<?x?x?xi32>
  return %a, %b, %c : index, index, index
}

// -----

// CHECK-LABEL: func.func @extent_of_reduction(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x?xi32>
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[A:.*]] = tensor.dim %[[X]], %[[ONE]]
// CHECK-NEXT: %[[B:.*]] = tensor.dim %[[X]], %[[ONE]]
// CHECK-NEXT: return %[[A]], %[[B]]
shard.grid @g(shape = 2x3)
func.func @extent_of_reduction(%x: tensor<?x?xi32>) -> (index, index) {
  %one = arith.constant 1 : index
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<?x?xi32> -> tensor<?x?xi32>
  %1 = shard.reduce_scatter %0 on @g grid_axes = [1] scatter_axis = 0 : tensor<?x?xi32> -> tensor<?x?xi32>
  %a = tensor.dim %0, %one : tensor<?x?xi32>
  %b = tensor.dim %1, %one : tensor<?x?xi32>
  return %a, %b : index, index
}

// -----

// CHECK-LABEL: func.func @extent_of_scattered(
// CHECK: %[[G:.*]] = shard.reduce_scatter
// CHECK: tensor.dim %[[G]]
shard.grid @g(shape = 2x3)
func.func @extent_of_scattered(%x: tensor<?xi32>) -> index {
  %zero = arith.constant 0 : index
  %0 = shard.reduce_scatter %x on @g grid_axes = [0] scatter_axis = 0 : tensor<?xi32> -> tensor<?xi32>
  %a = tensor.dim %0, %zero : tensor<?xi32>
  return %a : index
}

// -----

// CHECK-LABEL: func.func @extent_that_changes(
// CHECK: %[[G:.*]] = shard.all_gather
// CHECK: tensor.dim %[[G]]
shard.grid @g(shape = 2x3)
func.func @extent_that_changes(%x: tensor<?xi32>) -> index {
  %zero = arith.constant 0 : index
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<?xi32> -> tensor<?xi32>
  %a = tensor.dim %0, %zero : tensor<?xi32>
  return %a : index
}

// -----

// There and back is where it was; not over other extents, and not back to other blocks.
shard.grid @mesh(shape = 2x2)
// CHECK-LABEL: func.func @redistribute_back
// CHECK-SAME: %[[A:.*]]: tensor<4x2xi8>
func.func @redistribute_back(%0: tensor<4x2xi8>) -> (tensor<4x2xi8>, tensor<4x4xi8>) {
  %1 = shard.redistribute %0 on @mesh grid_axes = [0, 1] from = [[0], [1]] to = [[1], [0]] extents = [8, 4] : tensor<4x2xi8> -> tensor<4x2xi8>
  %2 = shard.redistribute %1 on @mesh grid_axes = [0, 1] from = [[1], [0]] to = [[0], [1]] extents = [8, 4] : tensor<4x2xi8> -> tensor<4x2xi8>
  // CHECK: %[[B:.*]] = shard.redistribute %[[A]]
  // CHECK: %[[C:.*]] = shard.redistribute %[[B]]
  %3 = shard.redistribute %1 on @mesh grid_axes = [0, 1] from = [[1], [0]] to = [[0]] extents = [8, 4] : tensor<4x2xi8> -> tensor<4x4xi8>
  // CHECK: return %[[A]], %[[C]]
  return %2, %3 : tensor<4x2xi8>, tensor<4x4xi8>
}
// CHECK-LABEL: func.func @redistribute_other_extents
func.func @redistribute_other_extents(%0: tensor<4x2xi8>) -> tensor<4x2xi8> {
  %1 = shard.redistribute %0 on @mesh grid_axes = [0, 1] from = [[0], [1]] to = [[1], [0]] extents = [8, 4] : tensor<4x2xi8> -> tensor<4x2xi8>
  // CHECK-COUNT-2: shard.redistribute
  %2 = shard.redistribute %1 on @mesh grid_axes = [0, 1] from = [[1], [0]] to = [[0], [1]] extents = [7, 4] : tensor<4x2xi8> -> tensor<4x2xi8>
  return %2 : tensor<4x2xi8>
}

// -----

// Axes of size 1 in a longer list say nothing.
shard.grid @g(shape = 1x2x3)
// CHECK-LABEL: func.func @axes_of_one_device
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<4xf32>, %[[B:[a-z0-9]*]]: tensor<6x6xf32>
func.func @axes_of_one_device(%a: tensor<4xf32>, %b: tensor<6x6xf32>) -> (tensor<8xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<3x12xf32>) {
  // CHECK: %[[GATHER:.*]] = shard.all_gather %[[A]] on @g grid_axes = [1] gather_axis = 0
  %0 = shard.all_gather %a on @g grid_axes = [0, 1] gather_axis = 0 : tensor<4xf32> -> tensor<8xf32>
  // CHECK: %[[SLICE:.*]] = shard.all_slice %[[A]] on @g grid_axes = [1] slice_axis = 0
  %1 = shard.all_slice %a on @g grid_axes = [1, 0] slice_axis = 0 : tensor<4xf32> -> tensor<2xf32>
  %2 = shard.permute %a on @g from_axes = [0, 1] to_axes = [1, 0] : tensor<4xf32>
  // CHECK: %[[PERMUTE:.*]] = shard.permute %[[A]] on @g from_axes = [1, 2] to_axes = [2, 1]
  %3 = shard.permute %a on @g from_axes = [1, 0, 2] to_axes = [2, 1, 0] : tensor<4xf32>
  // CHECK: %[[REDUCE:.*]] = shard.all_reduce %[[A]] on @g grid_axes = [2]
  %4 = shard.all_reduce %a on @g grid_axes = [0, 2] : tensor<4xf32> -> tensor<4xf32>
  // CHECK: %[[SCATTER:.*]] = shard.reduce_scatter %[[A]] on @g grid_axes = [1]
  %5 = shard.reduce_scatter %a on @g grid_axes = [0, 1] scatter_axis = 0 : tensor<4xf32> -> tensor<2xf32>
  // CHECK: %[[MOVE:.*]] = shard.all_to_all %[[B]] on @g grid_axes = [1]
  %6 = shard.all_to_all %b on @g grid_axes = [0, 1] split_axis = 0 concat_axis = 1 : tensor<6x6xf32> -> tensor<3x12xf32>
  // CHECK: return %[[GATHER]], %[[SLICE]], %[[A]], %[[PERMUTE]], %[[REDUCE]], %[[SCATTER]], %[[MOVE]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<8xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<3x12xf32>
}

// -----

// A slice of a sum stays where the blocks of a reduce_scatter were padding for the most part:
// of 1 element 8 blocks of 1. Of 5 elements they are 8.
shard.grid @g(shape = 8)
// CHECK-LABEL: func.func @padding
// CHECK: shard.all_reduce
// CHECK-NEXT: shard.all_slice
// CHECK-NEXT: shard.reduce_scatter {{.*}} : tensor<5xi32> -> tensor<1xi32>
func.func @padding(%a: tensor<1xi32>, %b: tensor<5xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<1xi32> -> tensor<1xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [0] slice_axis = 0 : tensor<1xi32> -> tensor<1xi32>
  %2 = shard.all_reduce %b on @g grid_axes = [0] : tensor<5xi32> -> tensor<5xi32>
  %3 = shard.all_slice %2 on @g grid_axes = [0] slice_axis = 0 : tensor<5xi32> -> tensor<1xi32>
  return %1, %3 : tensor<1xi32>, tensor<1xi32>
}

// -----

// A reduce_scatter of 2 elements among 4 of 8 devices sends 3, and an all_reduce of its result one
// more; the all_reduce of 2 elements sends 3.5. Of 3 elements it sends 5.25.
shard.grid @g(shape = 4x2)
// CHECK-LABEL: func.func @rest
// CHECK: shard.all_reduce {{.*}} : tensor<2xi32> -> tensor<2xi32>
// CHECK-NEXT: shard.all_slice
// CHECK-NEXT: shard.reduce_scatter {{.*}} : tensor<3xi32> -> tensor<1xi32>
// CHECK-NEXT: shard.all_reduce {{.*}} : tensor<1xi32> -> tensor<1xi32>
func.func @rest(%a: tensor<2xi32>, %b: tensor<3xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0, 1] : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [0] slice_axis = 0 : tensor<2xi32> -> tensor<1xi32>
  %2 = shard.all_reduce %b on @g grid_axes = [0, 1] : tensor<3xi32> -> tensor<3xi32>
  %3 = shard.all_slice %2 on @g grid_axes = [0] slice_axis = 0 : tensor<3xi32> -> tensor<1xi32>
  return %1, %3 : tensor<1xi32>, tensor<1xi32>
}

// -----

// There is one tensor without elements, and no device waits for others to get it. Types that say
// nothing of an extent may have elements.
shard.grid @g(shape = 2x3)
// CHECK-LABEL: func.func @empty
// CHECK-DAG: %[[F:.*]] = arith.constant dense<> : tensor<0x4xf32>
// CHECK-DAG: %[[I:.*]] = arith.constant dense<> : tensor<6x0xi8>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<> : tensor<0xcomplex<f32>>
// CHECK-DAG: %[[R:.*]] = shard.all_reduce %{{.*}} : tensor<0x?xf32>
// CHECK-DAG: %[[U:.*]] = shard.all_gather %{{.*}} : tensor<0xui8>
// CHECK: return %[[F]], %[[I]], %[[C]], %[[R]], %[[U]]
func.func @empty(%a: tensor<0x4xf32>, %b: tensor<3x0xi8>, %c: tensor<0xcomplex<f32>>, %d: tensor<0x?xf32>, %e: tensor<0xui8>)
    -> (tensor<0x4xf32>, tensor<6x0xi8>, tensor<0xcomplex<f32>>, tensor<0x?xf32>, tensor<0xui8>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0, 1] : tensor<0x4xf32> -> tensor<0x4xf32>
  %1 = shard.all_gather %b on @g grid_axes = [0] gather_axis = 0 : tensor<3x0xi8> -> tensor<6x0xi8>
  %2 = shard.broadcast %c on @g grid_axes = [1] root = [0] : (tensor<0xcomplex<f32>>) -> tensor<0xcomplex<f32>>
  %3 = shard.all_reduce %d on @g grid_axes = [1] : tensor<0x?xf32> -> tensor<0x?xf32>
  %4 = shard.all_gather %e on @g grid_axes = [1] gather_axis = 0 : tensor<0xui8> -> tensor<0xui8>
  return %0, %1, %2, %3, %4 : tensor<0x4xf32>, tensor<6x0xi8>, tensor<0xcomplex<f32>>, tensor<0x?xf32>, tensor<0xui8>
}
