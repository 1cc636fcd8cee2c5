// Pipelines of modules say so when they are named inside a function.

// RUN: not shard-opt %s --pass-pipeline='builtin.module(func.func(shard-spmd))' 2>&1 | FileCheck %s --check-prefix=SPMD
// RUN: not shard-opt %s --pass-pipeline='builtin.module(func.func(shard-optimize-collectives))' 2>&1 | FileCheck %s --check-prefix=OPTIMIZE
// RUN: not shard-opt %s --pass-pipeline='func.func(shard-lower-to-llvm)' 2>&1 | FileCheck %s --check-prefix=LOWER
// RUN: not shard-opt %s --pass-pipeline='func.func(shard-convert-to-mpi)' 2>&1 | FileCheck %s --check-prefix=MPI
// RUN: shard-opt %s --pass-pipeline='builtin.module(func.func(shard-propagate,shard-spmdize))'
// RUN: shard-opt %s --pass-pipeline='any(shard-spmd)'

// SPMD: error: 'shard-spmd' runs on 'builtin.module', not on 'func.func'
// OPTIMIZE: error: 'shard-optimize-collectives' runs on 'builtin.module', not on 'func.func'
// LOWER: error: 'shard-lower-to-llvm' runs on 'builtin.module', not on 'func.func'
// MPI: error: 'shard-convert-to-mpi' runs on 'builtin.module', not on 'func.func'

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
