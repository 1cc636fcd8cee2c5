// What the cost model says decides.

// RUN: shard-opt %s --split-input-file --shard-decompose-collectives | FileCheck %s
// RUN: shard-opt %s --split-input-file --shard-decompose-collectives=min-gain=1e9 | FileCheck %s --check-prefix=NONE
// NONE-NOT: shard.shift

// The product takes as long as the link: half of the link's time is hidden by the first part.
shard.grid @g(shape = 2) {shard.machine = {flops32 = 1.0e9, link_bandwidth = 1.0e8, link_latency = 1.0e-6}}

// CHECK-LABEL: @hidden
// CHECK: shard.shift
// CHECK-NOT: shard.all_gather
func.func @hidden(%a: tensor<32x64xf32>, %b: tensor<64x16xf32>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<32x64xf32> -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<64x64xf32>, tensor<64x16xf32>) outs(%c : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}

// Another product hides all of it.
// CHECK-LABEL: @hidden_by_others
// CHECK: shard.all_gather
func.func @hidden_by_others(%a: tensor<32x64xf32>, %b: tensor<64x16xf32>, %c: tensor<64x16xf32>, %x: tensor<64x64xf32>) -> (tensor<64x16xf32>, tensor<64x64xf32>) {
  %2 = linalg.matmul ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<32x64xf32> -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<64x64xf32>, tensor<64x16xf32>) outs(%c : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %1, %2 : tensor<64x16xf32>, tensor<64x64xf32>
}

// In a loop, and behind a product.
// CHECK-LABEL: @in_loop
// CHECK: scf.for
// CHECK: shard.shift
// CHECK: scf.yield
// CHECK: shard.shift
func.func @in_loop(%a: tensor<32x64xf32>, %b: tensor<64x32xf32>) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c = arith.constant dense<0.0> : tensor<64x32xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %c) -> tensor<64x32xf32> {
    %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<32x64xf32> -> tensor<64x64xf32>
    %1 = linalg.matmul ins(%0, %b : tensor<64x64xf32>, tensor<64x32xf32>) outs(%x : tensor<64x32xf32>) -> tensor<64x32xf32>
    scf.yield %1 : tensor<64x32xf32>
  }
  %d = arith.constant dense<0.0> : tensor<32x32xf32>
  %2 = linalg.matmul ins(%a, %r : tensor<32x64xf32>, tensor<64x32xf32>) outs(%d : tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = shard.reduce_scatter %2 on @g grid_axes = [0] scatter_axis = 0 : tensor<32x32xf32> -> tensor<16x32xf32>
  return %3 : tensor<16x32xf32>
}

// -----

// A shift takes too long to begin.
shard.grid @g(shape = 4) {shard.machine = {flops32 = 1.0e9, link_bandwidth = 1.0e12, link_latency = 1.0e-3}}

// CHECK-LABEL: @latency
// CHECK: shard.all_gather
func.func @latency(%a: tensor<16x64xf32>, %b: tensor<64x16xf32>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<16x64xf32> -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<64x64xf32>, tensor<64x16xf32>) outs(%c : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}
