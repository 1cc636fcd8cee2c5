//===- ManualReader.h - Manual computations ---------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_MANUALREADER_H
#define SHARD_LIB_PROPAGATION_MANUALREADER_H

#include "ReadProgram.h"

#include "shard/Propagation/Propagation.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace shard::propagation {

/// From functions that are called in bodies of manual computations to the scope
/// (Problem::scopes) of their values.
using ManualScopes = llvm::DenseMap<mlir::Operation *, uint32_t>;

/// Finds the functions that are called in bodies of manual computations: they are
/// parts of them. Errors are emitted.
mlir::LogicalResult
findManualScopes(llvm::ArrayRef<mlir::FunctionOpInterface> functions,
                 ReadProgram &program, mlir::SymbolTableCollection &symbols,
                 ManualScopes &scopes);

/// Reads a manual computation: its operands as edges to what the in shardings say,
/// its results as what the out shardings say. `readBody` reads the body. Errors are
/// emitted.
mlir::LogicalResult
readManual(ManualComputationOp op, ReadProgram &program,
           llvm::function_ref<mlir::LogicalResult(mlir::Region &)> readBody);

/// The grid on which reshards of values of `scope` are planned: axes that are
/// manual around them have one device.
Grid planningGrid(const Problem &problem, uint32_t scope,
                  const GridPropagation &out);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_MANUALREADER_H
