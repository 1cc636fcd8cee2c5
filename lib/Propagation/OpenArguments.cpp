//===- OpenArguments.cpp - Arguments take what users want -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenArguments.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace shard::propagation {

namespace {
struct Use {
  OpId op;
  unsigned tensor;
};
using UsesOfArguments = llvm::MapVector<ValueId, llvm::SmallVector<Use, 2>>;
} // namespace

/// A hint that says nothing: all dimensions are open, without axes.
static bool isEmpty(const Hint &hint) {
  return hint.replicated.empty() && hint.partial.empty() &&
         llvm::all_of(hint.dims, [](const DimHint &dim) {
           return dim.open && dim.axes.empty();
         });
}

/// The uses of the arguments that no hint is for and that nothing else makes.
static UsesOfArguments findArguments(const ReadProgram &program,
                                     const Solution &solution) {
  const Problem &problem = program.problem;
  UsesOfArguments uses;
  for (const auto &[value, id] : program.numbers.values) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner()->isEntryBlock() &&
        isa_and_present<FunctionOpInterface>(
            argument.getOwner()->getParentOp()) &&
        solution.values[program.find(id)] != kReplicated)
      uses[program.find(id)];
  }
  if (uses.empty())
    return uses;
  llvm::DenseSet<ValueId> fixed;
  for (const auto &[value, number] : problem.hints)
    if (!isEmpty(problem.hintTable[number]))
      fixed.insert(program.find(value));
  for (ValueId value : program.hints.annotated)
    if (value != kNoValue)
      fixed.insert(program.find(value));
  for (const ReadProgram::Captured &captured : program.captured)
    fixed.insert(program.find(captured.value));
  uses.remove_if(
      [&](const auto &entry) { return fixed.contains(entry.first); });
  if (uses.empty())
    return uses;
  // Most tensors are none of these: no look-up for them.
  std::vector<bool> isArgument(problem.numValues());
  for (const auto &entry : uses)
    isArgument[entry.first] = true;
  for (OpId op = 0; op < problem.numOps(); ++op)
    for (auto [tensor, id] : llvm::enumerate(problem.tensors(op))) {
      if (id == kNoValue || !isArgument[program.find(id)])
        continue;
      if (tensor < problem.table(op).numOperands)
        uses[program.find(id)].push_back({op, unsigned(tensor)});
      else
        fixed.insert(program.find(id));
    }
  uses.remove_if([&](const auto &entry) {
    return entry.second.empty() || fixed.contains(entry.first);
  });
  return uses;
}

/// The axes that `value` has now came through `op`, from a tensor that has them.
static void addCauses(const ReadProgram &program, Solution &solution,
                      const std::vector<Sharding> &shardings, ValueId value,
                      OpId op) {
  auto splits = [](const Sharding &sharding, GridAxis axis) {
    return llvm::any_of(sharding.dims, [&](const AxisList &axes) {
      return llvm::is_contained(axes, axis);
    });
  };
  const Sharding &sharding = shardings[solution.values[value]];
  for (GridAxis axis = 0; axis < GridAxis(solution.axes.size()); ++axis) {
    solution.causes.erase({value, axis});
    if (!splits(sharding, axis))
      continue;
    // Results last in an op: what a user of the op wants decides first.
    for (ValueId other : llvm::reverse(program.problem.tensors(op))) {
      if (other == kNoValue || program.find(other) == value)
        continue;
      uint32_t number = solution.values[program.find(other)];
      if (number == kReplicated || !splits(shardings[number], axis))
        continue;
      solution.causes[{value, axis}] = {op, program.find(other)};
      break;
    }
  }
}

void settleArguments(
    const ReadProgram &program, Solution &solution,
    const std::vector<Sharding> &shardings,
    llvm::function_ref<std::optional<uint32_t>(OpId, unsigned)> wanted) {
  for (const auto &[value, uses] : findArguments(program, solution)) {
    uint32_t &has = solution.values[value];
    std::optional<uint32_t> all = wanted(uses.front().op, uses.front().tensor);
    if (!all || *all == has || shardings[*all].isReplicated() ||
        !shardings[*all].partial.empty() ||
        shardings[*all].hasHalosOrOffsets() ||
        !llvm::all_of(llvm::drop_begin(uses), [&](const Use &use) {
          return wanted(use.op, use.tensor) == all;
        }))
      continue;
    has = *all;
    if (!solution.causes.empty())
      addCauses(program, solution, shardings, value, uses.front().op);
  }
}

} // namespace shard::propagation
