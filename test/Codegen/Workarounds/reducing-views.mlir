// MLIR crashes on a view that drops one of two dimensions of one element whose
// strides do not tell which one it is. If this test fails, MLIR is mended: delete
// lib/Codegen/Workarounds/ReducingViews.cpp and this file.

// RUN: env LLVM_DISABLE_SYMBOLIZATION=1 not --crash mlir-opt %s --expand-strided-metadata

func.func @f(%a: memref<1x1x5xindex>) -> memref<1x2xindex, strided<[10, 1]>> {
  %0 = memref.subview %a[0, 0, 0] [1, 1, 2] [2, 1, 1] : memref<1x1x5xindex> to memref<1x2xindex, strided<[10, 1]>>
  return %0 : memref<1x2xindex, strided<[10, 1]>>
}
