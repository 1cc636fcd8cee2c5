// Shardy's compiler API and overview, section "Sharding propagation": factors, priorities
// of users and of ops, and conflicts. `shard-opt --shard-print-loops` shows the factors,
// which are called loops here.

// RUN: shard-translate --import-sdy %s -o %t.shard
// RUN: shard-opt %t.shard --sharding-propagation | FileCheck %s
// RUN: shard-opt %t.shard --sharding-propagation=strategy=basic | FileCheck %s --check-prefix=BASIC

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>

// The factors of a matmul: "a" of the rows, "b" of the columns, "c" of the inner
// dimension, by which the result is a sum.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %arg0: tensor<8x16xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}0], [2]]>}
// CHECK-SAME: %arg1: tensor<16x8xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}2], [1]]>}
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}0], [1]]>})
func.func @matmul(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>},
                  %w: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}, {"b", ?}]>}) -> tensor<8x8xf32> {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Factors of a reshape: 8 rows are 2 times 4, so two axes go to two dimensions.
// CHECK-LABEL: func.func @reshape(
// CHECK-SAME: -> (tensor<2x4xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}0], [1]]>})
func.func @reshape(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) -> tensor<2x4xf32> {
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// The conservative strategy keeps what all agree on, the aggressive one lets one win.
// CHECK-LABEL: func.func @conflict(
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}0, 1], []]>})
// BASIC-LABEL: func.func @conflict(
// BASIC-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}0], []]>})
func.func @conflict(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>},
                    %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {}]>}) -> tensor<8x8xf32> {
  %0 = arith.addf %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// User priorities: the batch of priority 0 has "a" before the weight of priority 1 does.
// CHECK-LABEL: func.func @priorities(
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}0], []]>})
func.func @priorities(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>},
                      %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}p1]>}) -> tensor<8x8xf32> {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Op priorities: elementwise ops pass axes on before matmuls do.
// CHECK-LABEL: func.func @op_priorities(
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}0], []]>})
func.func @op_priorities(%x: tensor<8x8xf32>, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>},
                         %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = arith.addf %0, %y : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// Data-flow edges: what a loop carries has one sharding.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: -> (tensor<8xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}0]]>})
func.func @loop(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %0 = scf.for %i = %c0 to %c9 step %c1 iter_args(%v = %x) -> tensor<8xf32> {
    %1 = math.cos %v : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
