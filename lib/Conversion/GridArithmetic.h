//===- GridArithmetic.h - The place of a device in a grid -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What convert-shard-to-runtime and convert-shard-to-mpi share: arithmetic on the
// coordinates of devices, and with it the ops that ask for them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CONVERSION_GRIDARITHMETIC_H
#define SHARD_LIB_CONVERSION_GRIDARITHMETIC_H

#include "RuntimeCalls.h"

namespace shard {
namespace conversion {

/// Who tells a program where its device is.
enum class BackEnd { Runtime, Mpi };

/// Arithmetic on the coordinates of one grid, at the insertion point.
class GridArithmetic {
public:
  /// With BackEnd::Mpi the extents of the grid are known.
  GridArithmetic(mlir::OpBuilder &builder, mlir::Operation *op, GridOp grid,
                 mlir::SymbolTableCollection &symbols, BackEnd backEnd);

  /// The size of an axis.
  mlir::Value extent(int64_t axis);
  /// How far the devices that differ by one on `axis` are apart.
  mlir::Value stride(int64_t axis);
  /// The position of the calling device, row-major.
  mlir::Value linearIndex();
  /// The rank of MPI that runs the device at position `linear`.
  mlir::Value rankOf(mlir::Value linear);
  /// The coordinate on `axis` of the device at `linear`.
  mlir::Value coordinate(mlir::Value linear, int64_t axis);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  int64_t rank() const { return shape.size(); }

  RuntimeEmitter emitter;

private:
  llvm::SmallVector<int64_t> shape;
  /// The physical device at each position; empty: position p is device p.
  llvm::ArrayRef<int64_t> deviceIds;
  BackEnd backEnd;
};

/// Whether `op` asks for the shape of a grid or the place of a device.
bool isProcessOp(mlir::Operation *op);

/// Replaces an op that isProcessOp() by arithmetic; an error if its grid is not in
/// the module.
mlir::LogicalResult lowerProcessOp(mlir::RewriterBase &rewriter,
                                   mlir::Operation *op,
                                   mlir::SymbolTableCollection &symbols,
                                   BackEnd backEnd);

/// Removes grids, and the attributes of the dialect from all ops, arguments and
/// results: they mean nothing to what comes next.
void eraseGridsAndAttributes(mlir::ModuleOp module);

} // namespace conversion
} // namespace shard

#endif // SHARD_LIB_CONVERSION_GRIDARITHMETIC_H
