//===- Components.h - Functions that are solved together --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_COMPONENTS_H
#define SHARD_LIB_PROPAGATION_COMPONENTS_H

#include "shard/IR/ShardOps.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace shard::propagation {

/// The functions that call one another, and the grids that their hints name, in the
/// order in which they are named.
struct Component {
  llvm::SmallVector<mlir::FunctionOpInterface> functions;
  llvm::SmallSetVector<GridOp, 1> grids;
};

/// Finds the components of `root`, a module or a function, in the order of their
/// first functions; those without hints are left out. On failure an error has been
/// emitted.
mlir::LogicalResult
findComponents(mlir::Operation *root, mlir::SymbolTableCollection &symbols,
               llvm::SmallVectorImpl<Component> &components);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_COMPONENTS_H
