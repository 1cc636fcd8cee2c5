//===- CompletedPartials.cpp - Who takes a partial value complete ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that a loop carries partial, or that a hint makes partial, stays so. Where
// one of its users needs it complete anyway, the others that run as often take it complete, too:
// it is reduced once (takesComplete).
//
//===----------------------------------------------------------------------===//

#include "PartialPlacement.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace shard::propagation {

void Run::PartialPlacement::findReshards() {
  resharded.clear();
  for (OpId op : problem.reshards) {
    llvm::ArrayRef<ValueId> ends = problem.tensors(op);
    if (run.state[ends[0]] != run.state[ends[1]])
      resharded.insert(ends[1]);
  }
}

/// Whether `op`, of which `step` is known, gets an operand resharded, whether propagation found
/// the reshard or was given it, so that a second propagation finds the same. Such an op reduces
/// its result at once.
bool Run::PartialPlacement::takesReshard(OpId op,
                                         const OpStep::Result &step) const {
  return !step.agrees ||
         (!resharded.empty() &&
          llvm::any_of(
              problem.tensors(op).take_front(problem.table(op).numOperands),
              [&](ValueId operand) { return resharded.contains(operand); }));
}

/// Whether `op`, of `uses(value)`, has `value` as an operand and takes it as a partial value or not.
bool Run::PartialPlacement::isUser(OpId op, ValueId value) const {
  return !problem.ties.contains(op) &&
         llvm::is_contained(
             problem.tensors(op).take_front(problem.table(op).numOperands),
             value);
}

bool Run::PartialPlacement::isReshard(OpId op) const {
  return std::binary_search(problem.reshards.begin(), problem.reshards.end(),
                            op);
}

/// The op that has `value` as an operand, if it is the only one.
std::optional<OpId> Run::PartialPlacement::onlyUser(ValueId value) const {
  std::optional<OpId> only;
  if (problem.usedWhole.contains(value))
    return only;
  for (OpId user : run.uses(value)) {
    if (!isUser(user, value))
      continue;
    if (only)
      return std::nullopt;
    only = user;
  }
  return only;
}

/// What `user` does with its partial operand `value`. `isPlaced` tells that candidates are
/// decided; until then their results count as partial.
Run::PartialPlacement::Use
Run::PartialPlacement::useOf(OpId user, ValueId value, bool isPlaced) {
  const FlatTable &table = problem.table(user);
  llvm::ArrayRef<ValueId> results =
      problem.tensors(user).drop_front(table.numOperands);
  if (results.size() != 1 || results[0] == kNoValue ||
      (isPlaced ? !run.accepts(user) : table.rule == PartialRule::None))
    return Use::Completes;
  // A reshard does what the only user of its result does: it is written as that user's, so that a
  // second propagation finds the same.
  if (isReshard(user))
    if (std::optional<OpId> behind = onlyUser(results[0]);
        behind && !isReshard(*behind))
      return useOf(*behind, results[0], isPlaced);
  if (!isOnlyPartial(user, value) || run.partials.contains(results[0]) ||
      (!isPlaced && mayBePartial(results[0])))
    return Use::KeepsPartial;
  OpStep::Result step = run.stepOf(user, FromAll);
  double result = run.localBytes(results[0]), operand = run.localBytes(value);
  if (takesReshard(user, step))
    return Use::KeepsPartial;
  // No axis splits the loops of an op and its partial operand. To take the operand partial, the
  // op would have to give up the split, and to reduce the result without it.
  if (AtomMask both = step.used & run.partials.lookup(value).atoms;
      isPlaced && both) {
    double unsplit = result;
    for (unsigned atom = 0; both >> atom; ++atom)
      if (both >> atom & 1)
        unsplit *= run.lists.atomSize(atom);
    if (unsplit >= operand)
      return Use::Completes;
  }
  if (step.reduced)
    return Use::KeepsPartial;
  return result > operand   ? Use::ReducesMore
         : result < operand ? Use::ReducesLess
                            : Use::ReducesAsMuch;
}

/// Appends to `found` what the users of `value` do with it.
void Run::PartialPlacement::countUses(ValueId value, bool isPlaced,
                                      llvm::SmallVectorImpl<Counts> &found) {
  auto add = [&](double trips, Use use) {
    auto *counts = llvm::find_if(
        found, [&](const Counts &counts) { return counts.trips == trips; });
    if (counts == found.end()) {
      found.push_back({trips});
      counts = &found.back();
    }
    ++counts->uses[unsigned(use)];
  };
  for (OpId user : run.uses(value))
    if (isUser(user, value))
      add(problem.trips[user], useOf(user, value, isPlaced));
  if (auto whole = problem.usedWhole.find(value);
      whole != problem.usedWhole.end())
    for (double trips : whole->second)
      add(trips, Use::Completes);
}

/// Whether `value`, which is partial, is complete for `op`, one of its users, at no cost:
/// because a user that runs as often does not take it partial, or reduces a larger result, or
/// because several users reduce their result, one of them no less. A candidate may become one
/// of the latter.
bool Run::PartialPlacement::isCompleted(ValueId value, OpId op, bool isPlaced) {
  auto [entry, isNew] = uses.try_emplace(value);
  llvm::SmallVectorImpl<Counts> &found = entry->second;
  if (isNew)
    countUses(value, isPlaced, found);
  bool mayJoin = !isPlaced && isOnlyPartial(op, value);
  return llvm::any_of(found, [&](const Counts &counts) {
    unsigned asMuch = counts.of(Use::ReducesAsMuch);
    return counts.trips == problem.trips[op] &&
           (counts.of(Use::Completes) || counts.of(Use::ReducesMore) ||
            (asMuch && asMuch + counts.of(Use::ReducesLess) + mayJoin > 1));
  });
}

/// Whether each partial operand of `op` is completed anyway and is one that is chosen or
/// asked to be partial: then `op` takes what is complete and reduces nothing. Any other
/// partial operand stays only if no user needs it complete.
bool Run::PartialPlacement::takesComplete(OpId op, bool isPlaced) {
  bool any = false;
  for (ValueId operand :
       problem.tensors(op).take_front(problem.table(op).numOperands)) {
    if (operand == kNoValue || !run.partials.contains(operand))
      continue;
    if (!hinted[operand] || !isCompleted(operand, op, isPlaced))
      return false;
    any = true;
  }
  return any && !run.stepOf(op, FromAll).reduced;
}

void Run::PartialPlacement::findRefusals() {
  run.refuses.assign(problem.numOps(), false);
  run.takesCompleted.assign(problem.numOps(), false);
  uses.clear();
  for (const auto &[value, partial] : run.partials)
    for (OpId user : run.uses(value)) {
      const FlatTable &table = problem.table(user);
      llvm::ArrayRef<ValueId> tensors = problem.tensors(user);
      if (!llvm::is_contained(tensors.take_front(table.numOperands), value) ||
          problem.ties.contains(user))
        continue;
      llvm::ArrayRef<ValueId> results = tensors.drop_front(table.numOperands);
      bool isPartial = results.size() == 1 && results[0] != kNoValue &&
                       run.partials.contains(results[0]);
      run.takesCompleted[user] = !isPartial && takesComplete(user, true);
      run.refuses[user] = run.takesCompleted[user] || !run.accepts(user);
    }
}

} // namespace shard::propagation
