// The memory of tensors of 2^62 bytes together is more than an integer holds.
//
// RUN: shard-opt %s --shard-report=json -o %t 2>&1 | FileCheck %s

// CHECK: "peak": 9223372036854775807
shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<1073741824x1073741824xf32>, %i: index) {
  %0 = shard.broadcast %t on @g grid_axes = [0, 1] root = [%i, 3]
    : (tensor<1073741824x1073741824xf32>, index) -> tensor<1073741824x1073741824xf32>
  return
}

// Twice the devices of this grid, too.
shard.grid @many(shape = 9223372036854775807)
func.func @sum(%t: tensor<6xf32>) -> tensor<6xf32> {
  %0 = shard.all_reduce %t on @many grid_axes = [0] : tensor<6xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
