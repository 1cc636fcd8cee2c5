// The device of a shard_shape is named on the grid that the program knows, also where
// propagation refines that grid, and where nothing is split at all.

// RUN: split-file %s %t
// RUN: shard-opt %t/refined.mlir --shard-spmd | FileCheck %t/refined.mlir
// RUN: shard-opt %t/whole.mlir --shard-spmd | FileCheck %t/whole.mlir
// RUN: shard-run %t/refined.mlir --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %t/whole.mlir --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

//--- refined.mlir
shard.grid @grid(shape = 2x4)

// Coordinate 3 of the axis of 4 is 1 on both of its parts. These cut 9 columns into 5 and 4,
// and those into 3, 2, 3 and 1.
// CHECK-LABEL: func.func @refined
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: return %{{.*}}, %[[ONE]]
func.func @refined(%a: tensor<8x9xf32> {shard.sharding = #shard.sharding<@grid, [[1:(1)2], []]>}) -> (tensor<8x9xf32>, index) {
  %s = shard.sharding @grid split_axes = [[], [1]] : !shard.sharding
  %e = math.exp %a : tensor<8x9xf32>
  %b = shard.shard %e to %s annotate_for_users : tensor<8x9xf32>
  %g = shard.get_sharding %b : tensor<8x9xf32> -> !shard.sharding
  %n:2 = shard.shard_shape dims = [8, 9] sharding = %g device = [0, 3] : index, index
  return %b, %n#1 : tensor<8x9xf32>, index
}

//--- whole.mlir
shard.grid @grid(shape = 3)

// CHECK-LABEL: func.func @whole
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK: return %{{.*}}, %[[EIGHT]]
func.func @whole(%a: tensor<8xf32>) -> (tensor<8xf32>, index) {
  %s = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %b = shard.shard %a to %s annotate_for_users : tensor<8xf32>
  %g = shard.get_sharding %b : tensor<8xf32> -> !shard.sharding
  %n = shard.shard_shape dims = [8] sharding = %g device = [0] : index
  %r = math.exp %a : tensor<8xf32>
  return %r, %n : tensor<8xf32>, index
}
