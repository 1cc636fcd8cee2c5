//===- EdgeReader.cpp - Control flow and calls ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeReader.h"

#include "shard/Interfaces/DataFlowEdges.h"
#include "shard/Partitioning/Emitter.h"

using namespace mlir;

namespace shard::propagation {

void readReturn(Operation *op, ReadProgram &program) {
  auto known = program.results.find(op->getParentOp());
  if (known == program.results.end() ||
      known->second.size() != op->getNumOperands())
    return;
  for (auto [use, target] : llvm::zip_equal(op->getOpOperands(), known->second))
    program.addEdge(use, target);
}

bool readCall(CallOpInterface call, ReadProgram &program,
              SymbolTableCollection &symbols) {
  Operation *callee = call.resolveCallableInTable(&symbols);
  auto function = dyn_cast_if_present<FunctionOpInterface>(callee);
  auto known = callee ? program.results.find(callee) : program.results.end();
  if (!function || known == program.results.end() ||
      known->second.size() != call->getNumResults())
    return false;
  if (function.isExternal()) {
    llvm::ArrayRef<ValueId> taken = program.declaredArguments[function];
    OperandRange operands = call.getArgOperands();
    if (operands.size() != taken.size())
      return false;
    for (auto [index, id] : llvm::enumerate(taken))
      program.addEdge(
          call->getOpOperand(operands.getBeginOperandIndex() + index), id);
  } else {
    auto arguments = callEdges(call, function);
    if (!arguments)
      return false;
    for (auto [operand, argument] : *arguments)
      program.addEdge(*operand, program.idOf(argument));
  }
  for (auto [result, id] : llvm::zip_equal(call->getResults(), known->second)) {
    ValueId own = program.idOf(result);
    if (own == kNoValue)
      continue;
    program.problem.neverPartial[own] = true;
    program.numbers.unite(id, own);
  }
  return true;
}

void readBranch(BranchOpInterface branch, ReadProgram &program) {
  for (auto [operand, argument] : branchEdges(branch))
    program.addEdge(*operand, program.idOf(argument));
}

bool readRegionBranch(RegionBranchOpInterface branch, ReadProgram &program) {
  RegionEdges edges(branch);
  if (!edges.coverTensors())
    return false;
  Problem &problem = program.problem;
  Joined kind = branch.hasLoop() ? Joined::ByLoop : Joined::ByBranches;
  auto join = [&](Value input) {
    ValueId id = program.idOf(input);
    problem.joined[id] = kind;
    // To be a sum, a value that comes whole needs zeros on the other devices.
    if (!neutralElement(ReductionKind::Sum, getElementTypeOrSelf(input)))
      problem.neverPartial[id] = true;
    return id;
  };
  for (const auto &[operand, inputs] : edges.byOperand()) {
    if (program.idOf(inputs.front()) == kNoValue)
      continue;
    ValueId first = join(inputs.front());
    program.addEdge(*operand, first);
    for (Value input : llvm::drop_begin(inputs))
      program.numbers.unite(first, join(input));
  }
  return true;
}

} // namespace shard::propagation
