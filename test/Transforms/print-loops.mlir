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

// It is the loop that covers most elements, 2 times 2 here.
// CHECK: linalg.pooling_nwc_sum at
// CHECK-NEXT: loops: parallel(1) parallel(2) parallel(1) invalid(3)
func.func @strided(%a: tensor<1x5x1xf32>, %k: tensor<3xf32>, %o: tensor<1x2x1xf32>) -> tensor<1x2x1xf32> {
  %0 = linalg.pooling_nwc_sum {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a, %k : tensor<1x5x1xf32>, tensor<3xf32>) outs(%o : tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  return %0 : tensor<1x2x1xf32>
}

// Of a map as long as the kernel the place slides, whichever loop comes first.
// CHECK: linalg.generic at
// CHECK-NEXT: loops: invalid(3) parallel(3)
// CHECK: linalg.generic at
// CHECK-NEXT: loops: reduction<sum>(4) invalid(3)
func.func @small_maps(%a: tensor<5xf32>, %k: tensor<3xf32>, %b: tensor<6xf32>, %g: tensor<4xf32>, %o: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(k, i) -> (i + k)>, affine_map<(k, i) -> (k)>, affine_map<(k, i) -> (i)>], iterator_types = ["reduction", "parallel"]}
      ins(%a, %k : tensor<5xf32>, tensor<3xf32>) outs(%o : tensor<3xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %z : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  // The gradient of a kernel: the places are what it sums over.
  %1 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (k)>], iterator_types = ["reduction", "parallel"]}
      ins(%b, %g : tensor<6xf32>, tensor<4xf32>) outs(%o : tensor<3xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %z : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
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
