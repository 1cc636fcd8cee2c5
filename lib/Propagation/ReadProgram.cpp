//===- ReadProgram.cpp - A program as a problem of the engine -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadProgram.h"

using namespace mlir;

namespace shard::propagation {

void ReadProgram::addEdge(OpOperand &use, ValueId target) {
  ValueId source = idOf(use.get());
  if (source != kNoValue && target != kNoValue)
    addEdge(tables.identityOf(problem.valueShape[target]), use, source, target);
}

OpId ReadProgram::addEdge(TableId table, OpOperand &use,
                          llvm::ArrayRef<ValueId> operands,
                          llvm::ArrayRef<ValueId> results) {
  origins.push_back(&use);
  return problem.addOp(table, operands, results);
}

OpId ReadProgram::addSilentEdge(TableId table, ValueId source, ValueId target,
                                Operation *op) {
  OpId edge = problem.addOp(table, source, target);
  silent[edge] = op;
  origins.push_back(Origin());
  return edge;
}

bool ReadProgram::isEdge(OpId op) const {
  auto *use = dyn_cast_if_present<OpOperand *>(origins[op]);
  return use && !manualExits.count(op) && !forallInserts.count(op) &&
         !isa<ManualComputationOp>(use->getOwner());
}

Operation *ReadProgram::ownerOf(OpId op) const {
  Origin origin = origins[op];
  if (origin.isNull())
    return silent.lookup(op);
  auto *use = dyn_cast<OpOperand *>(origin);
  return use ? use->getOwner() : cast<Operation *>(origin);
}

} // namespace shard::propagation
