// RUN: shard-opt %s --shard-prepare-tensors | FileCheck %s

// Each product writes to a fill of its own, made in front of it; elementwise ops take the
// scalar; a loop has one fill in front of it.

// CHECK-LABEL: func @products
func.func @products(%a: tensor<4x4xf32>, %n: index) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[E0:.*]] = tensor.empty
  // CHECK-NEXT: %[[F0:.*]] = linalg.generic {{.*}} outs(%[[E0]] :
  // CHECK: %[[P0:.*]] = linalg.generic {{.*}} ins(%arg0, %arg0 : {{.*}} outs(%[[F0]] :
  %0 = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[E1:.*]] = tensor.empty
  // CHECK-NEXT: %[[F1:.*]] = linalg.generic {{.*}} outs(%[[E1]] :
  // CHECK: linalg.generic {{.*}} ins(%[[P0]], %arg0 : {{.*}} outs(%[[F1]] :
  %1 = linalg.matmul ins(%0, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: linalg.generic {{.*}} ins(%{{[a-z0-9_]+}} : tensor<4x4xf32>) outs
  // CHECK: maximumf
  %2 = arith.maximumf %1, %fill : tensor<4x4xf32>
  // CHECK: %[[E2:.*]] = tensor.empty
  // CHECK-NEXT: %[[F2:.*]] = linalg.generic {{.*}} outs(%[[E2]] :
  // CHECK: scf.for
  // CHECK-NOT: tensor.empty
  // CHECK: linalg.generic {{.*}} outs(%[[F2]] :
  %3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<4x4xf32> {
    %4 = linalg.matmul ins(%x, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %4 : tensor<4x4xf32>
  }
  return %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
