// RUN: shard-opt %s --shard-print-loops --allow-unregistered-dialect -o %t 2>&1 | FileCheck %s

// CHECK: linalg.matmul at loc({{.*}})
// CHECK-NEXT: loops: parallel(4) parallel(2) reduction<sum>(8)
// CHECK-NEXT: operand 0: (d0, d1, d2) -> (d0, d2)
// CHECK-NEXT: operand 1: (d0, d1, d2) -> (d2, d1)
// CHECK-NEXT: operand 2: (d0, d1, d2) -> (d0, d1)
// CHECK-NEXT: result 0: (d0, d1, d2) -> (d0, d1)
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// An op on scalars has nothing to show.
// CHECK-NOT: arith.addf
func.func @scalar(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  return %0 : f32
}

// CHECK: tensor.expand_shape at
// CHECK-NEXT: loops: parallel(?) parallel(4)
// CHECK-NEXT: operand 0: (d0, d1) -> (d0, d1)
// CHECK-NEXT: operand 1: no tensor
// CHECK-NEXT: result 0: (d0, d1) -> (d0, 0, d1)
func.func @dynamic(%a: tensor<?x4xf32>, %n: index) -> tensor<?x1x4xf32> {
  %0 = tensor.expand_shape %a [[0], [1, 2]] output_shape [%n, 1, 4] : tensor<?x4xf32> into tensor<?x1x4xf32>
  return %0 : tensor<?x1x4xf32>
}

// Of a window one loop slides; the other one stays whole: propagation sees it as
// invalid.
// CHECK: linalg.conv_1d at
// CHECK-NEXT: loops: parallel(6) invalid(3)
// CHECK-NEXT: operand 0: (d0, d1) -> (d0 + d1)
func.func @window(%a: tensor<8xf32>, %k: tensor<3xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  %0 = linalg.conv_1d ins(%a, %k : tensor<8xf32>, tensor<3xf32>) outs(%o : tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// CHECK: demo.norm at
// CHECK-NEXT: no sharding model: whole tensors
// CHECK-NOT: {{call|return|scf.if}}
func.func private @callee(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func @unknown(%a: tensor<8xf32>, %c: i1) -> f32 {
  %0 = call @callee(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = scf.if %c -> tensor<8xf32> {
    scf.yield %0 : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  %2 = "demo.norm"(%1) : (tensor<8xf32>) -> f32
  return %2 : f32
}
