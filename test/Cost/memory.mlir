// RUN: shard-opt %s --shard-report=json -o /dev/null 2>&1 | FileCheck %s

// What elementwise ops repeat takes no memory, nor does a result that the only op to read
// it computes; what a product reads is there.

shard.grid @g(shape = 2)

// CHECK: "memory": {
// CHECK: "constants": 0,
// The product of 16x16 and the weights, filled for it.
// CHECK: "op": "linalg.matmul"
// CHECK-NEXT: }
// CHECK: "op": "linalg.add"
// CHECK: "op": "linalg.negf"
// CHECK: "temporaries": 2048
func.func @splats(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %weights = arith.constant dense<0.5> : tensor<16x16xf32>
  %bias = arith.constant dense<1.0> : tensor<16x16xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x16xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
  %0 = linalg.matmul ins(%x, %weights : tensor<16x16xf32>, tensor<16x16xf32>) outs(%fill : tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = linalg.add ins(%0, %bias : tensor<16x16xf32>, tensor<16x16xf32>) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = linalg.exp ins(%1 : tensor<16x16xf32>) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
  %3 = linalg.negf ins(%2 : tensor<16x16xf32>) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %3 : tensor<16x16xf32>
}

// A buffer takes whole cache lines.
// CHECK: "program": "splats"
// CHECK: "temporaries": 64
func.func @three(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = arith.negf %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
