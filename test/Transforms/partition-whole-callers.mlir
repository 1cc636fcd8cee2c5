// A function that only calls one whose values are replicated is partitioned, too: the partitioned
// program runs from it. The entry comes first, and nothing in it names the grid.

// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-opt %s --shard-spmd | shard-run | FileCheck %s --check-prefix=EXEC

// EXEC: grid @grid 3, 3 devices
// EXEC: done

shard.grid @grid(shape = 3)

// CHECK: func.func @main(%{{.*}}: tensor<4xf32> {shard.local = {{.*}}}) -> (tensor<4xf32> {shard.local = {{.*}}}) {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @between(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @between(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @stated(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @stated(%x: tensor<4xf32> {shard.sharding = #shard.sharding<@grid, [[]]>}) -> tensor<4xf32> {
  %y = math.tanh %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
