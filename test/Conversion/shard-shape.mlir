// RUN: shard-opt %s -convert-shard-to-runtime | FileCheck %s
// RUN: shard-opt %s -shard-lower-to-llvm | FileCheck %s --check-prefix=LLVM

shard.grid @g(shape = 2x5)

// CHECK-LABEL: func @main
// CHECK-NOT: shard.
// CHECK: call @shard_rt_process_linear_index
// CHECK: arith.minui
// CHECK-NOT: shard.
// CHECK: return
// LLVM: llvm.func @main
func.func @main(%n: index) -> (index, index) {
  %s = shard.sharding @g split_axes = [[1]] : !shard.sharding
  %at:2 = shard.process_multi_index on @g : index, index
  %0:2 = shard.shard_shape dims = [16, %n] sharding = %s device = [%at#0, %at#1] : index, index
  return %0#0, %0#1 : index, index
}
