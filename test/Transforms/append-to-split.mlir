// RUN: shard-opt %s --shard-spmd 2>&1 | FileCheck %s
// RUN: shard-run %s --entry append --verify
// RUN: shard-run %s --entry both --verify

// A row that is appended to a tensor whose rows are split is computed on all devices: if its
// one row were split, the device that has it would send it to the one that needs it.

shard.grid @g(shape = 2)

// CHECK-NOT: remark
// CHECK-LABEL: func.func @append(
// CHECK-SAME: tensor<4x1x8xf32> {shard.local = #shard.local<tensor<4x1x8xf32>, <@g, {{\[\[}}], [], []]>>}
// CHECK-NOT: shard.all
// CHECK-NOT: shard.update_halo
// CHECK: return
func.func @append(%cache: tensor<4x7x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                  %x: tensor<4x1x8xf32>) -> tensor<4x8x8xf32> {
  %e = math.exp %x : tensor<4x1x8xf32>
  %t = math.absf %e : tensor<4x1x8xf32>
  %c = tensor.concat dim(1) %cache, %t : (tensor<4x7x8xf32>, tensor<4x1x8xf32>) -> tensor<4x8x8xf32>
  return %c : tensor<4x8x8xf32>
}

// CHECK-LABEL: func.func @both(
// CHECK-NOT: shard.all
// CHECK-NOT: shard.update_halo
// CHECK: return
func.func @both(%cache: tensor<4x8x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                %x: tensor<4x1x8xf32>) -> tensor<4x8x8xf32> {
  %e = math.exp %x : tensor<4x1x8xf32>
  %c = tensor.insert_slice %x into %cache[0, 7, 0] [4, 1, 8] [1, 1, 1] : tensor<4x1x8xf32> into tensor<4x8x8xf32>
  %d = tensor.insert_slice %e into %c[0, 6, 0] [4, 1, 8] [1, 1, 1] : tensor<4x1x8xf32> into tensor<4x8x8xf32>
  return %d : tensor<4x8x8xf32>
}
