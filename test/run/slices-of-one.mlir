// A slice of one element of a split dimension does not gather the tensor: the device that
// has the element gives it, and an all_reduce of the slice gives it to all.
//
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=SPMD
// CHECK: PASS

shard.grid @grid(shape = 4)

// The last one of a dimension whose blocks are uneven: of 10 rows the last device has one.
// SPMD-LABEL: func.func @main(
// SPMD-NOT: shard.all_gather
// SPMD-DAG: shard.all_reduce %{{.*}} on @grid grid_axes = [0] : tensor<3x5xf32> -> tensor<3x5xf32>
func.func @main(
    %a: tensor<3x10x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0], []]>},
    %b: tensor<9x6xi16> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %c: tensor<2x8xf64> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %at: index) -> (tensor<3x5xf32>, tensor<6xi16>, tensor<6xi16>, tensor<2x1xf64>, tensor<3xf32>,
                   tensor<2x4xf64>) {
  %last = tensor.extract_slice %a[0, 9, 0] [3, 1, 5] [1, 1, 1]
      : tensor<3x10x5xf32> to tensor<3x5xf32>
  // A place that comes from data, and one that lies outside: the nearest row is read.
  // SPMD-DAG: shard.all_reduce %{{.*}} on @grid grid_axes = [0] : tensor<6xi16> -> tensor<6xi16>
  %row = tensor.extract_slice %b[%at, 0] [1, 6] [1, 1] : tensor<9x6xi16> to tensor<6xi16>
  %c99 = arith.constant 99 : index
  %outside = tensor.extract_slice %b[%c99, 0] [1, 6] [1, 1]
      : tensor<9x6xi16> to tensor<6xi16>
  // The dimension stays, with one element.
  // SPMD-DAG: shard.all_reduce %{{.*}} on @grid grid_axes = [0] : tensor<2x1xf64> -> tensor<2x1xf64>
  %column = tensor.extract_slice %c[0, %at] [2, 1] [1, 1] : tensor<2x8xf64> to tensor<2x1xf64>
  // A reshape that drops the dimension is part of the slice.
  // SPMD-DAG: shard.all_reduce %{{.*}} on @grid grid_axes = [0] : tensor<3xf32> -> tensor<3xf32>
  %kept = tensor.extract_slice %a[0, 2, 4] [3, 1, 1] [1, 1, 1]
      : tensor<3x10x5xf32> to tensor<3x1x1xf32>
  %dropped = tensor.collapse_shape %kept [[0, 1, 2]] : tensor<3x1x1xf32> into tensor<3xf32>
  // A window that a constant moves outside: the last one is read.
  %window = tensor.extract_slice %c[0, %c99] [2, 4] [1, 1] : tensor<2x8xf64> to tensor<2x4xf64>
  return %last, %row, %outside, %column, %dropped, %window
      : tensor<3x5xf32>, tensor<6xi16>, tensor<6xi16>, tensor<2x1xf64>, tensor<3xf32>,
        tensor<2x4xf64>
}
