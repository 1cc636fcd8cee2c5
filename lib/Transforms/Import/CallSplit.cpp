//===- CallSplit.cpp - A callee for each way of calling it ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/CallSplit.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "shard-split-calls"

using namespace mlir;

namespace shard {

static size_t countOps(Operation *op) {
  size_t count = 0;
  op->walk([&](Operation *) { ++count; });
  return count;
}

SmallVector<func::FuncOp> privateCallersFirst(ModuleOp module) {
  CallGraph graph(module);
  SmallVector<func::FuncOp> order;
  for (auto scc = llvm::scc_begin<const CallGraph *>(&graph); !scc.isAtEnd();
       ++scc) {
    if (scc.hasCycle())
      continue;
    const CallGraphNode *node = scc->front();
    if (node->isExternal())
      continue;
    auto function =
        dyn_cast<func::FuncOp>(node->getCallableRegion()->getParentOp());
    if (function && function.isPrivate() && !function.isExternal())
      order.push_back(function);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

FunctionFamilies splitCalls(ModuleOp module) {
  FunctionFamilies families;
  // A function alone calls nothing that could be copied.
  if (llvm::hasSingleElement(module.getOps<func::FuncOp>()))
    return families;
  SmallVector<func::FuncOp> order = privateCallersFirst(module);
  if (order.empty())
    return families;
  size_t budget = countOps(module);
  SymbolTable symbols(module);
  llvm::DenseMap<StringAttr, SmallVector<func::CallOp>> calls;
  auto collect = [&](Operation *root) {
    root->walk([&](func::CallOp call) {
      calls[call.getCalleeAttr().getAttr()].push_back(call);
    });
  };
  collect(module);
  for (func::FuncOp function : order) {
    auto found = calls.find(function.getSymNameAttr());
    if (found == calls.end() || found->second.size() < 2)
      continue;
    SmallVector<func::CallOp> callers = found->second;
    // A symbol use that is no call (a constant) means that all are not known.
    auto uses = SymbolTable::getSymbolUses(function, module);
    if (!uses ||
        size_t(std::distance(uses->begin(), uses->end())) != callers.size())
      continue;
    size_t size = countOps(function);
    SmallVector<func::FuncOp, 2> family{function};
    for (func::CallOp call : llvm::drop_begin(callers)) {
      if (size > budget)
        break;
      budget -= size;
      auto copy = cast<func::FuncOp>(function->clone());
      symbols.insert(copy, std::next(mlir::Block::iterator(family.back())));
      call.setCallee(copy.getSymName());
      collect(copy);
      family.push_back(copy);
    }
    LLVM_DEBUG(llvm::dbgs() << "copies @" << function.getSymName() << " for "
                            << family.size() << " calls\n");
    families.push_back(std::move(family));
  }
  return families;
}

/// Whether two functions differ in their names at most.

} // namespace shard
