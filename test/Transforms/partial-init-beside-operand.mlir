// Of two partial operands that an op does not take together, its init may stay partial where the
// other one is reduced in front of the op. A second propagation changes nothing.

// RUN: shard-opt %s --shard-propagate | FileCheck %s
// RUN: shard-opt %s --shard-propagate -o %t.once
// RUN: shard-opt %t.once --shard-propagate | diff %t.once -

// CHECK-LABEL: func.func @main
// CHECK: %[[PARTIAL:.*]] = shard.sharding @grid split_axes = {{\[\[}}]] partial = sum [0]
// CHECK: %[[DOT:.*]] = linalg.dot
// CHECK: %[[INIT:.*]] = shard.shard %[[DOT]] to %[[PARTIAL]]
// CHECK: linalg.generic
// CHECK-SAME: outs(%[[INIT]]
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
module {
  shard.grid @grid(shape = 2x2)
  func.func @main(%x: tensor<2x2xi8> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>}, %v: tensor<2xi8>, %one: tensor<i8>) -> tensor<i8> {
    %last = linalg.reduce ins(%x : tensor<2x2xi8>) outs(%v : tensor<2xi8>) dimensions = [0]
      (%in: i8, %init: i8) {
        linalg.yield %init : i8
      }
    %dot = linalg.dot ins(%v, %last : tensor<2xi8>, tensor<2xi8>) outs(%one : tensor<i8>) -> tensor<i8>
    %sum = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%last : tensor<2xi8>) outs(%dot : tensor<i8>) {
    ^bb0(%in: i8, %out: i8):
      %3 = arith.addi %in, %out : i8
      linalg.yield %3 : i8
    } -> tensor<i8>
    return %sum : tensor<i8>
  }
}
