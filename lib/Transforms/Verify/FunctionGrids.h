//===- FunctionGrids.h - The grid that a function works on ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_VERIFY_FUNCTIONGRIDS_H
#define SHARD_LIB_TRANSFORMS_VERIFY_FUNCTIONGRIDS_H

#include "AxisSet.h"

#include "shard/IR/ShardOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <map>

namespace shard {

/// Tells the axes of ops by the grid of their function. One function works on one grid,
/// and on grids that this one refines.
class FunctionGrids {
public:
  explicit FunctionGrids(mlir::SymbolTableCollection &symbols)
      : symbols(symbols) {}

  /// Finds the finest of the grids that `function` is on.
  void add(mlir::FunctionOpInterface function);

  /// The axes of a list of op `op`, which names the grid `grid`. Those of a grid that the
  /// function's does not refine may be any of its.
  AxisSet axesOf(mlir::Operation *op, mlir::FlatSymbolRefAttr grid,
                 llvm::ArrayRef<int16_t> axes);

  /// `function` works on no grid of its own and is called by `caller`: it takes over its grid.
  /// Whether it had none before and has one now.
  bool inherit(mlir::Operation *function, mlir::Operation *caller);

  /// What the axes `set` of function `from` are in function `to`. Axes of grids of which none
  /// refines the other may be any.
  AxisSet handedOn(AxisSet set, mlir::Operation *from, mlir::Operation *to);

  /// Whether two functions number axes differently.
  bool areSeveral() const;

private:
  /// For each axis of `coarse` those of `fine`; empty where it does not refine it.
  const std::vector<AxisList> &runs(GridOp coarse, GridOp fine);

  mlir::SymbolTableCollection &symbols;
  /// By function; null for one without a grid.
  llvm::DenseMap<mlir::Operation *, GridOp> gridOf;
  /// Of two grids, for each axis of the first those of the second; empty where
  /// the second does not refine the first.
  std::map<std::pair<mlir::Operation *, mlir::Operation *>,
           std::vector<AxisList>>
      runsOf;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_VERIFY_FUNCTIONGRIDS_H
