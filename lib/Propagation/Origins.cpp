//===- Origins.cpp - The hint that an axis comes from ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Origins.h"
#include "OpsOfValues.h"

#include <deque>
#include <utility>
#include <variant>

namespace shard::propagation {

namespace {
using ValueAxis = std::pair<ValueId, GridAxis>;

/// Finds the axes of values whose causes lead to no hint that names the axis, and other causes
/// for them. The search starts at what leads to a hint, so that each op is looked at once for
/// each axis.
class CauseCompleter {
public:
  CauseCompleter(const ReadProgram &program, const Solution &solution,
                 const std::vector<Sharding> &shardings,
                 llvm::DenseMap<ValueAxis, Cause> &causes)
      : program(program), solution(solution), shardings(shardings),
        causes(causes) {
    for (const auto &[value, number] : program.problem.hints)
      hintOf[program.find(value)] = number;
    for (const auto &[entry, cause] : solution.settledCauses)
      if (auto [at, isNew] = causes.try_emplace(entry, cause); !isNew)
        replaced[entry] = std::exchange(at->second, cause);
  }

  void run() {
    std::deque<ValueAxis> found;
    size_t left = 0;
    for (ValueId value = 0; value < program.problem.numValues(); ++value)
      if (const Sharding *sharding = shardingOf(value);
          sharding && program.find(value) == value) {
        for (const AxisList &axes : sharding->dims)
          for (GridAxis axis : axes)
            if (leadsToHint({value, axis}))
              found.push_back({value, axis});
            else
              ++left;
        for (GridAxis axis : sharding->partial)
          if (leadsToHint({value, axis}))
            found.push_back({value, axis});
      }
    if (left == 0)
      return;
    OpsOfValues ops(program);
    left -= spread(found, ops);
    if (left == 0)
      return;
    // The tensor that the axis came from may have lost it since, or the one that it came from
    // first may lead to the hint.
    for (const auto &[entry, cause] : replaced)
      if (!known.contains(entry))
        causes[entry] = cause;
    std::vector<ValueAxis> before;
    for (const auto &[entry, cause] : causes)
      before.push_back(entry);
    llvm::sort(before);
    lost.clear();
    for (ValueAxis entry : before)
      if (leadsToHint(entry))
        found.push_back(entry);
    left -= spread(found, ops);
    if (left == 0)
      return;
    // Tensors that have lost it may have got it from each other: from the hints, and what leads to
    // them, through all that ever had it.
    found.assign(known.begin(), known.end());
    llvm::sort(found);
    for (const auto &[value, number] : program.problem.hints)
      for (GridAxis axis = 0; axis < GridAxis(solution.axes.size()); ++axis)
        if (isHinted({program.find(value), axis}))
          found.push_back({program.find(value), axis});
    looked.clear();
    spread(found, ops, /*throughLost=*/true);
  }

private:
  const Sharding *shardingOf(ValueId value) const {
    uint32_t number = solution.values[value];
    return number == kReplicated ? nullptr : &shardings[number];
  }

  bool isHinted(ValueAxis entry) const {
    auto found = hintOf.find(entry.first);
    if (found == hintOf.end())
      return false;
    return namesAxis(program.problem.hintTable[found->second],
                     solution.axes[entry.second]);
  }

  /// Whether the causes of `entry` lead to a hint, which is noted of all of them. What a hint
  /// names has no other cause.
  bool leadsToHint(ValueAxis entry) {
    llvm::SmallVector<ValueAxis> path;
    llvm::SmallDenseSet<ValueId> passed;
    while (!known.contains(entry) && !isHinted(entry)) {
      path.push_back(entry);
      auto cause = causes.find(entry);
      if (cause == causes.end() || lost.contains(entry) ||
          !passed.insert(entry.first).second) {
        lost.insert(path.begin(), path.end());
        return false;
      }
      entry.first = program.find(cause->second.source);
    }
    if (isHinted(entry))
      causes.erase(entry);
    known.insert(entry);
    known.insert(path.begin(), path.end());
    return true;
  }

  /// Of the tensors beside those in `found`, the ones that have the axis and no cause that leads
  /// to a hint got it from these; `throughLost` also those that had it once. Returns the number
  /// of axes that split one of them.
  size_t spread(std::deque<ValueAxis> &found, const OpsOfValues &ops,
                bool throughLost = false) {
    size_t count = 0;
    for (; !found.empty(); found.pop_front()) {
      auto [value, axis] = found.front();
      for (const TensorUse &use : ops.of(value)) {
        if (!looked.insert({use.op, axis}).second)
          continue;
        for (ValueId id : program.problem.tensors(use.op)) {
          if (id == kNoValue)
            continue;
          ValueId other = program.find(id);
          const Sharding *sharding = shardingOf(other);
          bool isSplit = sharding && sharding->isSplitBy(axis);
          bool has = isSplit ||
                     (sharding && llvm::is_contained(sharding->partial, axis));
          if (!has && throughLost)
            has = causes.contains({other, axis});
          if (!has || !known.insert({other, axis}).second)
            continue;
          causes[{other, axis}] = {use.op, value};
          found.push_back({other, axis});
          count += isSplit;
        }
      }
    }
    return count;
  }

  const ReadProgram &program;
  const Solution &solution;
  const std::vector<Sharding> &shardings;
  llvm::DenseMap<ValueAxis, Cause> &causes;
  llvm::DenseMap<ValueId, uint32_t> hintOf;
  /// What propagation found where a later decision gave the axis again.
  llvm::DenseMap<ValueAxis, Cause> replaced;
  /// Those whose causes lead to a hint, and those whose causes lead to none.
  llvm::DenseSet<ValueAxis> known, lost;
  /// The ops that have been looked at for an axis.
  llvm::DenseSet<std::pair<OpId, GridAxis>> looked;
};
} // namespace

void completeCauses(const ReadProgram &program, const Solution &solution,
                    const std::vector<Sharding> &shardings,
                    llvm::DenseMap<ValueAxis, Cause> &causes) {
  CauseCompleter(program, solution, shardings, causes).run();
}

ValueId Origins::of(ValueId value, GridAxis axis) {
  if (!options.explain && !again) {
    PropagationOptions explaining = options;
    explaining.explain = true;
    auto solved = solve(program.problem, explaining);
    again.emplace();
    if (auto *found = std::get_if<Solution>(&solved))
      again = std::move(*found);
    completeCauses(program, solution, shardings, again->causes);
  }
  const auto &causes = again ? again->causes : solution.causes;
  // Values that changed after propagation may have an axis from one another.
  llvm::SmallDenseSet<ValueId> passed;
  for (auto cause = causes.find({value, axis});
       cause != causes.end() && passed.insert(value).second;
       cause = causes.find({value, axis}))
    value = program.find(cause->second.source);
  return value;
}

} // namespace shard::propagation
