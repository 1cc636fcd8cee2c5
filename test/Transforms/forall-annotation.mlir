// An annotation of a shared tensor of scf.forall that splits the dimension that the iterations
// write by parts holds for its users: the tensor itself stays whole there, in front of the loop
// and behind it.
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -
// RUN: shard-opt %s --shard-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=SPMD
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=VERIFY

// CHECK-DAG: %[[WHOLE:.*]] = shard.sharding @grid split_axes = {{\[\[}}], [1]]
// CHECK-DAG: %[[SPLIT:.*]] = shard.sharding @grid split_axes = {{\[\[}}0], [1]]
// CHECK: scf.forall (%{{.*}}) in (4) shared_outs(%[[O:.*]] = %{{.*}})
// CHECK: %[[HERE:.*]] = shard.shard %[[O]] to %[[WHOLE]]
// CHECK: shard.shard %[[HERE]] to %[[SPLIT]] annotate_for_users

// EXPLAIN: reshard of %arg2 for shard.shard operand 0 at {{.*}}: {{\[\[}}], [1]] -> {{\[\[}}0], [1]]
// EXPLAIN: so: all_slice over 0

// SPMD-NOT: all_gather
// SPMD: scf.for
// SPMD: shard.all_slice
// SPMD-NOT: shard.all_slice

// VERIFY: PASS
shard.grid @grid(shape = 2x2)
func.func @main(%a: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %0 = scf.forall (%i) in (4) shared_outs(%o = %a) -> (tensor<4x4xi32>) {
    %split = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
    %rows = shard.shard %o to %split : tensor<4x4xi32>
    %row = tensor.extract_slice %rows[%i, 0] [1, 4] [1, 1] : tensor<4x4xi32> to tensor<1x4xi32>
    %twice = arith.addi %row, %row : tensor<1x4xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %twice into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xi32> into tensor<4x4xi32>
    }
  }
  return %0 : tensor<4x4xi32>
}
