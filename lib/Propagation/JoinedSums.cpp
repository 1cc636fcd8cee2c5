//===- JoinedSums.cpp - Partial values that loops carry -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that a loop carries may stay a partial sum: the loop adds up summands on
// each device, and one reduction follows the loop. What comes into the loop complete
// becomes partial for free: one device keeps it, the others take zeros.
//
// Partial.cpp places reductions for given partial values of loops and branches. Here
// these values are chosen:
//
//   1. Each joined value that a partial sum reaches through ops that could pass it is
//      taken to be partial, whatever else these ops take.
//   2. With this assumption, reductions are placed. A joined value becomes complete if
//      its uses then reduce as many bytes as its definitions would.
//   3. Values are connected if an op has both. If a connected part of the program has
//      no joined value of a loop, its joined values are complete. If it does not reduce
//      fewer bytes than with complete joined values, the half of them that is farther
//      from the sums becomes complete, then half of the rest, and in the end all.
//
// The bytes of an op count as often as the loops around it run. Whatever is chosen is
// correct: an op that does not take a partial value gets it reduced.
//
//===----------------------------------------------------------------------===//

#include "PartialPlacement.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/raw_ostream.h"

#define DEBUG_TYPE "shard-propagation"

namespace shard::propagation {

/// Step 1.
void Run::PartialPlacement::guessJoined() {
  llvm::MapVector<ValueId, PartialState> reached;
  for (const Candidate &candidate : candidates)
    reached.insert({candidate.value, candidate.possible});
  for (const auto &[value, hint] : problem.hints)
    if (auto found = run.partials.find(value); found != run.partials.end())
      reached.insert({value, found->second});
  for (size_t next = 0; next < reached.size(); ++next) {
    auto [value, state] = reached.begin()[next];
    if (state.reduction != ReductionKind::Sum)
      continue;
    for (OpId user : run.uses(value)) {
      const FlatTable &table = problem.table(user);
      llvm::ArrayRef<ValueId> results =
          problem.tensors(user).drop_front(table.numOperands);
      if (table.rule == PartialRule::None || problem.ties.contains(user) ||
          results.size() != 1 || results[0] == kNoValue || hinted[results[0]] ||
          problem.neverPartial[results[0]] ||
          (run.shardings.mask(run.state[results[0]]) & state.atoms) ||
          !reached.insert({results[0], state}).second)
        continue;
      if (problem.joined[results[0]] != Joined::No)
        joined.insert({results[0], state});
    }
  }
}

/// The bytes that are reduced where `value` has its definitions if it is complete:
/// of a loop one after the other, of branches one of them.
double Run::PartialPlacement::costOfDefinitions(ValueId value) const {
  double cost = 0;
  for (OpId op : run.uses(value)) {
    llvm::ArrayRef<ValueId> tensors = problem.tensors(op);
    if (tensors.back() != value || tensors.front() == value ||
        tensors.front() == kNoValue || !run.partials.count(tensors.front()))
      continue;
    double here = run.localBytes(value) * problem.trips[op];
    cost = problem.joined[value] == Joined::ByLoop ? cost + here
                                                   : std::max(cost, here);
  }
  return cost;
}

/// The bytes that are reduced because users do not take `value` partial. Users that run
/// equally often have one reduction.
double Run::PartialPlacement::costOfUses(ValueId value) const {
  llvm::SmallVector<double, 4> trips;
  for (OpId user : run.uses(value)) {
    const FlatTable &table = problem.table(user);
    llvm::ArrayRef<ValueId> tensors = problem.tensors(user);
    if (problem.ties.contains(user) ||
        !llvm::is_contained(tensors.take_front(table.numOperands), value))
      continue;
    llvm::ArrayRef<ValueId> results = tensors.drop_front(table.numOperands);
    bool isTaken =
        results.size() == 1 && results[0] != kNoValue && run.accepts(user) &&
        (run.partials.count(results[0]) || candidateOf.count(results[0]));
    if (!isTaken && !llvm::is_contained(trips, problem.trips[user]))
      trips.push_back(problem.trips[user]);
  }
  double sum = 0;
  for (double count : trips)
    sum += count;
  return sum * run.localBytes(value);
}

/// The bytes that are reduced for each value.
Run::PartialPlacement::Costs Run::PartialPlacement::costs() const {
  Costs result;
  for (const Candidate &candidate : candidates) {
    if (run.partials.count(candidate.value))
      continue;
    std::optional<PartialState> state = stateAt(candidate);
    if (state ? state->atoms : candidate.made.atoms)
      result[candidate.value] +=
          run.localBytes(candidate.value) * problem.trips[candidate.op];
  }
  for (const auto &[value, state] : run.partials)
    if (double cost = costOfUses(value))
      result[value] += cost;
  return result;
}

/// Step 2. Returns whether there were such values.
bool Run::PartialPlacement::dropUseless() {
  size_t before = joined.size();
  joined.remove_if([&](const auto &entry) {
    return costOfDefinitions(entry.first) <= costOfUses(entry.first);
  });
  return joined.size() < before;
}

/// Step 3; `without` are the costs with complete joined values, `all` drops those of an
/// expensive part at once. Returns whether there were such parts.
bool Run::PartialPlacement::dropExpensive(const Costs &without, bool all) {
  llvm::IntEqClasses parts(problem.numValues());
  for (OpId op = 0; op < problem.numOps(); ++op) {
    ValueId first = kNoValue;
    for (ValueId value : problem.tensors(op)) {
      if (value == kNoValue ||
          !(run.partials.count(value) || candidateOf.count(value)))
        continue;
      if (first != kNoValue)
        parts.join(first, value);
      first = value;
    }
  }
  parts.compress();
  struct Sums {
    double with = 0, without = 0;
    bool loops = false;
    unsigned joined = 0, seen = 0;
  };
  llvm::DenseMap<unsigned, Sums> sums;
  for (const auto &[value, cost] : without) {
    Sums &sum = sums[parts[value]];
    sum.without += cost;
    // Does not take an operand that is partial now, so that it reduces at once.
    if (!candidateOf.count(value) && !run.partials.count(value))
      sum.with += cost;
  }
  for (const auto &[value, cost] : costs())
    sums[parts[value]].with += cost;
  for (const auto &[value, state] : joined) {
    Sums &sum = sums[parts[value]];
    sum.loops |= problem.joined[value] == Joined::ByLoop;
    ++sum.joined;
  }
  LLVM_DEBUG(for (const auto &[value, state] : joined) {
    const Sums &sum = sums[parts[value]];
    llvm::dbgs() << " joined value " << value << ": " << sum.with
                 << " bytes to reduce if it is partial, " << sum.without
                 << " if not\n";
  });
  size_t before = joined.size();
  joined.remove_if([&](const auto &entry) {
    Sums &sum = sums[parts[entry.first]];
    if (!sum.loops)
      return true;
    // They are in the order in which the sums reach them.
    return sum.with >= sum.without && (all || ++sum.seen > sum.joined / 2);
  });
  return joined.size() < before;
}

void Run::PartialPlacement::chooseJoined() {
  if (!run.options.keepPartial ||
      !llvm::is_contained(problem.joined, Joined::ByLoop))
    return;
  guessJoined();
  if (joined.empty())
    return;
  Costs without = costs();
  place();
  for (unsigned pass = 0; pass < kMaxJoinedPasses && dropUseless(); ++pass)
    place();
  for (unsigned pass = 1; dropExpensive(without, pass >= kMaxJoinedPasses);
       ++pass)
    place();
}

} // namespace shard::propagation
