//===- ReturnedSums.cpp - Results of functions that are sums --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReturnedSums.h"

#include "OpsOfValues.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shard::propagation {

namespace {

/// How many ops lie between a sum and the result that is made of it, at most.
constexpr unsigned kMaxSteps = 8;
/// So many arguments are followed through the program at once.
constexpr size_t kSetSize = 64;

class SumFinder {
public:
  SumFinder(ReadProgram &program, const Solution &solution,
            llvm::ArrayRef<Sharding> shardings)
      : program(program), problem(program.problem), solution(solution),
        shardings(shardings), ops(program), fixed(findFixed(program)) {}

  /// Looks at result `value` of `function`.
  void look(FunctionOpInterface function, unsigned index, ValueId value);
  /// Adds the edges of all results that were looked at.
  bool tie();

private:
  /// An open result that is a sum, and the arguments whose layouts would do.
  struct Candidate {
    ValueId value;
    Operation *function;
    llvm::SmallVector<ValueId, 1> arguments;
  };

  void findSources(size_t first);
  const Sharding *shardingOf(ValueId value) const {
    uint32_t number = solution.values[value];
    return number == kReplicated ? nullptr : &shardings[number];
  }
  AxisList axesOf(ValueId value, unsigned dim) const {
    const Sharding *sharding = shardingOf(value);
    return sharding ? sharding->dims[dim] : AxisList();
  }
  std::optional<OpId> makerOf(ValueId value) const;
  AxisList reducedAxes(ValueId value) const;
  AxisList summedBy(OpId op) const;
  bool scatters(ValueId value, const Sharding &wanted,
                const AxisList &reduced) const;

  ReadProgram &program;
  const Problem &problem;
  const Solution &solution;
  llvm::ArrayRef<Sharding> shardings;
  OpsOfValues ops;
  llvm::DenseSet<ValueId> fixed;
  std::vector<Candidate> candidates;
  /// Those of all candidates.
  llvm::SmallSetVector<ValueId, 4> arguments;
  llvm::DenseSet<std::pair<ValueId, ValueId>> computedFrom;
};

} // namespace

/// The op that makes `value`, if there is one and nothing fixes the value, and one op at
/// most uses it.
std::optional<OpId> SumFinder::makerOf(ValueId value) const {
  if (fixed.contains(value))
    return std::nullopt;
  std::optional<OpId> maker;
  for (const TensorUse &use : ops.of(value, 3)) {
    if (use.tensor < problem.table(use.op).numOperands)
      continue;
    if (maker)
      return std::nullopt;
    maker = use.op;
  }
  return ops.of(value, 3).size() <= 2 ? maker : std::nullopt;
}

/// The axes that split the reduction loops of `op` for some operand.
AxisList SumFinder::summedBy(OpId op) const {
  const FlatTable &table = problem.table(op);
  AxisList axes;
  for (unsigned tensor = 0; tensor < table.numOperands; ++tensor) {
    ValueId id = problem.tensors(op)[tensor];
    if (id == kNoValue)
      continue;
    unsigned first = table.dimBegin[tensor];
    for (unsigned at = first; at < table.dimBegin[tensor + 1]; ++at) {
      if (table.loopBegin[at + 1] - table.loopBegin[at] != 1 ||
          table.loops[table.loopOf[table.loopBegin[at]]].kind !=
              LoopKind::Reduction)
        continue;
      for (GridAxis axis : axesOf(program.find(id), at - first))
        if (!llvm::is_contained(axes, axis))
          axes.push_back(axis);
    }
  }
  return axes;
}

/// The axes over which `value`, or what it is made of by ops that keep the shape, is
/// reduced.
AxisList SumFinder::reducedAxes(ValueId value) const {
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    std::optional<OpId> maker = makerOf(value);
    if (!maker)
      return {};
    if (problem.table(*maker).contraction)
      return summedBy(*maker);
    llvm::ArrayRef<ValueId> tensors = problem.tensors(*maker);
    if (tensors.size() != problem.table(*maker).numOperands + 1)
      return {};
    ValueId next = kNoValue;
    for (ValueId id : tensors.drop_back()) {
      if (id == kNoValue)
        continue;
      ValueId operand = program.find(id);
      if (problem.valueShape[operand] == problem.valueShape[value] &&
          solution.values[operand] == solution.values[value] &&
          makerOf(operand)) {
        next = operand;
        break;
      }
    }
    if (next == kNoValue)
      return {};
    value = next;
  }
  return {};
}

/// Whether a value that is reduced over `reduced` takes less under `wanted`: that has all
/// that splits the value, and some of these axes besides.
bool SumFinder::scatters(ValueId value, const Sharding &wanted,
                         const AxisList &reduced) const {
  if (!wanted.partial.empty() || wanted.hasHalosOrOffsets())
    return false;
  bool any = false;
  for (auto [dim, axes] : llvm::enumerate(wanted.dims)) {
    AxisList has = axesOf(value, dim);
    if (has.size() > axes.size() ||
        !std::equal(has.begin(), has.end(), axes.begin()))
      return false;
    any |= llvm::any_of(llvm::drop_begin(axes, has.size()), [&](GridAxis axis) {
      return llvm::is_contained(reduced, axis);
    });
  }
  return any;
}

void SumFinder::look(FunctionOpInterface function, unsigned index,
                     ValueId value) {
  // Calls would use the result.
  std::optional<OpId> made = makerOf(value);
  if (!made || !program.isEdge(*made) || ops.of(value, 2).size() != 1)
    return;
  AxisList reduced = reducedAxes(value);
  if (reduced.empty())
    return;
  Candidate candidate{value, function, {}};
  for (BlockArgument argument : function.getArguments()) {
    if (argument.getType() != function.getResultTypes()[index])
      continue;
    ValueId like = program.find(program.idOf(argument));
    const Sharding *wanted = shardingOf(like);
    if (wanted && scatters(value, *wanted, reduced)) {
      candidate.arguments.push_back(like);
      arguments.insert(like);
    }
  }
  if (!candidate.arguments.empty())
    candidates.push_back(std::move(candidate));
}

/// Notes which results are computed from the arguments [first, first + kSetSize).
void SumFinder::findSources(size_t first) {
  std::vector<uint64_t> sources(problem.numValues());
  llvm::ArrayRef<ValueId> set =
      arguments.getArrayRef().drop_front(first).take_front(kSetSize);
  for (auto [number, argument] : llvm::enumerate(set))
    sources[argument] |= uint64_t(1) << number;
  for (OpId op = 0; op < problem.numOps(); ++op) {
    unsigned numOperands = problem.table(op).numOperands;
    uint64_t from = 0;
    for (ValueId id : problem.tensors(op).take_front(numOperands))
      if (id != kNoValue)
        from |= sources[program.find(id)];
    for (ValueId id : problem.tensors(op).drop_front(numOperands))
      if (id != kNoValue)
        sources[program.find(id)] |= from;
  }
  for (auto [number, argument] : llvm::enumerate(set))
    for (const Candidate &candidate : candidates)
      if (sources[candidate.value] >> number & 1)
        computedFrom.insert({candidate.value, argument});
}

bool SumFinder::tie() {
  for (size_t first = 0; first < arguments.size(); first += kSetSize)
    findSources(first);
  bool any = false;
  for (const Candidate &candidate : candidates) {
    const auto *like = llvm::find_if(candidate.arguments, [&](ValueId value) {
      return computedFrom.contains({candidate.value, value});
    });
    if (like == candidate.arguments.end())
      continue;
    program.addSilentEdge(
        program.tables.identityOf(problem.valueShape[candidate.value]), *like,
        candidate.value, candidate.function);
    any = true;
  }
  return any;
}

bool tieReturnedSums(ReadProgram &program, const Solution &solution,
                     llvm::ArrayRef<Sharding> shardings) {
  if (shardings.empty())
    return false;
  SumFinder finder(program, solution, shardings);
  for (const auto &[op, values] : program.results)
    if (auto function = dyn_cast<FunctionOpInterface>(op);
        function && !function.isExternal())
      for (auto [index, value] : llvm::enumerate(values))
        if (value != kNoValue)
          finder.look(function, index, program.find(value));
  return finder.tie();
}

} // namespace shard::propagation
