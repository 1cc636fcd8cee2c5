//===- ManualCalls.cpp - Functions called by manual computations ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/ManualCalls.h"

#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace shard {

ManualCallers findManualCallers(ArrayRef<FunctionOpInterface> functions,
                                SymbolTableCollection &symbols) {
  ManualCallers callers;
  // Nobody calls the only function there is.
  if (functions.size() < 2)
    return callers;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> callees;
  SmallVector<Operation *> work;
  for (FunctionOpInterface function : functions) {
    llvm::SetVector<Operation *> called;
    function->walk([&](CallOpInterface call) {
      Operation *callee = call.resolveCallableInTable(&symbols);
      if (!callee)
        return;
      called.insert(callee);
      for (auto manual = call->getParentOfType<ManualComputationOp>(); manual;
           manual = manual->getParentOfType<ManualComputationOp>())
        if (callers[callee].insert(manual))
          work.push_back(callee);
    });
    callees[function] = called.takeVector();
  }
  while (!work.empty()) {
    Operation *function = work.pop_back_val();
    llvm::SetVector<ManualComputationOp> around = callers.lookup(function);
    for (Operation *callee : callees.lookup(function)) {
      bool grows = false;
      for (ManualComputationOp manual : around)
        grows |= callers[callee].insert(manual);
      if (grows)
        work.push_back(callee);
    }
  }
  return callers;
}

} // namespace shard
