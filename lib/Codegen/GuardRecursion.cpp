//===- GuardRecursion.cpp - Recursion that ends with a message ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that may call itself, directly or through others, asserts on entry that
// the stack of its thread has room. Without the assertion, recursion without end would
// end the process by a signal.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SCCIterator.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

/// The functions of `module` that may be active more than once at a time.
static SmallVector<func::FuncOp> recursiveFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> recursive;
  // The call graph does not know what an indirect call calls.
  bool indirect =
      module.walk([](func::CallIndirectOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (indirect) {
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        recursive.push_back(function);
    return recursive;
  }
  const CallGraph graph(module);
  for (auto component = llvm::scc_begin(&graph); !component.isAtEnd();
       ++component) {
    if (!component.hasCycle())
      continue;
    for (CallGraphNode *node : *component)
      if (!node->isExternal())
        if (auto function = dyn_cast<func::FuncOp>(
                node->getCallableRegion()->getParentOp()))
          recursive.push_back(function);
  }
  return recursive;
}

void codegen::guardRecursion(ModuleOp module) {
  SmallVector<func::FuncOp> recursive = recursiveFunctions(module);
  if (recursive.empty())
    return;
  OpBuilder builder(module.getContext());
  auto check =
      func::FuncOp::create(builder, module.getLoc(), stackCheckName,
                           builder.getFunctionType({}, builder.getI1Type()));
  check.setPrivate();
  SymbolTable(module).insert(check, module.getBody()->begin());
  // A tail call that LLVM turns into a jump uses no stack: it would loop forever.
  auto noTailCalls = builder.getArrayAttr(
      builder.getStrArrayAttr({"disable-tail-calls", "true"}));
  for (func::FuncOp function : recursive) {
    builder.setInsertionPointToStart(&function.getBody().front());
    Location loc = function.getLoc();
    auto call = func::CallOp::create(builder, loc, check);
    cf::AssertOp::create(
        builder, loc, call.getResult(0),
        ("the stack is used up: '" + function.getName() +
         "' is called by itself, directly or through others, too many times")
            .str());
    function->setAttr("passthrough", noTailCalls);
  }
}
