//===- CallSplit.h - A callee for each way of calling it --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A private function that several calls reach would tie the shardings of all its
// callers together. Before propagation each call gets its own copy; afterwards
// copies that came out alike are merged (Export/FunctionMerge.h), so what stays is one copy
// per distinct calling sharding. Copies of copies are bounded: a module grows to
// at most twice its ops, what would go beyond is shared as before.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_IMPORT_CALLSPLIT_H
#define SHARD_LIB_TRANSFORMS_IMPORT_CALLSPLIT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace shard {

/// Functions that may be alike: an original, then its copies. Families of callers
/// come before those of their callees.
using FunctionFamilies =
    std::vector<llvm::SmallVector<mlir::func::FuncOp, 2>>;

/// Gives every call of a private function a copy of its own, and returns the
/// functions that were copied.
FunctionFamilies splitCalls(mlir::ModuleOp module);

/// The private functions of `module` with bodies that no cycle of calls reaches,
/// callers before callees.
llvm::SmallVector<mlir::func::FuncOp>
privateCallersFirst(mlir::ModuleOp module);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_IMPORT_CALLSPLIT_H
