// A function that states nothing itself calls one that does: it is partitioned with
// replicated values, and so is one that calls that one.

// RUN: shard-opt %s --shard-partition | FileCheck %s

shard.grid @grid(shape = 2)

func.func @stated(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %n: i1) -> tensor<8xf32> {
  %r = scf.if %n -> tensor<8xf32> {
    scf.yield %x : tensor<8xf32>
  } else {
    %y = func.call @caller(%x, %n) : (tensor<8xf32>, i1) -> tensor<8xf32>
    scf.yield %y : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// CHECK: func.func @caller(%[[X:.*]]: tensor<8xf32> {shard.local = {{.*}}}, %[[N:.*]]: i1) -> (tensor<8xf32> {shard.local = {{.*}}})
// CHECK: %[[SLICE:.*]] = shard.all_slice %[[X]]
// CHECK: call @stated(%[[SLICE]], %[[N]]) : (tensor<4xf32>, i1) -> tensor<8xf32>
func.func @caller(%x: tensor<8xf32>, %n: i1) -> tensor<8xf32> {
  %y = func.call @stated(%x, %n) : (tensor<8xf32>, i1) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK: func.func @far(%{{.*}}: tensor<8xf32> {shard.local = {{.*}}}, %{{.*}}: i1) -> (tensor<8xf32> {shard.local = {{.*}}}) {
func.func @far(%x: tensor<8xf32>, %n: i1) -> tensor<8xf32> {
  %y = func.call @caller(%x, %n) : (tensor<8xf32>, i1) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
