// Shardy's compiler API, section "Sharding representation": what each form of a sharding
// means for the blocks of a tensor.

// RUN: shard-translate --import-sdy %s -o %t.shard
// RUN: shard-opt %t.shard --shard-spmd | FileCheck %s
// RUN: shard-run %t.shard --entry barely_split --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// "a" shards dimension 0, "c" shards dimension 1, "b" replicates.
// CHECK-LABEL: func.func @dimensions(
// CHECK-SAME: tensor<2x4xf32>
func.func @dimensions(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>})
    -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) {
  %0 = math.exp %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Two axes of one dimension, the major one first.
// CHECK-LABEL: func.func @two_axes(
// CHECK-SAME: tensor<2x8xf32>
func.func @two_axes(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "b"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "b"}, {}]>}) {
  %0 = math.exp %x : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// An open dimension takes more axes, a closed one none.
// CHECK-LABEL: func.func @open(
// CHECK-SAME: %{{.*}}: tensor<2x8xf32>{{.*}}, %{{.*}}: tensor<2x4xf32>{{.*}}) -> (tensor<2x4xf32>
func.func @open(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {}]>},
                %y: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"c"}]>})
    -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}) {
  %0 = arith.addf %x, %y : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// An axis that is explicitly replicated does not split the tensor.
// CHECK-LABEL: func.func @replicated(
// CHECK-SAME: %{{.*}}: tensor<4x8xf32>{{.*}}, %{{.*}}: tensor<2x8xf32>
func.func @replicated(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"a"}>},
                      %y: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}) -> tensor<4x8xf32> {
  %0 = arith.addf %x, %y : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A part of an axis: 2 of the 4 devices along "b", the outer ones and the inner ones.
// CHECK-LABEL: func.func @sub_axes(
// CHECK-SAME: tensor<2x4xf32>
func.func @sub_axes(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {"b":(2)2}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {"b":(2)2}]>}) {
  %0 = math.exp %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The batch of priority 0 is propagated before the weight of priority 1 claims "a".
// CHECK-LABEL: func.func @priorities(
// CHECK-SAME: -> (tensor<4x8xf32>
func.func @priorities(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p0, {?}]>},
                      %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}p1]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// 7 rows over 4 devices: blocks of 2 2 2 1, where Shardy needs padding too.
// CHECK-LABEL: func.func @barely_split(
// CHECK-SAME: tensor<2x8xf32>
func.func @barely_split(%x: tensor<7x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> (tensor<7x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
  %0 = math.exp %x : tensor<7x8xf32>
  return %0 : tensor<7x8xf32>
}
