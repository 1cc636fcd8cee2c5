// What the device that sends most sends, for every kind of collective.
// RUN: shard-opt %s --shard-report -o /dev/null 2>&1 | FileCheck %s

shard.grid @g(shape = 2x4)

// CHECK-LABEL: program all, predicted
// CHECK: all_gather 1 1 3 96 B
// CHECK-NEXT: all_reduce 1 1 6 48 B
// CHECK-NEXT: reduce_scatter 1 1 3 24 B
// CHECK-NEXT: all_to_all 1 1 3 24 B
// CHECK-NEXT: permute 0, 1 1 1 32 B
// CHECK-NEXT: shift 1 1 1 32 B
// CHECK-NEXT: broadcast 1 1 1 32 B
// CHECK-NEXT: gather 1 1 1 32 B
// CHECK-NEXT: scatter 1 1 1 24 B
// CHECK-NEXT: reduce 1 1 1 24 B
// Two halos of a row of 2 floats, in the middle of the 4.
// CHECK-NEXT: update_halo 1 1 1 16 B
func.func @all(%x: tensor<4x2xf32>, %y: tensor<1x8xf32>) -> (
    tensor<16x2xf32>, tensor<4x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>,
    tensor<4x2xf32>, tensor<4x2xf32>, tensor<16x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>,
    tensor<4x2xf32>) {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<4x2xf32> -> tensor<16x2xf32>
  %1 = shard.all_reduce %x on @g grid_axes = [1] : tensor<4x2xf32> -> tensor<4x2xf32>
  %2 = shard.reduce_scatter %x on @g grid_axes = [1] scatter_axis = 0 : tensor<4x2xf32> -> tensor<1x2xf32>
  %3 = shard.all_to_all %y on @g grid_axes = [1] split_axis = 1 concat_axis = 0 : tensor<1x8xf32> -> tensor<4x2xf32>
  %4 = shard.permute %x on @g from_axes = [0, 1] to_axes = [1, 0] : tensor<4x2xf32>
  %5 = shard.shift %x on @g grid_axes = [1] shift_axis = 1 offset = 1 : tensor<4x2xf32> -> tensor<4x2xf32>
  %6 = shard.broadcast %x on @g grid_axes = [1] root = [2] : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %7 = shard.gather %x on @g grid_axes = [1] gather_axis = 0 root = [1] : (tensor<4x2xf32>) -> tensor<16x2xf32>
  %8 = shard.scatter %x on @g grid_axes = [1] scatter_axis = 0 root = [3] : (tensor<4x2xf32>) -> tensor<1x2xf32>
  %9 = shard.reduce %x on @g grid_axes = [1] root = [0] : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %10 = shard.update_halo %x on @g split_axes = [[1]] halo_sizes = [1, 1] : tensor<4x2xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 :
    tensor<16x2xf32>, tensor<4x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>,
    tensor<4x2xf32>, tensor<4x2xf32>, tensor<16x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>,
    tensor<4x2xf32>
}
