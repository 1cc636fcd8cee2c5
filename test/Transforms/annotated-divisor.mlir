// A division by a constant cannot trap, annotated or not: with explicit offsets it runs on
// the blocks as they are, also in the program that propagation has annotated.
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=VERIFY

// VERIFY: PASS

// CHECK: %[[S:.*]] = shard.sharding @grid split_axes = {{\[\[}}0]] sharded_dims_offsets = [0, 1, 6]
// CHECK: %[[C:.*]] = shard.shard %{{.*}} to %[[S]] : tensor<6x4xi32>
// CHECK: arith.divsi %arg0, %[[C]]
shard.grid @grid(shape = 2)
func.func @main(%a: tensor<6x4xi32> {shard.sharding = #shard.sharding<@grid, [[0], []], offsets = [0, 1, 6]>}) -> tensor<6x4xi32> {
  %c = arith.constant dense<2> : tensor<6x4xi32>
  %0 = arith.divsi %a, %c : tensor<6x4xi32>
  return %0 : tensor<6x4xi32>
}
