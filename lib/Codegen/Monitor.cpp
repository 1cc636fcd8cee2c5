//===- Monitor.cpp - To follow long work, and to stop it ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR runs every pass as an action, which a handler of the context may leave out. Once
// the monitor says stop, all passes that are left are left out, and the pipeline ends.
// Passes that a pass runs itself are always run: it relies on what they do.
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Monitor.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace shard;

static LogicalResult stopped(Operation *op, StringRef work) {
  return op->emitError() << "stopped on request: " << work;
}

LogicalResult shard::askMonitor(const Monitor &monitor, Operation *op,
                                StringRef work, StringRef step) {
  if (monitor && !monitor(work, step))
    return stopped(op, work);
  return success();
}

LogicalResult shard::runMonitored(PassManager &passes, ModuleOp module,
                                  StringRef work, const Monitor &monitor) {
  MLIRContext *context = module.getContext();
  // Somebody else's handler stays.
  if (!monitor || context->hasActionHandler())
    return passes.run(module);
  bool stop = false;
  unsigned depth = 0;
  context->registerActionHandler(
      [&](function_ref<void()> run, const tracing::Action &action) {
        auto *execution = dyn_cast<PassExecutionAction>(&action);
        // The adaptor of a nested pipeline is no step of its own.
        if (!execution || execution->getPass().getName().contains("Adaptor"))
          return run();
        StringRef name = execution->getPass().getArgument();
        if (name.empty())
          name = execution->getPass().getName();
        if (depth == 0 && (stop || !monitor(work, name))) {
          stop = true;
          return;
        }
        ++depth;
        run();
        --depth;
      });
  LogicalResult result = passes.run(module);
  context->registerActionHandler(nullptr);
  if (stop && succeeded(result))
    return stopped(module, work);
  return result;
}
