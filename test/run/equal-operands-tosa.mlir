// The lowering of tosa folds other ops too: those of equal operands on dynamic tensors must not
// become constants without extents.

// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

// RUN: shard-opt %s --shard-lower-tosa | FileCheck %s --check-prefix LOWERED
// LOWERED: tensor.splat
// LOWERED-NOT: arith.constant dense<{{.*}}> : tensor<?x6xi1>

shard.grid @g(shape = 2)
func.func @main(%a: tensor<4x6xi32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                %b: tensor<4x6xi32>)
    -> (tensor<?x6xi1>, tensor<?x6xi32>, tensor<4x6xi32>) {
  %d = tensor.cast %a : tensor<4x6xi32> to tensor<?x6xi32>
  %0 = arith.cmpi ugt, %d, %d : tensor<?x6xi32>
  %1 = arith.xori %d, %d : tensor<?x6xi32>
  %2 = tosa.add %b, %b : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0, %1, %2 : tensor<?x6xi1>, tensor<?x6xi32>, tensor<4x6xi32>
}
