// Grids that nothing reachable names are no grids of the run; those that are named
// must have one number of devices.

// RUN: split-file %s %t
// RUN: shard-run %t/unused.mlir --verify | FileCheck %s
// RUN: shard-run %t/per-function.mlir --verify --entry first | FileCheck %s --check-prefix=TWO
// RUN: shard-run %t/per-function.mlir --verify --entry second | FileCheck %s --check-prefix=FOUR
// RUN: not shard-run %t/both.mlir --verify 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: shard-opt %t/per-function.mlir --shard-spmd | FileCheck %s --check-prefix=PER

// CHECK: grid    @g 4, 4 devices
// CHECK: PASS
// TWO: grid    @two 2, 2 devices
// TWO: PASS
// FOUR: grid    @four 2x2, 4 devices
// FOUR: PASS
// BOTH: error: is used, and so is grid @two, which has another number of devices: a run has one number of devices
// BOTH: note: the other grid is here
// PER: func.func @first(%{{.*}}: tensor<4xf32>
// PER: func.func @second(%{{.*}}: tensor<2xf32>

//--- unused.mlir
shard.grid @unused(shape = 2)
shard.grid @g(shape = 4)
func.func @main(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xf32> {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- per-function.mlir
shard.grid @two(shape = 2)
shard.grid @four(shape = 2x2)
func.func @first(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@two, [[0]]>}) -> tensor<8xf32> {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @second(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@four, [[0, 1]]>}) -> tensor<8xf32> {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- both.mlir
shard.grid @two(shape = 2)
shard.grid @four(shape = 2x2)
func.func private @helper(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@two, [[0]]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func @main(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@four, [[0, 1]]>}) -> tensor<8xf32> {
  %0 = call @helper(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
