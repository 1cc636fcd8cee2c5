//===- ManualCalls.h - Functions called by manual computations --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that is called in the body of a manual computation is a part of that
// body: nothing in it may be split by the manual axes, and no reshard in it may
// take devices along them for replicas.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_MANUALCALLS_H
#define SHARD_PARTITIONING_MANUALCALLS_H

#include "shard/IR/ShardOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace shard {

/// For each function the manual computations in whose bodies it is called,
/// directly or by way of other functions; those that are called in none are left
/// out. Of `functions` only.
using ManualCallers =
    llvm::DenseMap<mlir::Operation *, llvm::SetVector<ManualComputationOp>>;
ManualCallers
findManualCallers(llvm::ArrayRef<mlir::FunctionOpInterface> functions,
                  mlir::SymbolTableCollection &symbols);

} // namespace shard

#endif // SHARD_PARTITIONING_MANUALCALLS_H
