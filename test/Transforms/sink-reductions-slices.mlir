// RUN: shard-opt %s --shard-sink-reductions --split-input-file | FileCheck %s

// A slice along some axes of a sum makes two collectives of it, a reduce_scatter and an
// all_reduce. The sum of a small tensor is not moved to where that happens.

shard.grid @grid(shape = 2x2)
// CHECK-LABEL: func.func @small
// CHECK: shard.all_reduce %arg0 on @grid grid_axes = [0, 1]
// CHECK-NEXT: arith.trunci
// CHECK-NEXT: shard.all_slice
// CHECK-NEXT: return
func.func @small(%a: tensor<2xi64>) -> tensor<1xi16> {
  %sum = shard.all_reduce %a on @grid grid_axes = [0, 1] reduction = bitwise_or : tensor<2xi64> -> tensor<2xi64>
  %0 = arith.trunci %sum : tensor<2xi64> to tensor<2xi16>
  %part = shard.all_slice %0 on @grid grid_axes = [1] slice_axis = 0 : tensor<2xi16> -> tensor<1xi16>
  return %part : tensor<1xi16>
}

// -----

shard.grid @grid(shape = 2x2)
// CHECK-LABEL: func.func @large
// CHECK: arith.trunci %arg0
// CHECK-NEXT: shard.reduce_scatter
// CHECK-NEXT: shard.all_reduce
// CHECK-NEXT: return
func.func @large(%a: tensor<2097152xi64>) -> tensor<1048576xi16> {
  %sum = shard.all_reduce %a on @grid grid_axes = [0, 1] reduction = bitwise_or : tensor<2097152xi64> -> tensor<2097152xi64>
  %0 = arith.trunci %sum : tensor<2097152xi64> to tensor<2097152xi16>
  %part = shard.all_slice %0 on @grid grid_axes = [1] slice_axis = 0 : tensor<2097152xi16> -> tensor<1048576xi16>
  return %part : tensor<1048576xi16>
}

// -----

// To move the sum behind the slice saves one of five bytes, and needs a copy of %b that is zero
// on all devices but one, which takes longer.
shard.grid @grid(shape = 2) {shard.machine = {name = "a100"}}
// CHECK-LABEL: func.func @mask
// CHECK: shard.all_reduce %arg0
// CHECK-NEXT: arith.subi
func.func @mask(%a: tensor<5xi8>, %b: tensor<5xi8>) -> tensor<4xi8> {
  %sum = shard.all_reduce %a on @grid grid_axes = [0] : tensor<5xi8> -> tensor<5xi8>
  %0 = arith.subi %sum, %b : tensor<5xi8>
  %1 = tensor.extract_slice %0[0] [4] [1] : tensor<5xi8> to tensor<4xi8>
  return %1 : tensor<4xi8>
}
