//===- PrepareModule.cpp - Passes that a runner may run first -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/Hints.h"

#include "shard/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace shard;

LogicalResult shard::inlineCalls(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createInlinerPass());
  return passes.run(module);
}

LogicalResult shard::lowerTosa(ModuleOp module) {
  bool present = false;
  module.walk([&](Operation *op) {
    present |= op->getName().getDialectNamespace() == "tosa";
  });
  if (!present)
    return success();
  PassManager passes(module.getContext());
  passes.addPass(createShardLowerTosa());
  if (failed(passes.run(module)))
    return failure();
  Operation *left = nullptr;
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() == "tosa" && !left &&
        !op->use_empty())
      left = op;
  });
  if (left)
    return left->emitError("does not lower to linalg, tensor or arith");
  return success();
}
