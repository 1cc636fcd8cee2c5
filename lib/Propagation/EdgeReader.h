//===- EdgeReader.h - Control flow and calls --------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to propagation. Adds the edges by which an op passes tensors on to
// blocks, functions and results.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_EDGEREADER_H
#define SHARD_LIB_PROPAGATION_EDGEREADER_H

#include "ReadProgram.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace shard::propagation {

/// The operands of a return are the results of its function.
void readReturn(mlir::Operation *op, ReadProgram &program);

/// Returns whether the function that `call` calls is one of `program` and its
/// signature fits.
bool readCall(mlir::CallOpInterface call, ReadProgram &program,
              mlir::SymbolTableCollection &symbols);

void readBranch(mlir::BranchOpInterface branch, ReadProgram &program);

/// Returns whether all tensors that the regions take and give are known; the
/// regions are left to the caller.
bool readRegionBranch(mlir::RegionBranchOpInterface branch,
                      ReadProgram &program);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_EDGEREADER_H
