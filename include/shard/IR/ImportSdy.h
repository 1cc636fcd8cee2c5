//===- ImportSdy.h - Reads programs with Shardy's shardings -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module that states its shardings in the dialect `sdy` of OpenXLA Shardy and
// whose other ops are of dialects of MLIR. docs/Moving.md has the table of what becomes
// what. Values keep their global types. An explicit collective becomes two annotations:
// the sharding that its operand must have, and its out sharding. The reshard between
// them is that collective.
//
// The custom form is read, not the generic one.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_IMPORTSDY_H
#define SHARD_IR_IMPORTSDY_H

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"

#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace mlir {
class MLIRContext;
class Operation;
} // namespace mlir

namespace shard {

/// The text of `text` in the `shard` dialect, with the same lines. Ops that state a
/// sharding for each of several results have them as an array, which importSdy
/// resolves. On failure calls `emitError` once, with the offset in `text` and what is
/// wrong.
llvm::FailureOr<std::string>
rewriteSdyText(llvm::StringRef text,
               llvm::function_ref<void(size_t, const llvm::Twine &)> emitError);

/// Parses and verifies the program of the main buffer of `source`, a module; null
/// after an error, which has been emitted.
mlir::OwningOpRef<mlir::Operation *> importSdy(llvm::SourceMgr &source,
                                               mlir::MLIRContext *context);

} // namespace shard

#endif // SHARD_IR_IMPORTSDY_H
