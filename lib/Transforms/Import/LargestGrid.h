//===- LargestGrid.h - The largest grid of a module -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_IMPORT_LARGESTGRID_H
#define SHARD_LIB_TRANSFORMS_IMPORT_LARGESTGRID_H

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/IR/SymbolTable.h"

namespace shard {

/// The sizes of the axes of the grid with most devices of the module that `op` is in, of
/// those of known size with at most 4096 devices. Empty if there is none.
inline llvm::SmallVector<int64_t> largestGridAround(mlir::Operation *op) {
  constexpr int64_t kMostDevices = 4096;
  llvm::SmallVector<int64_t> largest;
  int64_t most = 1;
  mlir::Operation *module = symbolScope(op);
  if (!module || module->getNumRegions() != 1)
    return largest;
  for (GridOp grid : module->getRegion(0).getOps<GridOp>()) {
    int64_t devices = 1;
    for (int64_t size : grid.getShape())
      devices = mlir::ShapedType::isDynamic(size) || devices > kMostDevices
                    ? kMostDevices + 1
                    : devices * size;
    if (devices <= most || devices > kMostDevices)
      continue;
    most = devices;
    largest.assign(grid.getShape().begin(), grid.getShape().end());
  }
  return largest;
}

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_IMPORT_LARGESTGRID_H
