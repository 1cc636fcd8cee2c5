// A compiler that registers all of MLIR before or after this project works, and
// the name `shard` is this project's there.

// RUN: shard-host ours-first %s --canonicalize | FileCheck %s
// RUN: shard-host ours-last %s --canonicalize | FileCheck %s

// Bytecode finds the dialect by name, too.
// RUN: shard-host ours-first %s --emit-bytecode | shard-host ours-last | FileCheck %s

// LLVM's dialect has no `shard.sharding` on function arguments.
// RUN: not mlir-opt %s

shard.grid @grid(shape = 2x4)

// CHECK-LABEL: func @f
// CHECK-SAME: shard.sharding = #shard.sharding<@grid, {{\[}}[0], []]>
func.func @f(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> tensor<8x8xf32> {
  // CHECK: shard.shard
  %s = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  %b = shard.shard %a to %s : tensor<8x8xf32>
  return %b : tensor<8x8xf32>
}
