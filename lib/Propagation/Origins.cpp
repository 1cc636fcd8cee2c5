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
#include <variant>

namespace shard::propagation {

namespace {
using ValueAxis = std::pair<ValueId, GridAxis>;

/// Finds the axes of values whose causes lead to no hint that names the axis, and other causes
/// for them.
class CauseCompleter {
public:
  CauseCompleter(const ReadProgram &program, const Solution &solution,
                 const std::vector<Sharding> &shardings,
                 llvm::DenseMap<ValueAxis, Cause> &causes)
      : program(program), solution(solution), shardings(shardings),
        causes(causes) {
    for (const auto &[value, number] : program.problem.hints)
      hintOf[program.find(value)] = number;
  }

  void run() {
    std::deque<ValueAxis> left;
    for (ValueId value = 0; value < program.problem.numValues(); ++value)
      if (uint32_t number = solution.values[value];
          program.find(value) == value && number != kReplicated)
        for (const AxisList &axes : shardings[number].dims)
          for (GridAxis axis : axes)
            if (!leadsToHint({value, axis}))
              left.push_back({value, axis});
    if (left.empty())
      return;
    OpsOfValues ops(program);
    while (!left.empty()) {
      ValueAxis entry = left.front();
      left.pop_front();
      // Another one may have completed its causes.
      if (!leadsToHint(entry) && !findCause(entry, ops))
        continue;
      // Several may have asked for it.
      if (!passedOn.insert(entry).second)
        continue;
      // Those beside it may have found nothing yet.
      for (const TensorUse &use : ops.of(entry.first))
        for (ValueId id : program.problem.tensors(use.op))
          if (id != kNoValue && splits({program.find(id), entry.second}) &&
              !known.contains({program.find(id), entry.second}))
            left.push_back({program.find(id), entry.second});
    }
  }

private:
  const Sharding *shardingOf(ValueId value) const {
    uint32_t number = solution.values[value];
    return number == kReplicated ? nullptr : &shardings[number];
  }

  bool splits(ValueAxis entry) const {
    const Sharding *sharding = shardingOf(entry.first);
    return sharding && llvm::any_of(sharding->dims, [&](const AxisList &axes) {
             return llvm::is_contained(axes, entry.second);
           });
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
      auto cause = causes.find(entry);
      if (cause == causes.end() || !passed.insert(entry.first).second)
        return false;
      path.push_back(entry);
      entry.first = program.find(cause->second.source);
    }
    if (isHinted(entry))
      causes.erase(entry);
    known.insert(entry);
    known.insert(path.begin(), path.end());
    return true;
  }

  /// The axis came from a tensor beside the value that has it from a hint.
  bool findCause(ValueAxis entry, const OpsOfValues &ops) {
    for (const TensorUse &use : ops.of(entry.first))
      for (ValueId id : program.problem.tensors(use.op)) {
        if (id == kNoValue || program.find(id) == entry.first)
          continue;
        ValueAxis other = {program.find(id), entry.second};
        const Sharding *sharding = shardingOf(other.first);
        bool hasAxis =
            splits(other) ||
            (sharding && llvm::is_contained(sharding->partial, other.second));
        if (!hasAxis || !leadsToHint(other))
          continue;
        causes[entry] = {use.op, other.first};
        known.insert(entry);
        return true;
      }
    return false;
  }

  const ReadProgram &program;
  const Solution &solution;
  const std::vector<Sharding> &shardings;
  llvm::DenseMap<ValueAxis, Cause> &causes;
  llvm::DenseMap<ValueId, uint32_t> hintOf;
  /// Those whose causes lead to a hint.
  llvm::DenseSet<ValueAxis> known;
  /// Those of which the tensors beside them have been looked at.
  llvm::DenseSet<ValueAxis> passedOn;
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
