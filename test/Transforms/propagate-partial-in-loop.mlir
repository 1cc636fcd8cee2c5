// The op in the loop takes a partial operand as it comes, but to complete it in front of the loop
// costs less than to complete the result in each iteration. Propagation states this, so that
// partition does it and the explanation tells of it.

// RUN: shard-opt %s --sharding-propagation | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=SPMD
// RUN: shard-opt %s --shard-explain 2>&1 >/dev/null | FileCheck %s --check-prefix=TOLD

// CHECK: %[[WHOLE:.*]] = shard.sharding @grid split_axes = {{\[\[\]\]}} : !shard.sharding
// CHECK: scf.for
// CHECK: %[[TAKEN:.*]] = shard.shard %{{.*}} to %[[WHOLE]] annotate_for_users : tensor<14x6x2xi32>
// CHECK: tensor.collapse_shape %[[TAKEN]]

// SPMD: %[[ALL:.*]] = shard.all_reduce %{{.*}} reduction = umin : tensor<14x6x2xi32>
// SPMD: scf.for
// SPMD-NOT: shard.
// SPMD: tensor.collapse_shape %[[ALL]]

// TOLD: for tensor.collapse_shape operand 0
// TOLD: so: all_reduce over 0

module {
  shard.grid @grid(shape = 4x1)
  func.func @main(%w: tensor<12x3xi32>, %n: index, %x: tensor<14x6x2xi32>) -> tensor<14x3xi32> {
    %sharding = shard.sharding @grid split_axes = [[], [1], []] partial = umin [0] : !shard.sharding
    %hinted = shard.shard %x to %sharding annotate_for_users : tensor<14x6x2xi32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0> : tensor<14x3xi32>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (tensor<14x3xi32>) {
      %rows = tensor.collapse_shape %hinted [[0], [1, 2]] : tensor<14x6x2xi32> into tensor<14x12xi32>
      %next = linalg.matmul ins(%rows, %w : tensor<14x12xi32>, tensor<12x3xi32>) outs(%zero : tensor<14x3xi32>) -> tensor<14x3xi32>
      scf.yield %next : tensor<14x3xi32>
    }
    return %last : tensor<14x3xi32>
  }
}
