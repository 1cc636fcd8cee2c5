// Blocks of unknown size that become one value when equal ops are merged: x xor x is a splat of
// their size, and not a constant of a type that does not say how large it is.
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=VERIFY

// CHECK: %[[BLOCK:.*]] = tensor.extract_slice
// CHECK: %[[SIZE:.*]] = tensor.dim %[[BLOCK]]
// CHECK: %[[ZEROS:.*]] = tensor.splat %{{.*}}[%[[SIZE]]]
// CHECK: return %[[ZEROS]]
// VERIFY: PASS
shard.grid @grid(shape = 3x4) axes ["x", "y"]
func.func @main() -> tensor<7xi1> {
  %cst = arith.constant dense<[true, false, true, true, false, false, true]> : tensor<7xi1>
  %s = shard.sharding @grid split_axes = [[0, 1]] sharded_dims_offsets = [0, 0, 0, 0, 2, 2, 2, 4, 6, 7, 7, 7, 7] : !shard.sharding
  %0 = shard.shard %cst to %s annotate_for_users : tensor<7xi1>
  %1 = arith.xori %0, %cst : tensor<7xi1>
  return %1 : tensor<7xi1>
}
