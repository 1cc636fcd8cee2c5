//===- Monitor.h - To follow long work, and to stop it ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_CODEGEN_MONITOR_H
#define SHARD_CODEGEN_MONITOR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <functional>

namespace shard {

/// Is told what is done next: the work ("partition", "compile", "run") and its step: the
/// name of a pass, "machine code", "one device" before the runs to compare with; nothing
/// for the run of the grid. During a run of threads it is called several times a second. Returns false to stop. May be empty.
using Monitor = std::function<bool(llvm::StringRef work, llvm::StringRef step)>;

/// Runs `passes` on `module` and asks `monitor` before each of them. Fails, with an
/// error, if it was stopped; `module` is then somewhere between two passes.
mlir::LogicalResult runMonitored(mlir::PassManager &passes,
                                 mlir::ModuleOp module, llvm::StringRef work,
                                 const Monitor &monitor);

/// Asks `monitor` before a step that is no pass.
mlir::LogicalResult askMonitor(const Monitor &monitor, mlir::Operation *op,
                               llvm::StringRef work, llvm::StringRef step);

} // namespace shard

#endif // SHARD_CODEGEN_MONITOR_H
