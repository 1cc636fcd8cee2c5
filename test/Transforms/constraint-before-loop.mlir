// A constraint inside a loop on a value that the loop does not change is resharded once, in
// front of the loop, and is priced like that: the product gathers %c there and is whole, instead
// of being gathered in each iteration.
// RUN: shard-opt %s -shard-spmd | FileCheck %s
// RUN: shard-opt %s -sharding-propagation -o %t.once
// RUN: shard-opt %t.once -sharding-propagation | diff %t.once -
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

shard.grid @grid(shape = 4)

// CHECK: shard.all_gather
// CHECK: scf.for
// CHECK-NOT: shard.all_gather
func.func @main(%x: tensor<8xf64> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %y: tensor<8xf64> {shard.sharding = #shard.sharding<@grid, [[]]>}) -> (tensor<8xf64> {shard.sharding = #shard.sharding<@grid, [[]]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%acc = %y) -> tensor<8xf64> {
    %a = shard.constraint %acc to <@grid, [[]]> : tensor<8xf64>
    %c = shard.constraint %x to <@grid, [[0]]> : tensor<8xf64>
    %b = arith.mulf %a, %c : tensor<8xf64>
    shard.constraint %b to <@grid, [[]]> : tensor<8xf64>
    scf.yield %b : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}
