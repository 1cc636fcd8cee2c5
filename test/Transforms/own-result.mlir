// RUN: shard-opt %s --sharding-propagation --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-spmd --split-input-file --verify-diagnostics
// RUN: not shard-opt %s --shard-partition --split-input-file 2>&1 | FileCheck %s --check-prefix=ALONE

// MLIR lets unreachable code, and code outside of functions, take its own results.
// Such hints say nothing about any value; blocks that nothing reaches are dropped with a remark.
// Alone it refuses other hints before it builds anything.
// ALONE: 'shard.constraint' is a hint, which propagation reads

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @hint
func.func @hint(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
^bb1:
  // expected-remark @below {{the hint of 'shard.constraint' has no effect}}
  %0 = shard.constraint %0 to <@grid, [[0]]> : tensor<8xf32>
  %1 = math.exp %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @circle
func.func @circle(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
^bb1:
  // expected-remark @below {{the hint of 'shard.constraint' has no effect}}
  %0 = shard.constraint %1 to <@grid, [[0]]> : tensor<8xf32>
  // expected-remark @below {{the hint of 'shard.constraint' has no effect}}
  %1 = shard.constraint %0 to <@grid, [[]]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @annotation
func.func @annotation(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
^bb1:
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  // expected-remark @below {{the hint of 'shard.shard' has no effect}}
  %0 = shard.shard %0 to %s : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
%0 = shard.constraint %0 to <@grid, [[0]]> : tensor<8xf32>
%1 = shard.constraint %3 to <@grid, [[0]]> : tensor<8xf32>
%2 = math.exp %1 : tensor<8xf32>
%3 = shard.constraint %2 to <@grid, [[]]> : tensor<8xf32>
// CHECK-LABEL: func.func @outside
func.func @outside(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
