//===- CallSplit.h - A callee for each way of calling it --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A private function that several calls reach would force the shardings of all its
// callers to be equal. Before propagation each call gets a copy of its own. After it,
// equal copies are merged (Export/FunctionMerge.h), so that one copy per distinct
// sharding of the calls remains. The number of copies is limited: a module grows to at
// most twice its ops, and calls beyond that share a function.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_IMPORT_CALLSPLIT_H
#define SHARD_LIB_TRANSFORMS_IMPORT_CALLSPLIT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace shard {

/// Functions that may turn out equal: an original, then its copies. Families of callers
/// come before those of their callees.
using FunctionFamilies = std::vector<llvm::SmallVector<mlir::func::FuncOp, 2>>;

/// Gives every call of a private function a copy of its own, and returns the
/// functions that were copied.
FunctionFamilies splitCalls(mlir::ModuleOp module);

/// The private functions of `module` with bodies that no cycle of calls reaches,
/// callers before callees.
llvm::SmallVector<mlir::func::FuncOp>
privateCallersFirst(mlir::ModuleOp module);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_IMPORT_CALLSPLIT_H
