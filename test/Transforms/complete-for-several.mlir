// What an op does with a partial operand is decided again when the shardings of all operands are
// known. The concat takes %a complete, since %b is complete for the sum and is resharded in front of
// it. The transpose takes what is complete then, instead of reducing its own result.

// RUN: shard-opt %s --shard-propagate | FileCheck %s
// RUN: shard-opt %s --shard-propagate | shard-opt --shard-propagate | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=EXEC

// EXEC: PASS

shard.grid @g(shape = 3x2)

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<8x8x4xi64>
// CHECK: %[[COMPLETE:.*]] = shard.shard %[[A]] to %{{.*}} annotate_for_users
// CHECK: tensor.concat dim(2) %{{.*}}, %[[COMPLETE]]
// CHECK: linalg.transpose ins(%[[COMPLETE]]
func.func @main(%a: tensor<8x8x4xi64> {shard.sharding = #shard.sharding<@g, [[?], [?], [1, ?]], partial = sum [0]>},
                %b: tensor<8x8x4xi64> {shard.sharding = #shard.sharding<@g, [[], [], []], partial = sum [0]>},
                %c: tensor<8x8x4xi64> {shard.sharding = #shard.sharding<@g, [[], [0, ?], [1]]>})
    -> (tensor<8x8x4xi64> {shard.sharding = #shard.sharding<@g, [[0], [1], []]>}, tensor<8x8x8xi64>, tensor<4x8x8xi64>) {
  %sum = arith.addi %b, %c : tensor<8x8x4xi64>
  %both = tensor.concat dim(2) %b, %a : (tensor<8x8x4xi64>, tensor<8x8x4xi64>) -> tensor<8x8x8xi64>
  %e = tensor.empty() : tensor<4x8x8xi64>
  %t = linalg.transpose ins(%a : tensor<8x8x4xi64>) outs(%e : tensor<4x8x8xi64>) permutation = [2, 1, 0]
  return %sum, %both, %t : tensor<8x8x4xi64>, tensor<8x8x8xi64>, tensor<4x8x8xi64>
}
