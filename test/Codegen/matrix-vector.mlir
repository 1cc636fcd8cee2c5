// Products that the kernel of contractions computes, and those that become loops.

// RUN: rm -rf %t && split-file %s %t
// RUN: shard-opt %t/lower.mlir --shard-lower-linalg | FileCheck %t/lower.mlir
// RUN: shard-opt %t/fuse.mlir --shard-prepare-tensors | FileCheck %t/fuse.mlir
// RUN: shard-run %t/run.mlir --verify | FileCheck %t/run.mlir

//--- lower.mlir
// CHECK-LABEL: func.func @matvec
// CHECK: call @shard_kernel_contract
func.func @matvec(%a: memref<64x64xf32>, %b: memref<64xf32>, %c: memref<64xf32>) {
  linalg.matvec ins(%a, %b : memref<64x64xf32>, memref<64xf32>) outs(%c : memref<64xf32>)
  return
}
// CHECK-LABEL: func.func @vecmat
// CHECK: call @shard_kernel_contract
func.func @vecmat(%a: memref<64xbf16>, %b: memref<64x64xbf16>, %c: memref<64xbf16>) {
  linalg.vecmat ins(%a, %b : memref<64xbf16>, memref<64x64xbf16>) outs(%c : memref<64xbf16>)
  return
}
// One row, and a batch of such.
// CHECK-LABEL: func.func @row
// CHECK: call @shard_kernel_contract
func.func @row(%a: memref<8x1x64xf64>, %b: memref<8x64x64xf64>, %c: memref<8x1x64xf64>) {
  linalg.batch_matmul ins(%a, %b : memref<8x1x64xf64>, memref<8x64x64xf64>)
      outs(%c : memref<8x1x64xf64>)
  return
}
// CHECK-LABEL: func.func @dynamic
// CHECK: call @shard_kernel_contract
func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  linalg.matvec ins(%a, %b : memref<?x?xf32>, memref<?xf32>) outs(%c : memref<?xf32>)
  return
}
// A call would take longer than the product.
// CHECK-LABEL: func.func @small
// CHECK-NOT: call
// CHECK: return
func.func @small(%a: memref<8x8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) {
  linalg.matvec ins(%a, %b : memref<8x8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  return
}
// CHECK-LABEL: func.func @integers
// CHECK-NOT: call
// CHECK: return
func.func @integers(%a: memref<64x64xi32>, %b: memref<64xi32>, %c: memref<64xi32>) {
  linalg.matvec ins(%a, %b : memref<64x64xi32>, memref<64xi32>) outs(%c : memref<64xi32>)
  return
}
// CHECK-LABEL: func.func @dot
// CHECK-NOT: call
// CHECK: return
func.func @dot(%a: memref<4096xf32>, %b: memref<4096xf32>, %c: memref<f32>) {
  linalg.dot ins(%a, %b : memref<4096xf32>, memref<4096xf32>) outs(%c : memref<f32>)
  return
}
// Channels are a batch and contiguous: loops run along them.
// CHECK-LABEL: func.func @depthwise
// CHECK-NOT: call
// CHECK: return
func.func @depthwise(%a: memref<1x66x64xf32>, %b: memref<3x64xf32>, %c: memref<1x64x64xf32>) {
  linalg.depthwise_conv_1d_nwc_wc ins(%a, %b : memref<1x66x64xf32>, memref<3x64xf32>)
      outs(%c : memref<1x64x64xf32>)
  return
}
// Two loops are summed: the forms for one do not fit.
// CHECK-LABEL: func.func @convolution
// CHECK-NOT: call
// CHECK: return
func.func @convolution(%a: memref<66x66xf32>, %b: memref<3x3xf32>, %c: memref<64x64xf32>) {
  linalg.conv_2d ins(%a, %b : memref<66x66xf32>, memref<3x3xf32>) outs(%c : memref<64x64xf32>)
  return
}

//--- fuse.mlir
// A matrix that only a vector is multiplied by is not written to memory; the vector is.
// CHECK-LABEL: func.func @main
// CHECK: %[[V:.+]] = linalg.generic {{.*}} ins(%arg1 :
// CHECK: math.absf
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[V]] :
// CHECK: math.absf
// CHECK: arith.mulf
func.func @main(%m: tensor<64x64xf32>, %v: tensor<64xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64xf32>
  %a = linalg.abs ins(%m : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = linalg.abs ins(%v : tensor<64xf32>) outs(%f : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.matvec ins(%a, %b : tensor<64x64xf32>, tensor<64xf32>) outs(%c : tensor<64xf32>)
      -> tensor<64xf32>
  return %r : tensor<64xf32>
}

//--- run.mlir
// The matrix by rows, by columns, and a slice of it whose rows and columns have gaps.
// CHECK: PASS
shard.grid @grid(shape = 2)
func.func @main(
    %m: tensor<75x130xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %n: tensor<130x75xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %v: tensor<130xf32>, %h: tensor<160x200xbf16>, %w: tensor<100xbf16>)
    -> (tensor<75xf32>, tensor<75xf32>, tensor<80xbf16>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<75xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<75xf32>) -> tensor<75xf32>
  %a = linalg.matvec ins(%m, %v : tensor<75x130xf32>, tensor<130xf32>) outs(%z : tensor<75xf32>)
      -> tensor<75xf32>
  %b = linalg.vecmat ins(%v, %n : tensor<130xf32>, tensor<130x75xf32>) outs(%z : tensor<75xf32>)
      -> tensor<75xf32>
  %s = tensor.extract_slice %h[0, 0] [80, 100] [2, 2] : tensor<160x200xbf16> to tensor<80x100xbf16>
  %f = tensor.empty() : tensor<80xbf16>
  %y = linalg.fill ins(%half : bf16) outs(%f : tensor<80xbf16>) -> tensor<80xbf16>
  %c = linalg.matvec ins(%s, %w : tensor<80x100xbf16>, tensor<100xbf16>) outs(%y : tensor<80xbf16>)
      -> tensor<80xbf16>
  return %a, %b, %c : tensor<75xf32>, tensor<75xf32>, tensor<80xbf16>
}
