// What asks about a sharding that only propagation knows is a number behind partition alone: the
// slice below begins at a place that is not known for propagation, and partition makes the
// collective that explanations tell of.
// RUN: shard-opt %s --shard-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: shard-opt %s --shard-spmd | FileCheck %s --implicit-check-not=shard.shard_shape \
// RUN:   --implicit-check-not=!shard.sharding
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=VERIFY

// VERIFY: PASS

// EXPLAIN: reshard of %extracted_slice for tensor.extract_slice result 0
// EXPLAIN: so: all_reduce over 0

// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[AT:.*]] = arith.subi %[[FOUR]], %{{.*}}
// CHECK: tensor.extract_slice %{{.*}}[%[[AT]], 0]
// CHECK: shard.all_reduce
shard.grid @grid(shape = 2)
func.func @asked(%a: tensor<8x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> tensor<2x4xf32> {
  %0 = math.exp %a : tensor<8x4xf32>
  %s = shard.get_sharding %0 : tensor<8x4xf32> -> !shard.sharding
  %d:2 = shard.shard_shape dims = [8, 4] sharding = %s device = [0] : index, index
  %1 = tensor.extract_slice %0[%d#0, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
