// What shard-run runs, shard-lower-to-llvm lowers: ops without a form on buffers,
// blocks with branches, run-time checks.

// RUN: shard-opt %s --shard-lower-to-llvm | FileCheck %s --implicit-check-not=unrealized --implicit-check-not=memrefCopy
// RUN: shard-opt %s --shard-lower-to-llvm | mlir-translate --mlir-to-llvmir -o /dev/null
// RUN: shard-opt %s --shard-lower-to-llvm=hosted | FileCheck %s --check-prefix=HOSTED

// HOSTED-DAG: llvm.func @_mlir_memref_to_llvm_aligned_alloc
// HOSTED-DAG: llvm.func @shard.fn.gather

// CHECK-LABEL: llvm.func @gather(
func.func @gather(%a: tensor<8x4xf32>, %i: tensor<3x1xindex>) -> tensor<3x4xf32> {
  %0 = tensor.gather %a[%i] gather_dims([0]) : (tensor<8x4xf32>, tensor<3x1xindex>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: llvm.func @scatter(
func.func @scatter(%a: tensor<3x1x4xf32>, %d: tensor<8x4xf32>, %i: tensor<3x1xindex>) -> tensor<8x4xf32> {
  %0 = tensor.scatter %a into %d[%i] scatter_dims([0]) unique : (tensor<3x1x4xf32>, tensor<8x4xf32>, tensor<3x1xindex>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: llvm.func @pack(
func.func @pack(%a: tensor<8x4xf32>, %d: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %0 = linalg.pack %a inner_dims_pos = [0] inner_tiles = [4] into %d : tensor<8x4xf32> -> tensor<2x4x4xf32>
  return %0 : tensor<2x4x4xf32>
}

// CHECK-LABEL: llvm.func @switch(
func.func @switch(%c: i32, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  cf.switch %c : i32, [
    default: ^end(%a : tensor<4xf32>),
    1: ^end(%b : tensor<4xf32>)
  ]
^end(%x: tensor<4xf32>):
  return %x : tensor<4xf32>
}

// CHECK-LABEL: llvm.func @check(
// CHECK: llvm.call @shard_rt_fail
func.func @check(%c: i1, %a: tensor<4xf32>) -> tensor<4xf32> {
  cf.assert %c, "it is"
  return %a : tensor<4xf32>
}
