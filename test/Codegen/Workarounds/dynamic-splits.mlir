// MLIR crashes on a dimension that is split into two of unknown extents. If this test
// fails, MLIR is mended: delete lib/Codegen/Workarounds/DynamicSplits.cpp and this file.

// RUN: env LLVM_DISABLE_SYMBOLIZATION=1 not --crash mlir-opt %s --expand-strided-metadata

func.func @f(%a: memref<?x8xf32>, %m: index, %n: index) -> memref<?x?x8xf32> {
  %0 = memref.expand_shape %a [[0, 1], [2]] output_shape [%m, %n, 8] : memref<?x8xf32> into memref<?x?x8xf32>
  return %0 : memref<?x?x8xf32>
}
