//===- FunctionMerge.h - One function for equal ones ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_EXPORT_FUNCTIONMERGE_H
#define SHARD_LIB_TRANSFORMS_EXPORT_FUNCTIONMERGE_H

#include "Import/CallSplit.h"

namespace shard {

/// Replaces the functions of each family that are equal but for their names by the
/// first of them. All uses of them are calls.
void mergeFunctions(mlir::ModuleOp module, const FunctionFamilies &families);

/// The same for all private functions of `module` that only calls use.
void mergeFunctions(mlir::ModuleOp module);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_EXPORT_FUNCTIONMERGE_H
