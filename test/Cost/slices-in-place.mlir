// A slice that an op has written to is inserted for nothing where it was taken; elsewhere it
// is copied.

// RUN: shard-opt %s --shard-report="json" -o /dev/null 2>&1 | FileCheck %s
// CHECK-NOT: "name": "tensor.insert_slice"
// CHECK: "program": "in_place"
// CHECK: "name": "tensor.insert_slice"
// CHECK: "program": "elsewhere"

shard.grid @g(shape = 2)

func.func @in_place(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = shard.process_linear_index on @g : index
  %0 = tensor.extract_slice %c[%p, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = tensor.insert_slice %1 into %c[%p, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

func.func @elsewhere(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = shard.process_linear_index on @g : index
  %0 = tensor.extract_slice %c[%p, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = tensor.insert_slice %1 into %c[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
