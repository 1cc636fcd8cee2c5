// RUN: shard-opt %s --shard-propagate | FileCheck %s

// The results of views may have no rank.

shard.grid @g(shape = 2)
// CHECK-LABEL: func.func @f(
// CHECK-COUNT-2: tosa.pad
func.func @f(%x: tensor<*xf32>, %y: tensor<4x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<*xf32>, tensor<*xf32>) {
  %p = tosa.const_shape {values = dense<[0, 1, 0, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %c = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %a = tosa.pad %x, %p, %c : (tensor<*xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<*xf32>
  %b = tosa.pad %y, %p, %c : (tensor<4x4xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<*xf32>
  return %a, %b : tensor<*xf32>, tensor<*xf32>
}
