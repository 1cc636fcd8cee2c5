// What a callee returns may be one value twice, or a constant, and callers may
// write over a result.
//
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

shard.grid @grid(shape = 2)

func.func private @twice(%a: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<4xf32>) {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return %a, %a, %c : tensor<7xf32>, tensor<7xf32>, tensor<4xf32>
}

func.func @main(%a: tensor<4xf32>, %b: tensor<7xf32>, %one: tensor<1xf32>)
    -> (tensor<7xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}, tensor<7xf32>, tensor<4xf32>) {
  %0:3 = call @twice(%b) : (tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<4xf32>)
  %1 = tensor.insert_slice %a into %0#0[0] [4] [2] : tensor<4xf32> into tensor<7xf32>
  %2 = tensor.insert_slice %one into %0#2[2] [1] [1] : tensor<1xf32> into tensor<4xf32>
  return %0#1, %1, %2 : tensor<7xf32>, tensor<7xf32>, tensor<4xf32>
}
