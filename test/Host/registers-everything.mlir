// A compiler that registers all of MLIR before or after this project works, and
// the name `shard` is this project's there.

// RUN: shard-host ours-first %s --canonicalize | FileCheck %s
// RUN: shard-host ours-last %s --canonicalize | FileCheck %s

// Bytecode finds the dialect by name, too.
// RUN: shard-host ours-first %s --emit-bytecode | shard-host ours-last | FileCheck %s

// So are the passes of this name, which are not LLVM's.
// RUN: shard-host ours-first %s --shard-propagate --shard-spmdize | FileCheck %s --check-prefix=LOCAL
// RUN: shard-host ours-last %s --shard-spmd | FileCheck %s --check-prefix=LOCAL
// RUN: shard-host ours-last %s --shard-spmd --shard-lower-to-llvm | FileCheck %s --check-prefix=LLVM

// LLVM's dialect has no `shard.sharding` on function arguments.
// RUN: not mlir-opt %s

shard.grid @grid(shape = 2x4)

// CHECK-LABEL: func @f
// LOCAL-LABEL: func @f
// LOCAL-SAME: %{{.*}}: tensor<4x8xf32>
// LLVM: llvm.func @f
// CHECK-SAME: shard.sharding = #shard.sharding<@grid, {{\[}}[0], []]>
func.func @f(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> tensor<8x8xf32> {
  // CHECK: shard.shard
  %s = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  %b = shard.shard %a to %s annotate_for_users : tensor<8x8xf32>
  return %b : tensor<8x8xf32>
}
