// Of the input and the output of a softmax each knows an extent that the other does
// not: MLIR's decomposition made invalid ops of that, and the compiler crashed.
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

shard.grid @grid(shape = 2)

func.func @main(
    %a: tensor<4x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %three = arith.constant 3 : index
  %0 = tensor.cast %a : tensor<4x3xf32> to tensor<4x?xf32>
  %1 = tensor.empty() : tensor<4x3xf32>
  %2 = linalg.softmax dimension(1) ins(%0 : tensor<4x?xf32>)
      outs(%1 : tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = tensor.empty(%three) : tensor<4x?xf32>
  %4 = linalg.softmax dimension(0) ins(%a : tensor<4x3xf32>)
      outs(%3 : tensor<4x?xf32>) -> tensor<4x?xf32>
  %5 = tensor.cast %4 : tensor<4x?xf32> to tensor<4x3xf32>
  return %2, %5 : tensor<4x3xf32>, tensor<4x3xf32>
}
