//===- Partial.cpp - Where partial results are reduced --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After the fixpoint: an op whose reduction loops are split computes partial
// results. Each of them is either reduced right there or stays partial, and
// then all its users must take it partial, by their PartialRule, and make their
// results partial in turn.
//
// The cost of a value is the bytes that one device reduces, counted where that
// happens:
//
//   cost(v) = min(local bytes of v * trips,
//                 sum over its users u of cost(result of u) / n)
//
// with the trips of the loops around and n the number of partial operands of u, one more
// if u adds up along a split loop itself: they share what lies behind u. A sum that u adds
// to, as its init, costs nothing more then. A user that does not take partial operands
// forbids the second form. Computed
// from the last op to the first; equal costs reduce early. A value whose op
// turns out to lack another partial operand is reduced where it is made. This
// is exact where partial values have one user each. JoinedSums.cpp chooses which of
// the values that loops carry are partial.
//
// A value that a loop carries partial, or that a hint makes partial, is not decided here:
// CompletedPartials.cpp decides which of its users take it complete.
//
//===----------------------------------------------------------------------===//

#include "PartialPlacement.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <limits>

#define DEBUG_TYPE "shard-propagation"

namespace shard::propagation {

double Run::localBytes(ValueId value) const {
  const Shape &shape = problem.shapes[problem.valueShape[value]];
  double bytes = shape.elementBits / 8.0;
  for (int64_t extent : shape.extents)
    if (extent != kDynamic)
      bytes *= extent;
  for (ListId list : shardings.lists(state[value]))
    bytes /= lists.parts(list);
  return bytes;
}

/// The partial state that the results of `op` get from its partial operands without
/// inits, as `partials` has them: nothing if it does not take them, an empty state if
/// there are none.
std::optional<PartialState> Run::through(OpId op) const {
  const FlatTable &table = problem.table(op);
  llvm::ArrayRef<ValueId> operands =
      problem.tensors(op).take_front(table.numOperands);
  PartialState common;
  unsigned count = 0, others = 0;
  for (unsigned i = 0; i < operands.size(); ++i) {
    bool init = table.firstInit >= 0 && i >= unsigned(table.firstInit);
    auto found =
        operands[i] == kNoValue ? partials.end() : partials.find(operands[i]);
    if (found == partials.end()) {
      bool harmless = init || (operands[i] == kNoValue &&
                               table.rule != PartialRule::Additive);
      others += !harmless;
      continue;
    }
    if (init)
      continue;
    if (count && !(common == found->second))
      return std::nullopt;
    common = found->second;
    ++count;
  }
  if (count == 0)
    return PartialState();
  bool sum = common.reduction == ReductionKind::Sum;
  switch (table.rule) {
  case PartialRule::None:
    return std::nullopt;
  case PartialRule::Movement:
    if (others == 0)
      return common;
    return std::nullopt;
  case PartialRule::Additive:
    if (sum && others == 0)
      return common;
    return std::nullopt;
  case PartialRule::Multilinear:
    if (sum && count == 1)
      return common;
    return std::nullopt;
  }
  return std::nullopt;
}

/// Whether each partial init of `op`, to which the op adds, has the state `made` of the
/// result.
bool Run::takesInits(OpId op, const PartialState &made) const {
  const FlatTable &table = problem.table(op);
  if (table.firstInit < 0)
    return true;
  return llvm::all_of(problem.tensors(op)
                          .take_front(table.numOperands)
                          .drop_front(table.firstInit),
                      [&](ValueId init) {
                        auto found = init == kNoValue ? partials.end()
                                                      : partials.find(init);
                        return found == partials.end() || found->second == made;
                      });
}

/// Whether `op` takes its operands as partial as they are in `partials`. Where its result
/// is complete, what the op computes is reduced behind it, with what its init holds.
bool Run::accepts(OpId op) {
  std::optional<PartialState> passed = through(op);
  if (!passed)
    return false;
  const FlatTable &table = problem.table(op);
  llvm::ArrayRef<ValueId> results =
      problem.tensors(op).drop_front(table.numOperands);
  PartialState made;
  if (results.size() == 1 && results[0] != kNoValue)
    made = partials.lookup(results[0]);
  if (made.atoms || results.size() != 1 || !table.contraction)
    return takesInits(op, made);
  // The result is reduced over all at once.
  PartialState own = {stepOf(op, FromAll).reduced, table.resultReduction[0]};
  if (own.atoms && passed->atoms && passed->reduction != own.reduction)
    return false;
  if (takesInits(op, made))
    return true;
  if (passed->atoms && passed->reduction != own.reduction)
    return false;
  own.atoms |= passed->atoms;
  return takesInits(op, own);
}

void Run::PartialPlacement::readHints() {
  hinted.assign(problem.numValues(), false);
  for (const auto &[value, hint] : problem.hints) {
    hinted[value] = true;
    const Constraint &constraint = run.constraints[run.limit[value]];
    if (constraint.partial)
      run.partials[value] = {constraint.partial, constraint.reduction};
  }
  for (ValueId value : run.wished) {
    hinted[value] = true;
    const Constraint &constraint = run.constraints[run.limit[value]];
    run.partials[value] = {constraint.partial, constraint.reduction};
  }
  for (const auto &[value, state] : joined) {
    hinted[value] = true;
    run.partials[value] = state;
  }
}

/// A user that is to have a partial result, such as a function result with a
/// hint, takes an operand in that very state.
bool Run::PartialPlacement::isAskedFor(OpId user,
                                       const PartialState &state) const {
  const FlatTable &table = problem.table(user);
  llvm::ArrayRef<ValueId> results =
      problem.tensors(user).drop_front(table.numOperands);
  if (results.size() != 1 || results[0] == kNoValue || !hinted[results[0]])
    return false;
  auto found = run.partials.find(results[0]);
  return found != run.partials.end() && found->second == state &&
         run.accepts(user);
}

/// Whether `user` only adds to `value`, its init, what it adds up along a split loop
/// itself: the sum of both is reduced with or without `value`.
bool Run::PartialPlacement::isAddedTo(OpId user, ValueId value) {
  const FlatTable &table = problem.table(user);
  llvm::ArrayRef<ValueId> tensors = problem.tensors(user);
  return table.contraction && table.firstInit >= 0 &&
         tensors.size() == table.numOperands + 1u &&
         !llvm::is_contained(tensors.take_front(table.firstInit), value) &&
         run.stepOf(user, FromAll).reduced && run.accepts(user);
}

/// The state of a candidate that stays partial: by its op's own loops and by the
/// op's operands; nothing if these do not go together.
std::optional<PartialState>
Run::PartialPlacement::stateAt(const Candidate &candidate) const {
  std::optional<PartialState> passed = run.through(candidate.op);
  if (!passed)
    return std::nullopt;
  PartialState result = candidate.made;
  if (passed->atoms) {
    if (result.atoms && result.reduction != passed->reduction)
      return std::nullopt;
    result.reduction = passed->reduction;
    result.atoms |= passed->atoms;
  }
  if (!run.takesInits(candidate.op, result))
    return std::nullopt;
  return result;
}

/// Whether the partial operands of `op`, which does not take them, are candidates:
/// these are then reduced where they are made, and `op` gets complete values.
bool Run::PartialPlacement::willBeReduced(OpId op) const {
  if (run.through(op) && run.takesInits(op, PartialState()))
    return false;
  return llvm::all_of(
      problem.tensors(op).take_front(problem.table(op).numOperands),
      [&](ValueId operand) {
        return operand == kNoValue || !run.partials.count(operand) ||
               candidateOf.count(operand);
      });
}

/// Whether `op` has no other partial operand than `value`.
bool Run::PartialPlacement::isOnlyPartial(OpId op, ValueId value) const {
  return llvm::all_of(
      problem.tensors(op).take_front(problem.table(op).numOperands),
      [&](ValueId operand) {
        return operand == value || operand == kNoValue ||
               !run.partials.contains(operand);
      });
}

void Run::PartialPlacement::collectCandidates() {
  for (OpId op = 0; op < problem.numOps(); ++op) {
    const FlatTable &table = problem.table(op);
    if (problem.ties.contains(op) ||
        (!table.contraction && run.partials.empty()))
      continue;
    OpStep::Result result = run.stepOf(op, FromAll);
    if (takesReshard(op, result))
      continue;
    std::optional<PartialState> passed = run.through(op);
    if (!result.reduced && (!passed || !passed->atoms))
      continue;
    if (passed && (passed->atoms & result.used))
      continue;
    // Ops with several results reduce them all at once.
    llvm::ArrayRef<ValueId> results =
        problem.tensors(op).drop_front(table.numOperands);
    if (results.size() != 1 || !mayBePartial(results[0]) ||
        takesComplete(op, false))
      continue;
    Candidate candidate{
        results[0], op, {result.reduced, table.resultReduction[0]}, {}};
    std::optional<PartialState> state = stateAt(candidate);
    if (!state && result.reduced && willBeReduced(op))
      state = candidate.made;
    if (!state || !state->atoms ||
        (state->atoms & run.shardings.mask(run.state[results[0]])))
      continue;
    run.partials[results[0]] = candidate.possible = *state;
    candidateOf[results[0]] = candidates.size();
    candidates.push_back(candidate);
  }
}

/// The second form of the cost, of the users; infinite without a user, or if one
/// does not take the value partial.
double Run::PartialPlacement::costOfKeeping(size_t index) {
  const Candidate &candidate = candidates[index];
  constexpr double never = std::numeric_limits<double>::infinity();
  double cost = 0;
  bool used = false;
  for (OpId user : run.uses(candidate.value)) {
    if (user == candidate.op || problem.ties.contains(user))
      continue;
    used = true;
    if (isAskedFor(user, run.partials[candidate.value]) ||
        isAddedTo(user, candidate.value))
      continue;
    const FlatTable &table = problem.table(user);
    llvm::ArrayRef<ValueId> tensors = problem.tensors(user);
    double all = 0, mine = 0;
    for (ValueId operand : tensors.take_front(table.numOperands)) {
      all += operand != kNoValue && run.partials.count(operand);
      mine += operand == candidate.value;
    }
    llvm::ArrayRef<ValueId> results = tensors.drop_front(table.numOperands);
    bool hasNext = results.size() == 1 && results[0] != kNoValue;
    auto next = hasNext ? candidateOf.find(results[0]) : candidateOf.end();
    if (next == candidateOf.end() || next->second <= index ||
        !run.accepts(user))
      return never;
    const Candidate &behind = candidates[next->second];
    all += behind.made.atoms != 0;
    cost += behind.cost * mine / all;
  }
  return used ? cost : never;
}

/// Decides which of those that stay cost less so. Returns whether any does not.
bool Run::PartialPlacement::price() {
  bool changed = false;
  for (size_t i = candidates.size(); i-- > 0;) {
    Candidate &candidate = candidates[i];
    double reduceHere =
        run.localBytes(candidate.value) * problem.trips[candidate.op];
    double keep = candidate.stays ? costOfKeeping(i) : reduceHere;
    changed |= candidate.stays && keep >= reduceHere;
    candidate.stays = keep < reduceHere;
    candidate.cost = std::min(reduceHere, keep);
    LLVM_DEBUG(llvm::dbgs() << " partial value " << candidate.value << " of op "
                            << candidate.op << ": " << reduceHere
                            << " bytes to reduce here, " << keep << " later\n");
  }
  return changed;
}

bool Run::PartialPlacement::isTakenByAll(const Candidate &candidate) const {
  return llvm::all_of(run.uses(candidate.value), [&](OpId user) {
    return user == candidate.op || problem.ties.contains(user) ||
           run.accepts(user);
  });
}

/// What stays must be taken by every user, in the state that it then has. Where a user does not
/// take a value, those before it have less to gain, and are priced again.
void Run::PartialPlacement::settle() {
  bool isRefused = false;
  for (unsigned pass = 0, changed = true; changed; ++pass) {
    changed = false;
    for (Candidate &candidate : candidates)
      run.partials.erase(candidate.value);
    for (Candidate &candidate : candidates) {
      if (!candidate.stays)
        continue;
      std::optional<PartialState> state = stateAt(candidate);
      if (state && state->atoms)
        run.partials[candidate.value] = *state;
    }
    for (Candidate &candidate : candidates) {
      if (!candidate.stays || !run.partials.count(candidate.value) ||
          (pass < kMaxSettlePasses && isTakenByAll(candidate)))
        continue;
      LLVM_DEBUG(llvm::dbgs()
                 << " value " << candidate.value
                 << " is reduced after all: a user does not take it\n");
      candidate.stays = false;
      changed = isRefused = true;
    }
    if (!changed && isRefused) {
      changed = price();
      isRefused = false;
    }
  }
}

/// Whether it costs less to keep the candidate partial, beside those that stay: every user takes
/// it, and what these make of it is as partial as before.
bool Run::PartialPlacement::mayStay(size_t index) {
  Candidate &candidate = candidates[index];
  double keep = costOfKeeping(index);
  if (keep >= run.localBytes(candidate.value) * problem.trips[candidate.op] ||
      !isTakenByAll(candidate))
    return false;
  candidate.cost = keep;
  return llvm::all_of(run.uses(candidate.value), [&](OpId user) {
    const FlatTable &table = problem.table(user);
    return llvm::all_of(
        problem.tensors(user).drop_front(table.numOperands),
        [&](ValueId result) {
          auto next = candidateOf.find(result);
          if (next == candidateOf.end() || !candidates[next->second].stays)
            return true;
          std::optional<PartialState> state = stateAt(candidates[next->second]);
          return state && *state == run.partials.lookup(result);
        });
  });
}

/// Where a user takes either of two operands partial and not both, both were priced as refused.
/// One of them may stay where the other one is reduced in the end.
void Run::PartialPlacement::keepMore() {
  bool changed = true;
  for (unsigned pass = 0; changed && pass < kMaxSettlePasses; ++pass) {
    changed = false;
    for (size_t i = candidates.size(); i-- > 0;) {
      Candidate &candidate = candidates[i];
      std::optional<PartialState> state;
      if (!candidate.stays)
        state = stateAt(candidate);
      if (!state || !state->atoms ||
          (state->atoms & run.shardings.mask(run.state[candidate.value])))
        continue;
      run.partials[candidate.value] = *state;
      candidate.stays = mayStay(i);
      changed |= candidate.stays;
      if (!candidate.stays)
        run.partials.erase(candidate.value);
    }
  }
}

void Run::PartialPlacement::place() {
  run.partials.clear();
  candidates.clear();
  candidateOf.clear();
  uses.clear();
  findReshards();
  readHints();
  if (run.options.keepPartial)
    collectCandidates();
  if (run.options.explain) {
    run.couldBePartial.clear();
    for (const auto &[value, state] : run.partials)
      run.couldBePartial.insert(value);
  }
  price();
  settle();
  keepMore();
}

void Run::placePartials() {
  PartialPlacement placement(*this);
  placement.place();
  placement.chooseJoined();

  placement.findRefusals();
}

} // namespace shard::propagation
