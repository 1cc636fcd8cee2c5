// RUN: shard-opt %s --shard-verify-spmd | FileCheck %s --check-prefix=BEFORE
// RUN: not shard-opt %s --control-flow-sink --shard-verify-spmd 2>&1 | FileCheck %s --check-prefix=AFTER

// Collectives have no side effects, so a pass of MLIR may sink one into a branch
// that not all devices take. The check behind it finds that.

// BEFORE: shard.all_reduce
// AFTER: error: 'shard.all_reduce' op is not reached by all devices of its group
shard.grid @grid(shape = 2)
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %i = shard.process_multi_index on @grid axes = [0] : index
  %first = arith.cmpi eq, %i, %c0 : index
  %sum = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  %0 = scf.if %first -> tensor<4xf32> {
    scf.yield %sum : tensor<4xf32>
  } else {
    scf.yield %b : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
