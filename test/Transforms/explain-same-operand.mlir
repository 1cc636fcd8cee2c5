// RUN: shard-opt %s --shard-explain -o /dev/null 2>&1 | FileCheck %s

// One value may be two operands of an op. That the op takes one of them as it comes may be why it
// takes the other one otherwise.

shard.grid @g(shape = 2x2)

// CHECK-LABEL: reshard of %0 for tensor.scatter operand 0
// CHECK-SAME: {{\[\[}}0], [], [1]] -> {{\[\[}}], [0], [1]]
// CHECK: against axis 0 in dimension 0 of operand 1
// CHECK: decided: of the ways to run the op, this one reshards the fewest bytes
func.func @moved(%x: tensor<4x4x4xi16> {shard.sharding = #shard.sharding<@g, [[0], [], [1]]>},
                 %i: tensor<4x1xindex>) -> tensor<4x4x4xi16> {
  %0 = arith.addi %x, %x : tensor<4x4x4xi16>
  %s = tensor.scatter %0 into %0[%i] scatter_dims([1]) unique : (tensor<4x4x4xi16>, tensor<4x4x4xi16>, tensor<4x1xindex>) -> tensor<4x4x4xi16>
  return %s : tensor<4x4x4xi16>
}
