//===- Replication.h - Values that devices have in common -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_REPLICATION_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_REPLICATION_H

#include "shard/IR/ShardOps.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace shard {

/// Which values of a partitioned program are known to be the same on all devices of a
/// group. Only what stands outside of loops and branches is known, or comes from there.
class Replication {
public:
  /// Whether all devices of each group along `axes` of the grid called `grid` have the
  /// same `value`.
  bool isReplicated(mlir::Value value, mlir::FlatSymbolRefAttr grid,
                    llvm::ArrayRef<GridAxis> axes);

  /// Whether that holds of all that the regions of `op` use from outside of it.
  bool capturesReplicated(mlir::Operation *op, mlir::FlatSymbolRefAttr grid,
                          llvm::ArrayRef<GridAxis> axes);

  /// Whether `value` is known to be split, or partial, along each of `axes`: it is computed
  /// from arguments that are, or from slices. Such a value is not the same on two devices
  /// of a group but by chance. False where that is not known.
  bool isSplit(mlir::Value value, mlir::FlatSymbolRefAttr grid,
               llvm::ArrayRef<GridAxis> axes);

  /// Whether `value` is an argument or a slice that is known to be a block of a tensor whose
  /// dimension `dim` has extent `whole` and is split by `axes`. What lies in it beyond the tensor
  /// is padding for every user.
  bool isBlock(mlir::Value value, int64_t dim, int64_t whole,
               mlir::FlatSymbolRefAttr grid, llvm::ArrayRef<GridAxis> axes);

  /// Must be called before `op` is erased: another value may get its address.
  void forget(mlir::Operation *op);

private:
  /// The axes of the grid along which a value may differ, and those along which it is
  /// known to be split.
  struct Axes {
    uint64_t varies = 0, splits = 0;
  };
  Axes axesOf(mlir::Value value, mlir::FlatSymbolRefAttr grid);
  Axes axesUncached(mlir::Value value, mlir::FlatSymbolRefAttr grid);
  Axes axesOfArgument(mlir::BlockArgument argument,
                      mlir::FlatSymbolRefAttr grid);
  bool isBlockOfArgument(mlir::BlockArgument argument, int64_t dim,
                         int64_t whole, mlir::FlatSymbolRefAttr grid,
                         llvm::ArrayRef<GridAxis> axes);
  Axes axesOfLocal(mlir::FunctionOpInterface function, LocalAttr local);
  bool haveSameDevices(mlir::Operation *op, mlir::FlatSymbolRefAttr a,
                       mlir::FlatSymbolRefAttr b);

  mlir::SymbolTableCollection symbols;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, Axes> known;
  llvm::SmallSetVector<mlir::Attribute, 2> grids;
  /// By the op that has the symbol of the grid: many arguments have one layout.
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Attribute>, Axes> ofLocals;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_REPLICATION_H
