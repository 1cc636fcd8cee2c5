//===- Layouts.cpp - Halos and offsets of values --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/ShardingOption.h"

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
    findTied();
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
    solution.values[value] = numberOf(std::move(sharding));
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

  /// Groups tie values of which some may be made in front of the numbers of a layout.
  void findTied() {
    if (llvm::none_of(shardings, [](const Sharding &sharding) {
          return sharding.hasRunTimeNumbers();
        }))
      return;
    llvm::DenseSet<ValueId> first;
    for (const auto &[value, id] : program.numbers.values)
      if (id != kNoValue && !first.insert(program.find(id)).second)
        tied.insert(program.find(id));
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
    const LoopTable &table = program.tables.table(problem.opTable[op]);
    auto *owner = cast<Operation *>(origin);
    if (!table.pointwise)
      return passBounds(table, tensors, owner->getNumOperands());
    std::optional<uint32_t> common =
        commonOf(owner, tensors.take_front(owner->getNumOperands()));
    if (!common)
      return;
    for (ValueId result : tensors.drop_front(owner->getNumOperands())) {
      result = program.find(result);
      if (shardings[*common].hasRunTimeNumbers() && tied.contains(result))
        continue;
      if (!program.hints.has(result) && problem.hasOwnDefinition(result) &&
          fits(result, *common))
        solution.values[result] = *common;
    }
  }

  /// Gives the results of a uniform op the bounds that its operands have.
  void passBounds(const LoopTable &table, llvm::ArrayRef<ValueId> tensors,
                  unsigned numOperands) {
    if (!table.uniform || !anyBounds(tensors.take_front(numOperands)))
      return;
    ShardingOption option;
    option.loops.resize(table.loops.size());
    // What the results say comes first: so does the solution read it.
    for (unsigned i = 0; i < tensors.size(); ++i) {
      unsigned index = (i + numOperands) % tensors.size();
      bool isResult = index >= numOperands;
      if (tensors[index] != kNoValue)
        splitLoops(isResult ? table.results[index - numOperands]
                            : table.operands[index],
                   table, shardingOf(tensors[index]), option);
    }
    if (!isValidOption(table, solution.grid, option))
      return;
    std::vector<Sharding> operands;
    for (ValueId id : tensors.take_front(numOperands))
      operands.push_back(id == kNoValue ? Sharding() : shardingOf(id));
    std::optional<ShardingOption> found =
        withBounds(table, solution.grid, operands, option);
    if (!found)
      return;
    for (auto [index, id] : llvm::enumerate(tensors.drop_front(numOperands)))
      if (id != kNoValue)
        giveBounds(program.find(id), resultSharding(table, index, *found));
  }

  void splitLoops(const TensorLoops &tensor, const LoopTable &table,
                  const Sharding &sharding, ShardingOption &option) {
    llvm::SmallVector<AxisList> loops;
    projectToLoops(table, tensor, solution.grid, sharding, loops);
    for (size_t loop = 0; loop < option.loops.size(); ++loop)
      if (option.loops[loop].empty() &&
          llvm::none_of(loops[loop], [&](GridAxis axis) {
            return llvm::any_of(option.loops, [&](const AxisList &other) {
              return llvm::is_contained(other, axis);
            });
          }))
        option.loops[loop] = loops[loop];
  }

  void giveBounds(ValueId result, const Sharding &computed) {
    uint32_t own = solution.values[result];
    if (computed.offsets.empty() || program.hints.has(result) ||
        !problem.hasOwnDefinition(result) || own == kReplicated ||
        own >= firstLaidOut || !shardings[own].partial.empty() ||
        shardings[own].dims != computed.dims ||
        (computed.hasRunTimeNumbers() && tied.contains(result)))
      return;
    Sharding sharding = computed;
    sharding.partial.clear();
    solution.values[result] = numberOf(std::move(sharding));
  }

  bool anyBounds(llvm::ArrayRef<ValueId> operands) const {
    return llvm::any_of(operands, [&](ValueId id) {
      if (id == kNoValue)
        return false;
      uint32_t own = solution.values[program.find(id)];
      return own != kReplicated && !shardings[own].offsets.empty();
    });
  }

  Sharding shardingOf(ValueId id) const {
    uint32_t own = solution.values[program.find(id)];
    return own == kReplicated
               ? Sharding::replicated(
                     problem.shapes[problem.valueShape[id]].extents.size())
               : shardings[own];
  }

  /// The number of `sharding`, which has a layout.
  uint32_t numberOf(Sharding sharding) {
    auto *known = std::find(shardings.data() + firstLaidOut,
                            shardings.data() + shardings.size(), sharding);
    uint32_t number = known - shardings.data();
    if (number == shardings.size())
      shardings.push_back(std::move(sharding));
    return number;
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
    // Numbers that are values of the function have no meaning outside.
    if (own == kReplicated || own < firstLaidOut ||
        shardings[own].hasRunTimeNumbers())
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
  /// Where layouts have numbers of the run: the values that are more than one of the
  /// program.
  llvm::DenseSet<ValueId> tied;
};
} // namespace

void addLayouts(ReadProgram &program, Solution &solution,
                std::vector<Sharding> &shardings) {
  LayoutSpreader(program, solution, shardings).run();
}

} // namespace shard::propagation
