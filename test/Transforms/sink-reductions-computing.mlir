// RUN: shard-opt %s --shard-spmd 2>/dev/null | FileCheck %s

// Behind its sum a device computes its block alone. All of it in front of a sum of bytes would be
// computed by each of eight devices, which takes longer than sending four times as much.

shard.grid @slow(shape = 8) {shard.machine = {name = "a100", memory_bandwidth = 1.0e11}}
// CHECK-LABEL: func.func @blocks(
// CHECK: shard.reduce_scatter %{{.*}} : tensor<4096x8xi32> -> tensor<4096x1xi32>
// CHECK: arith.trunci %{{.*}} : tensor<4096x1xi32> to tensor<4096x1xi8>
// CHECK-NOT: shard.
// CHECK: return
func.func @blocks(
    %a: tensor<4096x8xi32> {shard.sharding = #shard.sharding<@slow, [[], []], partial = sum [0]>},
    %b: tensor<4096x8xi32> {shard.sharding = #shard.sharding<@slow, [[], []]>})
    -> (tensor<4096x8xi8> {shard.sharding = #shard.sharding<@slow, [[], [0]]>}) {
  %0 = arith.muli %a, %b : tensor<4096x8xi32>
  %1 = arith.muli %0, %b : tensor<4096x8xi32>
  %2 = arith.trunci %1 : tensor<4096x8xi32> to tensor<4096x8xi8>
  return %2 : tensor<4096x8xi8>
}

// Where memory is fast enough, bytes are summed.

shard.grid @fast(shape = 8) {shard.machine = {name = "a100", memory_bandwidth = 1.0e14}}
// CHECK-LABEL: func.func @bytes(
// CHECK: shard.reduce_scatter %{{.*}} : tensor<4096x8xi8> -> tensor<4096x1xi8>
func.func @bytes(
    %a: tensor<4096x8xi32> {shard.sharding = #shard.sharding<@fast, [[], []], partial = sum [0]>},
    %b: tensor<4096x8xi32> {shard.sharding = #shard.sharding<@fast, [[], []]>})
    -> (tensor<4096x8xi8> {shard.sharding = #shard.sharding<@fast, [[], [0]]>}) {
  %0 = arith.muli %a, %b : tensor<4096x8xi32>
  %1 = arith.muli %0, %b : tensor<4096x8xi32>
  %2 = arith.trunci %1 : tensor<4096x8xi32> to tensor<4096x8xi8>
  return %2 : tensor<4096x8xi8>
}

// A minimum with what all devices have may be taken on each device: to move behind one takes no
// time, however many there are.

shard.grid @small(shape = 2x3) {shard.machine = {name = "a100"}}
// CHECK-LABEL: func.func @minima(
// CHECK-COUNT-4: arith.minimumf
// CHECK: %[[SHORT:.*]] = arith.truncf
// CHECK: shard.all_reduce %[[SHORT]] {{.*}} : tensor<6xbf16> -> tensor<6xbf16>
func.func @minima(
    %a: tensor<6xf32> {shard.sharding = #shard.sharding<@small, [[]], partial = min [0, 1]>},
    %b: tensor<6xf32>, %c: tensor<6xf32>, %d: tensor<6xf32>, %e: tensor<6xf32>)
    -> (tensor<6xbf16> {shard.sharding = #shard.sharding<@small, [[]]>}) {
  %0 = arith.minimumf %a, %b : tensor<6xf32>
  %1 = arith.minimumf %0, %c : tensor<6xf32>
  %2 = arith.minimumf %1, %d : tensor<6xf32>
  %3 = arith.minimumf %2, %e : tensor<6xf32>
  %4 = arith.truncf %3 : tensor<6xf32> to tensor<6xbf16>
  return %4 : tensor<6xbf16>
}
