// Collectives and the ops around them in parts, where the memory of a device asks for it.

// RUN: shard-opt %s --split-input-file --shard-split-collectives -verify-diagnostics | FileCheck %s
// RUN: shard-opt %s --split-input-file --shard-split-collectives="memory=1e9" | FileCheck %s --check-prefix=FITS
// RUN: shard-opt %s --split-input-file --shard-split-collectives="parts=4" --shard-verify-spmd | FileCheck %s --check-prefix=FORCED
// RUN: shard-opt %s --split-input-file --shard-split-collectives="parts=4 reorder-sums=false" | FileCheck %s --check-prefix=ORDER
// FITS-NOT: scf.for

// 9216 B of arguments, 16384 B of the gathered weight and 1024 B of the result do not fit
// into 20000 B. Two parts do, so that there are no more.
shard.grid @grid(shape = 2) {shard.machine = {memory = 2.0e4}}
// CHECK-LABEL: func.func @gathered_weight
// CHECK: %[[N:.*]] = arith.constant 2 : index
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step
// CHECK: shard.all_gather %{{.*}} gather_axis = 0 : tensor<32x32xf32> -> tensor<64x32xf32>
// CHECK: linalg.matmul ins(%{{.*}} : tensor<4x64xf32>, tensor<64x32xf32>) outs(%{{.*}} : tensor<4x32xf32>)
// FORCED-LABEL: func.func @gathered_weight
// FORCED: shard.all_gather %{{.*}} gather_axis = 0 : tensor<32x16xf32> -> tensor<64x16xf32>
// A parallel loop: each sum is what it was.
// ORDER-LABEL: func.func @gathered_weight
// ORDER: shard.all_gather %{{.*}} gather_axis = 0 : tensor<32x16xf32> -> tensor<64x16xf32>
func.func @gathered_weight(%x: tensor<4x64xf32>, %w: tensor<32x64xf32>) -> tensor<4x64xf32> {
  %0 = shard.all_gather %w on @grid grid_axes = [0] gather_axis = 0 : tensor<32x64xf32> -> tensor<64x64xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = linalg.matmul ins(%x, %0 : tensor<4x64xf32>, tensor<64x64xf32>) outs(%f : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %1 : tensor<4x64xf32>
}

// -----

// The collective joins the rows, so that the columns, which the product sums over, are cut.
shard.grid @grid(shape = 2) {shard.machine = {memory = 2.2e4}}
// CHECK-LABEL: func.func @summed
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %arg1)
// CHECK: shard.all_gather %{{.*}} : tensor<32x32xf32> -> tensor<64x32xf32>
// CHECK: %[[R:.*]] = linalg.matmul {{.*}} outs(%[[SUM]] : tensor<64x4xf32>)
// CHECK-NEXT: scf.yield %[[R]]
// ORDER-LABEL: func.func @summed
// ORDER-NOT: scf.for
// ORDER: return
func.func @summed(%w: tensor<32x64xf32>, %c: tensor<64x4xf32>, %x: tensor<64x4xf32>) -> tensor<64x4xf32> {
  %0 = shard.all_gather %w on @grid grid_axes = [0] gather_axis = 0 : tensor<32x64xf32> -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%0, %x : tensor<64x64xf32>, tensor<64x4xf32>) outs(%c : tensor<64x4xf32>) -> tensor<64x4xf32>
  return %1 : tensor<64x4xf32>
}

// -----

// A product in front of a reduction, and two collectives in one chain: no tensor of 64x64 is
// ever whole but the result.
shard.grid @grid(shape = 2) {shard.machine = {memory = 2.4e4}}
// CHECK-LABEL: func.func @chain
// CHECK: scf.for
// CHECK: linalg.matmul
// CHECK-NEXT: shard.reduce_scatter
// CHECK-NEXT: math.tanh
// CHECK-NEXT: shard.all_gather
// CHECK-NEXT: tensor.insert_slice
// CHECK-NEXT: scf.yield
func.func @chain(%a: tensor<64x8xf32>, %b: tensor<8x64xf32>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x8xf32>, tensor<8x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = shard.reduce_scatter %0 on @grid grid_axes = [0] scatter_axis = 0 : tensor<64x64xf32> -> tensor<32x64xf32>
  %2 = math.tanh %1 : tensor<32x64xf32>
  %3 = shard.all_gather %2 on @grid grid_axes = [0] gather_axis = 0 : tensor<32x64xf32> -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// -----

// Two layers, of which the peak of the one is that of the other: both or none.
shard.grid @grid(shape = 2) {shard.machine = {memory = 4.0e4}}
// CHECK-LABEL: func.func @layers
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @layers(%x: tensor<64x64xi32>, %v: tensor<32x64xi32>, %w: tensor<32x64xi32>) -> (tensor<64xi32>, tensor<64xi32>) {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<64xi32>) -> tensor<64xi32>
  %0 = shard.all_gather %v on @grid grid_axes = [0] gather_axis = 0 : tensor<32x64xi32> -> tensor<64x64xi32>
  %1 = linalg.reduce ins(%0 : tensor<64x64xi32>) outs(%f : tensor<64xi32>) dimensions = [0]
      (%in: i32, %acc: i32) { %s = arith.addi %in, %acc : i32 linalg.yield %s : i32 }
  %2 = shard.all_gather %w on @grid grid_axes = [0] gather_axis = 0 : tensor<32x64xi32> -> tensor<64x64xi32>
  %3 = linalg.reduce ins(%2 : tensor<64x64xi32>) outs(%f : tensor<64xi32>) dimensions = [0]
      (%in: i32, %acc: i32) { %s = arith.addi %in, %acc : i32 linalg.yield %s : i32 }
  return %1, %3 : tensor<64xi32>, tensor<64xi32>
}

// -----

// Nothing makes the arguments fit.
shard.grid @grid(shape = 2) {shard.machine = {memory = 1.0e4}}
// CHECK-LABEL: func.func @does_not_fit
// CHECK-NOT: scf.for
// CHECK: return
// expected-remark@+2 {{takes 26624 bytes of memory on one device, which has 10000; with collectives in parts}}
// expected-note@+1 {{most is needed by 'linalg.matmul'}}
func.func @does_not_fit(%x: tensor<4x64xf32>, %w: tensor<32x64xf32>) -> tensor<4x64xf32> {
  %0 = shard.all_gather %w on @grid grid_axes = [0] gather_axis = 0 : tensor<32x64xf32> -> tensor<64x64xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = linalg.matmul ins(%x, %0 : tensor<4x64xf32>, tensor<64x64xf32>) outs(%f : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %1 : tensor<4x64xf32>
}

// -----

// What is not cut: a result that another op needs, too; a tensor of one dimension, which the
// collective joins; narrow floats that are summed.
shard.grid @grid(shape = 2)
// FORCED-LABEL: func.func @whole
// FORCED-NOT: scf.for
// FORCED: return
func.func @whole(%a: tensor<32x64xf32>, %b: tensor<64xf32>, %c: tensor<32x64xf16>, %x: tensor<64x4xf16>, %o: tensor<64x4xf16>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<128xf32>, tensor<64x4xf16>) {
  %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<32x64xf32> -> tensor<64x64xf32>
  %1 = math.tanh %0 : tensor<64x64xf32>
  %2 = shard.all_gather %b on @grid grid_axes = [0] gather_axis = 0 : tensor<64xf32> -> tensor<128xf32>
  %3 = math.tanh %2 : tensor<128xf32>
  %4 = shard.all_gather %c on @grid grid_axes = [0] gather_axis = 0 : tensor<32x64xf16> -> tensor<64x64xf16>
  %5 = linalg.matmul ins(%4, %x : tensor<64x64xf16>, tensor<64x4xf16>) outs(%o : tensor<64x4xf16>) -> tensor<64x4xf16>
  return %0, %1, %3, %5 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<128xf32>, tensor<64x4xf16>
}
