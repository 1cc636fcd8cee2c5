//===- Layouts.cpp - Halos and offsets of values --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "shard/Interfaces/ShardingInterface.h"

using namespace mlir;

namespace shard::propagation {

namespace {
class LayoutSpreader {
public:
  LayoutSpreader(ReadProgram &program, Solution &solution,
                 std::vector<Sharding> &shardings)
      : program(program), problem(program.problem), solution(solution),
        shardings(shardings), firstLaidOut(shardings.size()) {}

  void run() {
    if (program.hints.layouts.empty())
      return;
    for (const auto &[value, layout] : program.hints.layouts)
      layOutAsHinted(value, layout);
    for (const auto &[function, ids] : program.results)
      for (ValueId id : ids)
        if (id != kNoValue && !program.hints.has(id))
          returned.try_emplace(program.find(id));
    for (OpId op = 0; op < program.origins.size(); ++op)
      visit(op);
    for (const auto &[result, sharding] : returned)
      if (sharding && fits(result, *sharding))
        solution.values[result] = *sharding;
  }

private:
  void layOutAsHinted(ValueId value, const HintTable::Layout &layout) {
    value = program.find(value);
    uint32_t index = solution.values[value];
    Sharding sharding =
        index == kReplicated
            ? Sharding::replicated(
                  problem.shapes[problem.valueShape[value]].extents.size())
            : shardings[index];
    sharding.halos.assign(layout.halos.begin(), layout.halos.end());
    sharding.offsets.assign(layout.offsets.begin(), layout.offsets.end());
    auto *known = std::find(shardings.data() + firstLaidOut,
                            shardings.data() + shardings.size(), sharding);
    solution.values[value] = known - shardings.data();
    if (solution.values[value] == shardings.size())
      shardings.push_back(std::move(sharding));
  }

  /// Whether `value` is split like `sharding` and has no layout of its own. A layout of
  /// summands is not passed on: whoever takes them completes them first.
  bool fits(ValueId value, uint32_t sharding) const {
    uint32_t own = solution.values[value];
    return own != kReplicated && own < firstLaidOut &&
           shardings[own].partial.empty() &&
           shardings[sharding].partial.empty() &&
           shardings[own].dims == shardings[sharding].dims;
  }

  void visit(OpId op) {
    ReadProgram::Origin origin = program.origins[op];
    if (origin.isNull())
      return;
    llvm::ArrayRef<ValueId> tensors = problem.tensors(op);
    if (isa<OpOperand *>(origin)) {
      addReturned(program.find(tensors[0]), program.find(tensors.back()));
      return;
    }
    if (!program.tables.table(problem.opTable[op]).pointwise)
      return;
    auto *owner = cast<Operation *>(origin);
    std::optional<uint32_t> common =
        commonOf(owner, tensors.take_front(owner->getNumOperands()));
    if (!common)
      return;
    for (ValueId result : tensors.drop_front(owner->getNumOperands())) {
      result = program.find(result);
      if (!program.hints.has(result) && !problem.neverPartial[result] &&
          fits(result, *common))
        solution.values[result] = *common;
    }
  }

  /// The sharding, with a layout, that all operands have which are not made to
  /// order.
  std::optional<uint32_t> commonOf(Operation *owner,
                                   llvm::ArrayRef<ValueId> operands) const {
    std::optional<uint32_t> common;
    for (auto [value, id] : llvm::zip_equal(owner->getOperands(), operands)) {
      Operation *def = value.getDefiningOp();
      if (id == kNoValue || (def && def->hasOneUse() && isCreator(def)))
        continue;
      uint32_t own = solution.values[program.find(id)];
      if (own == kReplicated || own < firstLaidOut || (common && common != own))
        return std::nullopt;
      common = own;
    }
    return common;
  }

  /// Notes what a result of a function is fed with.
  void addReturned(ValueId source, ValueId target) {
    auto result = returned.find(target);
    if (result == returned.end())
      return;
    uint32_t own = solution.values[source];
    bool isFirst = seen.insert(target).second;
    if (own == kReplicated || own < firstLaidOut)
      result->second = std::nullopt;
    else if (isFirst)
      result->second = own;
    else if (result->second != own)
      result->second = std::nullopt;
  }

  ReadProgram &program;
  Problem &problem;
  Solution &solution;
  std::vector<Sharding> &shardings;
  /// Shardings from this number on have halos or offsets.
  const uint32_t firstLaidOut;
  /// For function results without a hint: what all returns so far give.
  llvm::MapVector<ValueId, std::optional<uint32_t>> returned;
  llvm::DenseSet<ValueId> seen;
};
} // namespace

void addLayouts(ReadProgram &program, Solution &solution,
                std::vector<Sharding> &shardings) {
  LayoutSpreader(program, solution, shardings).run();
}

} // namespace shard::propagation
