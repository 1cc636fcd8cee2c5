// The passes have LLVM's names in shard-opt, and names of their own everywhere;
// they run on a module or nested on its functions.

// RUN: shard-opt %s --sharding-propagation --shard-partition | FileCheck %s
// RUN: shard-opt %s --shard-propagate --shard-spmdize | FileCheck %s
// RUN: shard-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation,shard-partition))' | FileCheck %s
// RUN: shard-opt %s --pass-pipeline='builtin.module(func.func(shard-propagate{traversal=forward},shard-spmdize))' | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-opt %s --shard-spmd='traversal=backward-forward strategy=basic' | FileCheck %s

// A misspelt option is an error, in every form.
// RUN: not shard-opt %s --shard-propagate=traversal=upward 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not shard-opt %s --pass-pipeline='builtin.module(sharding-propagation{traversal=upward})' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not shard-opt %s --shard-spmd=traversal=upward 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: upward

shard.grid @grid(shape = 4)

// CHECK-LABEL: func @f
// CHECK-SAME: %{{.*}}: tensor<2xf32>
// CHECK: math.exp %{{.*}} : tensor<2xf32>
func.func @f(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
