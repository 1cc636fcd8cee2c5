//===- Errors.h - What a pass says when it fails -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_ERRORS_H
#define SHARD_LIB_FUZZ_CHECKS_ERRORS_H

#include "shard/Fuzz/Check.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace shard::fuzz {

/// Collects the first error.
struct Errors {
  explicit Errors(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
              first.empty()) {
            first = diagnostic.str();
            if (auto place = llvm::dyn_cast<mlir::FileLineColLoc>(
                    diagnostic.getLocation()))
              where = " (line " + std::to_string(place.getLine()) +
                      ", column " + std::to_string(place.getColumn()) + ")";
          }
          return mlir::success();
        }) {}
  std::string first;
  /// Its place in the file, in words.
  std::string where;
  mlir::ScopedDiagnosticHandler handler;
};

std::string oneLine(std::string text);

/// The verdict about a pass that failed.
Outcome rejected(const char *where, const Errors &errors);

/// The functions that a run may enter.
llvm::SmallVector<mlir::func::FuncOp> entriesOf(mlir::ModuleOp module);

/// Runs `add`ed passes on `module`.
llvm::LogicalResult
runPasses(mlir::ModuleOp module,
          llvm::function_ref<void(mlir::OpPassManager &)> add);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_ERRORS_H
