//===- OpsOfValues.cpp - Which ops make and use a value -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpsOfValues.h"

namespace shard::propagation {

OpsOfValues::OpsOfValues(const ReadProgram &program) {
  const Problem &problem = program.problem;
  begin.assign(problem.numValues() + 1, 0);
  auto forEach = [&](auto visit) {
    for (OpId op = 0; op < problem.numOps(); ++op)
      for (auto [tensor, id] : llvm::enumerate(problem.tensors(op)))
        if (id != kNoValue)
          visit(program.find(id), TensorUse{op, unsigned(tensor)});
  };
  forEach([&](ValueId value, TensorUse) { ++begin[value + 1]; });
  for (size_t value = 1; value < begin.size(); ++value)
    begin[value] += begin[value - 1];
  ops.resize(begin.back());
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  forEach([&](ValueId value, TensorUse use) { ops[next[value]++] = use; });
}

/// A hint that says nothing: all dimensions are open, without axes.
static bool isEmpty(const Hint &hint) {
  return hint.replicated.empty() && hint.partial.empty() &&
         llvm::all_of(hint.dims, [](const DimHint &dim) {
           return dim.open && dim.axes.empty();
         });
}

llvm::DenseSet<ValueId> findFixed(const ReadProgram &program) {
  const Problem &problem = program.problem;
  llvm::DenseSet<ValueId> fixed;
  for (const auto &[value, number] : problem.hints)
    if (!isEmpty(problem.hintTable[number]))
      fixed.insert(program.find(value));
  for (ValueId value : program.hints.annotated)
    if (value != kNoValue)
      fixed.insert(program.find(value));
  for (const ReadProgram::Captured &captured : program.captured)
    fixed.insert(program.find(captured.value));
  for (const auto &[function, ids] : program.declaredArguments)
    for (ValueId id : ids)
      if (id != kNoValue)
        fixed.insert(program.find(id));
  return fixed;
}

static bool hasPriorities(const Hint &hint) {
  return llvm::any_of(hint.dims,
                      [](const DimHint &dim) { return dim.priority > 0; });
}

llvm::DenseSet<ValueId> findDecided(const ReadProgram &program,
                                    const Solution &solution,
                                    const PropagationOptions &options) {
  llvm::DenseSet<ValueId> decided = findFixed(program);
  if (options.userPriorities &&
      llvm::any_of(program.problem.hintTable, hasPriorities))
    for (ValueId value = 0; value < program.problem.numValues(); ++value)
      if (solution.values[program.find(value)] != kReplicated)
        decided.insert(program.find(value));
  return decided;
}

} // namespace shard::propagation
