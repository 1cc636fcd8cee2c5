// A slice or insertion of one element along a dimension needs no stride there. MLIR's verifier
// tells by the strides which dimensions a view drops, and refused the one of this slice.
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK: tensor.extract_slice %arg0[%arg2, %arg2, 0] [1, 2, 1] [1, 3, 1] : tensor<4x8x6xi32> to tensor<1x2xi32>
// CHECK: tensor.insert_slice %{{.*}} into %arg1[%arg2, 0] [1, 2] [1, 2] : tensor<1x2xi32> into tensor<4x8xi32>
shard.grid @grid(shape = 2)
func.func @main(%a: tensor<4x8x6xi32>, %b: tensor<4x8xi32>, %i: index) -> tensor<4x8xi32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract_slice %a[%i, %i, %c0] [1, 2, 1] [2, 3, 2] : tensor<4x8x6xi32> to tensor<1x2xi32>
  %1 = tensor.insert_slice %0 into %b[%i, 0] [1, 2] [3, 2] : tensor<1x2xi32> into tensor<4x8xi32>
  return %1 : tensor<4x8xi32>
}
