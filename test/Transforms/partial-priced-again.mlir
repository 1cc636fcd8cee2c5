// A sum stays partial only as far as its users take it: where one of them turns out not to,
// the values before it are priced again. The first slice is returned, which is not in the
// concatenation then, and so neither are the others: one reduction of two elements instead of
// three of four.
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -
// RUN: shard-run %s --entry slices --verify
// RUN: shard-run %s --entry one --verify

shard.grid @g(shape = 2)

// CHECK-LABEL: func.func @slices
// CHECK-NOT: partial
// CHECK: return
func.func @slices(%a: tensor<8x2xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                  %init: tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %sum = linalg.reduce { arith.addf } ins(%a : tensor<8x2xf32>) outs(%init : tensor<2xf32>) dimensions = [0]
  %0 = tensor.extract_slice %sum[1] [1] [1] : tensor<2xf32> to tensor<1xf32>
  %1 = tensor.extract_slice %sum[0] [1] [1] : tensor<2xf32> to tensor<1xf32>
  %2 = tensor.extract_slice %sum[0] [2] [1] : tensor<2xf32> to tensor<2xf32>
  %3 = tensor.concat dim(0) %0, %2, %1 : (tensor<1xf32>, tensor<2xf32>, tensor<1xf32>) -> tensor<4xf32>
  %4 = tensor.extract_slice %3[2] [1] [1] : tensor<4xf32> to tensor<1xf32>
  %5 = math.exp %4 : tensor<1xf32>
  return %1, %5 : tensor<1xf32>, tensor<1xf32>
}

// Nobody returns a slice: the one element that is used is reduced.
// CHECK-LABEL: func.func @one
// CHECK: shard.sharding @g split_axes = {{.*}} partial = sum [0]
// CHECK: return
func.func @one(%a: tensor<8x2xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
               %init: tensor<2xf32>) -> tensor<1xf32> {
  %sum = linalg.reduce { arith.addf } ins(%a : tensor<8x2xf32>) outs(%init : tensor<2xf32>) dimensions = [0]
  %0 = tensor.extract_slice %sum[1] [1] [1] : tensor<2xf32> to tensor<1xf32>
  %1 = tensor.concat dim(0) %0, %sum : (tensor<1xf32>, tensor<2xf32>) -> tensor<3xf32>
  %2 = tensor.extract_slice %1[2] [1] [1] : tensor<3xf32> to tensor<1xf32>
  %3 = math.exp %2 : tensor<1xf32>
  return %3 : tensor<1xf32>
}
