// An axis that only one operand has on the summed loop does not gather this operand, if it can
// split another loop for fewer bytes.
// RUN: shard-opt %s -shard-spmd | FileCheck %s
// RUN: shard-opt %s -sharding-propagation -o %t.once
// RUN: shard-opt %t.once -sharding-propagation | diff %t.once -
// RUN: shard-run %s --entry columns --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry kept --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

shard.grid @grid(shape = 4)

// %x is whole by its hint. %w is exchanged for the columns, 96 bytes, not gathered, 384 bytes.
// CHECK-LABEL: func.func @columns
// CHECK-SAME: -> (tensor<64x4xi32>
// CHECK-NOT: all_gather
// CHECK: %[[W:.*]] = shard.all_to_all {{.*}} split_axis = 1 concat_axis = 0 : tensor<2x16xi32> -> tensor<8x4xi32>
// CHECK: linalg.matmul ins(%{{.*}}, %[[W]] :
// CHECK-NOT: all_gather
// CHECK: return
func.func @columns(
    %x: tensor<64x8xi32> {shard.sharding = #shard.sharding<@grid, [[], []]>},
    %w: tensor<8x16xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<64x16xi32> {
  %zero = arith.constant dense<0> : tensor<64x16xi32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x8xi32>, tensor<8x16xi32>)
      outs(%zero : tensor<64x16xi32>) -> tensor<64x16xi32>
  return %0 : tensor<64x16xi32>
}

// The result is to be whole, so that its columns would be gathered: more than %w has.
// CHECK-LABEL: func.func @kept
// CHECK: shard.all_gather {{.*}} : tensor<2x16xi32> -> tensor<8x16xi32>
// CHECK-NOT: shard.all_
// CHECK: return
func.func @kept(
    %x: tensor<64x8xi32> {shard.sharding = #shard.sharding<@grid, [[], []]>},
    %w: tensor<8x16xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<64x16xi32> {shard.sharding = #shard.sharding<@grid, [[], []]>}) {
  %zero = arith.constant dense<0> : tensor<64x16xi32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x8xi32>, tensor<8x16xi32>)
      outs(%zero : tensor<64x16xi32>) -> tensor<64x16xi32>
  return %0 : tensor<64x16xi32>
}
