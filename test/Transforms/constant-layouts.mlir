// Halos and offsets that are SSA values count if they fold to constants.

// RUN: shard-opt %s --sharding-propagation --split-input-file --verify-diagnostics | FileCheck %s
// RUN: shard-opt %s --shard-partition --split-input-file --verify-diagnostics -o /dev/null

// CHECK-LABEL: func.func @offsets(
// CHECK: shard.sharding @grid split_axes = {{\[\[}}0]] sharded_dims_offsets = [0, 3, 8]
shard.grid @grid(shape = 2)
func.func @offsets(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : i64
  %n = tensor.dim %a, %c0 : tensor<8xf32>
  %m = arith.subi %n, %c1 : index
  %sum = arith.addi %m, %c1 : index
  %end = arith.index_cast %sum : index to i64
  %s = shard.sharding @grid split_axes = [[0]] sharded_dims_offsets = [0, %c3, %end] : !shard.sharding
  %0 = shard.shard %a to %s annotate_for_users : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @halos(
// CHECK: shard.sharding @grid split_axes = {{\[\[}}0]] halo_sizes = [1, 2]
shard.grid @grid(shape = 2)
func.func @halos(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c1 = arith.constant 1 : i64
  %c2 = arith.addi %c1, %c1 : i64
  %s = shard.sharding @grid split_axes = [[0]] halo_sizes = [%c1, %c2] : !shard.sharding
  %0 = shard.shard %a to %s annotate_for_users : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Constants obey the rules for numbers.

shard.grid @grid(shape = 2)
func.func @decreasing(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c9 = arith.constant 9 : i64
  // expected-error @+1 {{sharded dims offsets must be non-decreasing}}
  %s = shard.sharding @grid split_axes = [[0]] sharded_dims_offsets = [0, %c9, 8] : !shard.sharding
  %0 = shard.shard %a to %s annotate_for_users : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @negative(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant -1 : i64
  // expected-error @+1 {{halo size -1 is negative}}
  %s = shard.sharding @grid split_axes = [[0]] halo_sizes = [1, %c] : !shard.sharding
  %0 = shard.shard %a to %s annotate_for_users : tensor<8xf32>
  return %0 : tensor<8xf32>
}
