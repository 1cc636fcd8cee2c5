//===- Errors.cpp - What a pass says when it fails -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Errors.h"

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

/// Errors that say that the hints cannot all be met.
static bool saysContradiction(StringRef message) {
  for (StringRef text :
       {" contradicts another one of ", "which is for integers, by its hint",
        "too; mark one of them annotate_for_users",
        // Its numbers are computed behind another member of a group.
        "made that is tied to this one",
        // A shard.loops of its own.
        ", which cannot be split", " loops (--shard-print-",
        "asks for shardings that no axis lists express"})
    if (message.contains(text))
      return true;
  return false;
}

std::string shard::fuzz::oneLine(std::string text) {
  for (char &c : text)
    if (c == '\n' || c == '\t')
      c = ' ';
  return text.substr(0, 400);
}

Outcome shard::fuzz::rejected(const char *where, const Errors &errors) {
  std::string message = std::string(where) + ": " + oneLine(errors.first);
  if (errors.first.empty())
    return {Verdict::CheckFailed, message + "failed without an error"};
  if (saysContradiction(errors.first))
    return {Verdict::Contradiction, message};
  return {Verdict::Rejected, message};
}

SmallVector<func::FuncOp> shard::fuzz::entriesOf(ModuleOp module) {
  return llvm::filter_to_vector(
      module.getOps<func::FuncOp>(), [](func::FuncOp function) {
        return function.isPublic() && !function.isExternal();
      });
}

LogicalResult
shard::fuzz::runPasses(ModuleOp module,
                       llvm::function_ref<void(OpPassManager &)> add) {
  PassManager manager(module.getContext());
  add(manager);
  return manager.run(module);
}
