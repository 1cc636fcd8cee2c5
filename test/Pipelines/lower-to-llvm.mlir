// A partitioned program becomes LLVM dialect and calls of the runtime; nothing
// of any other dialect is left.

// RUN: shard-opt %s --shard-spmd --shard-lower-to-llvm | FileCheck %s --implicit-check-not=linalg. \
// RUN:   --implicit-check-not=shard. --implicit-check-not=unrealized --implicit-check-not=func.func \
// RUN:   --implicit-check-not=memref.
// RUN: shard-opt %s --shard-spmd --shard-lower-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR
// RUN: shard-opt %s --shard-spmd --shard-lower-to-llvm=kernel-calls=false | FileCheck %s --check-prefix=LOOPS --implicit-check-not=shard_kernel

shard.grid @grid(shape = 4)

// CHECK: llvm.func @sinf(
// CHECK: llvm.func @dot(
// The loops of sin are a function; nothing else reaches its output.
// CHECK: llvm.call @shard_kernel_contract(
// CHECK: llvm.call @dot.nest[[SIN:[0-9]+]](
// CHECK: llvm.call @shard_rt_all_reduce(
// CHECK: llvm.func internal @dot.nest[[SIN]]({{.*}}llvm.noalias
// CHECK: llvm.call @sinf(
// LOOPS: llvm.func @dot(
// LOOPS: llvm.fmul
// IR: declare {{.*}}@shard_rt_all_reduce(
func.func @dot(
    %a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %b: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %product = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>)
      outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %result = math.sin %product : tensor<8x8xf32>
  return %result : tensor<8x8xf32>
}
