//===- Silence.h - Failures that are answers -------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_SILENCE_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_SILENCE_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"

namespace shard {

/// Drops what this thread reports, where a failure is an answer and no error of the program.
struct Silence {
  explicit Silence(mlir::MLIRContext *context)
      : handler(context, [thread = llvm::get_threadid()](mlir::Diagnostic &) {
          return mlir::success(llvm::get_threadid() == thread);
        }) {}
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_SILENCE_H
