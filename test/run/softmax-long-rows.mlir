// The tolerance of linalg.softmax counts the terms of its sum.
//
// RUN: shard-run %s --verify --seed 1 | FileCheck %s
// RUN: shard-run %s --verify --seed 2 | FileCheck %s
// CHECK: PASS

shard.grid @g(shape = 2)
func.func @main(%x: tensor<4x1000xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<4x1000xf32> {
  %e = tensor.empty() : tensor<4x1000xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x1000xf32>) outs(%e : tensor<4x1000xf32>) -> tensor<4x1000xf32>
  return %0 : tensor<4x1000xf32>
}
