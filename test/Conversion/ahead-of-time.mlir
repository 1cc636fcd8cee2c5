// A partitioned program, compiled ahead of time and linked with the thread back
// end and the kernels as shared libraries: a plain C program runs it on a grid.

// REQUIRES: standalone
// UNSUPPORTED: asan
// RUN: shard-opt %s --shard-lower-to-llvm | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: llc -O2 --filetype=obj --relocation-model=pic %t.ll -o %t.o
// RUN: %cc -I %shard_src/include %S/Inputs/ahead-of-time.c %t.o -o %t.exe -L %shard_build/lib -lshard_runtime -lshard_kernels -Wl,-rpath,%shard_build/lib
// RUN: %t.exe 2 2 | FileCheck %s
// RUN: not %t.exe 2 3 2>&1 | FileCheck %s --check-prefix=MISMATCH

shard.grid @g(shape = 2x2)

// Device d = 2 i + j starts with [d, 10 d]. Along axis 1 the blocks become
// [2 i, 20 i, 2 i + 1, 20 i + 10]; along axis 0 they add up to [2, 20, 4, 40];
// each device adds its coordinate j.
func.func @program(%block: tensor<2xf32>) -> tensor<4xf32>
    attributes {llvm.emit_c_interface} {
  %0 = shard.all_gather %block on @g grid_axes = [1] gather_axis = 0 : tensor<2xf32> -> tensor<4xf32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  %j = shard.process_multi_index on @g axes = [1] : index
  %word = arith.index_cast %j : index to i32
  %float = arith.sitofp %word : i32 to f32
  %2 = tensor.splat %float : tensor<4xf32>
  %3 = arith.addf %1, %2 : tensor<4xf32>
  // The product with the identity, which the kernel computes.
  %row = tensor.expand_shape %3 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %identity = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %zero = arith.constant dense<0.0> : tensor<2x2xf32>
  %product = linalg.matmul ins(%row, %identity : tensor<2x2xf32>, tensor<2x2xf32>)
      outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = tensor.collapse_shape %product [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK:      device 0: 2 20 4 40
// CHECK-NEXT: device 1: 3 21 5 41
// CHECK-NEXT: device 2: 2 20 4 40
// CHECK-NEXT: device 3: 3 21 5 41

// MISMATCH: error: all_gather (2xf32 -> 4xf32{{.*}}) at {{.*}}ahead-of-time.mlir:{{[0-9]+}}:8: the program's grid has 4 devices, the run has 6
