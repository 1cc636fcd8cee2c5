// Ops on dynamic tensors that take one value twice give what they give by their definition.

// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

shard.grid @g(shape = 2)
func.func @main(%a: tensor<4x6xi32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                %b: tensor<4x6xi1>)
    -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>) {
  %d = tensor.cast %a : tensor<4x6xi32> to tensor<?x?xi32>
  %e = tensor.cast %b : tensor<4x6xi1> to tensor<?x?xi1>
  %0 = arith.subi %d, %d : tensor<?x?xi32>
  %1 = arith.xori %d, %d : tensor<?x?xi32>
  %2 = arith.cmpi uge, %d, %d : tensor<?x?xi32>
  %3 = arith.cmpi slt, %d, %d : tensor<?x?xi32>
  %4 = arith.xori %e, %e : tensor<?x?xi1>
  return %0, %1, %2, %3, %4 : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>
}
