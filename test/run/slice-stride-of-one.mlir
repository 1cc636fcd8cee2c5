// A slice of one element with a stride, in a dimension that the result drops.
//
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-opt %s --shard-spmd --shard-lower-to-llvm | FileCheck %s --check-prefix=LLVM
// CHECK: PASS
// LLVM: llvm.func @main

shard.grid @grid(shape = 2)

func.func private @helper(%a: tensor<1x2x5xindex>)
    -> (tensor<2x2xindex>, tensor<2x2xindex> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %0 = tensor.extract_slice %a[0, 0, 0] [1, 2, 2] [2, 1, 1] : tensor<1x2x5xindex> to tensor<2x2xindex>
  return %0, %0 : tensor<2x2xindex>, tensor<2x2xindex>
}

func.func @main(%a: tensor<1x2x5xindex>) -> tensor<2x2xindex> {
  %0:2 = call @helper(%a) : (tensor<1x2x5xindex>) -> (tensor<2x2xindex>, tensor<2x2xindex>)
  return %0#1 : tensor<2x2xindex>
}
