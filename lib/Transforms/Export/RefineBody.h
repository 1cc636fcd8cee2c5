//===- RefineBody.h - Manual bodies on a refined grid -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_EXPORT_REFINEBODY_H
#define SHARD_LIB_TRANSFORMS_EXPORT_REFINEBODY_H

#include "shard/IR/ShardOps.h"

namespace shard {

/// Moves the ops in `body`, of a manual computation, from the grid `coarse` to the
/// grid called `fine`: `parts` has for each axis of `coarse` the axes it is cut
/// into, outermost first. Groups, positions in them and linear indices stay the
/// same. Ops that would mean something else there stay on `coarse`, which `fine`
/// refines: those that name single coordinates on an axis that is cut, and those
/// that cut a dimension unevenly by such an axis.
void refineBody(mlir::Region &body, GridOp coarse, mlir::FlatSymbolRefAttr fine,
                llvm::ArrayRef<llvm::SmallVector<GridAxis, 2>> parts);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_EXPORT_REFINEBODY_H
