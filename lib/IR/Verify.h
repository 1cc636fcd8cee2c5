//===- Verify.h - What the verifiers share ----------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_IR_VERIFY_H
#define SHARD_LIB_IR_VERIFY_H

#include "shard/IR/ShardingUtils.h"

namespace shard {

/// The grid called `symbol`, or an error.
mlir::FailureOr<GridOp> checkGrid(mlir::Operation *op,
                                  mlir::FlatSymbolRefAttr symbol,
                                  mlir::SymbolTableCollection &symbols);

/// Whether `axes` are distinct axes of `grid`.
mlir::LogicalResult checkAxes(mlir::Operation *op,
                              llvm::ArrayRef<GridAxis> axes, GridOp grid);

/// Both.
mlir::FailureOr<GridOp> checkGrid(mlir::Operation *op,
                                  mlir::FlatSymbolRefAttr symbol,
                                  llvm::ArrayRef<GridAxis> axes,
                                  mlir::SymbolTableCollection &symbols);

/// The devices in a group along `axes`; kDynamic where an axis is `?`.
int64_t groupSize(GridOp grid, llvm::ArrayRef<GridAxis> axes);

/// No axis negative, none in two lists: needs no grid.
mlir::LogicalResult checkSplitAxes(mlir::Operation *op,
                                   llvm::ArrayRef<GridAxesAttr> lists);

} // namespace shard

#endif // SHARD_LIB_IR_VERIFY_H
