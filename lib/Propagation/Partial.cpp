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
//   cost(v) = min(local bytes of v, sum over its users u of cost(result of u) /
//   n)
//
// with n the number of partial operands of u, which share what lies behind it;
// a user that does not take partial operands forbids the second form. Computed
// from the last op to the first; equal costs reduce early. A value whose op
// turns out to lack another partial operand is reduced where it is made. This
// is exact where partial values have one user each.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include <limits>

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

/// The partial state that the results of `op` get from its partial operands, as
/// `partials` has them: nothing if it does not take them, an empty state if
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
    if (init || (count && !(common == found->second)))
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

void Run::placePartials() {
  refuses.assign(problem.numOps(), false);
  std::vector<bool> hinted(problem.numValues(), false);
  for (const auto &[value, hint] : problem.hints) {
    hinted[value] = true;
    const Constraint &constraint = constraints[limit[value]];
    if (constraint.partial)
      partials[value] = {constraint.partial, constraint.reduction};
  }
  for (ValueId value : wished) {
    hinted[value] = true;
    const Constraint &constraint = constraints[limit[value]];
    partials[value] = {constraint.partial, constraint.reduction};
  }
  // A user that is to have a partial result, such as a function result with a
  // hint, takes an operand in that very state.
  auto isAskedFor = [&](OpId user, const PartialState &state) {
    const FlatTable &table = problem.table(user);
    llvm::ArrayRef<ValueId> results =
        problem.tensors(user).drop_front(table.numOperands);
    if (results.size() != 1 || results[0] == kNoValue || !hinted[results[0]])
      return false;
    auto found = partials.find(results[0]);
    if (found == partials.end() || !(found->second == state))
      return false;
    std::optional<PartialState> passed = through(user);
    return passed && *passed == state;
  };

  // What could be partial if nothing were reduced, in program order.
  struct Candidate {
    ValueId value;
    OpId op;
    PartialState made; // by the op's own reduction loops
    bool stays;
    double cost;
  };
  std::vector<Candidate> candidates;
  // An op that gets an operand resharded reduces at once, whether propagation
  // found the reshard or was given it: so it finds again what it wrote.
  llvm::SmallDenseSet<ValueId> resharded;
  for (OpId op : problem.reshards) {
    llvm::ArrayRef<ValueId> ends = problem.tensors(op);
    if (state[ends[0]] != state[ends[1]])
      resharded.insert(ends[1]);
  }
  llvm::DenseMap<ValueId, uint32_t> candidateOf;
  auto stateAt =
      [&](const Candidate &candidate) -> std::optional<PartialState> {
    std::optional<PartialState> passed = through(candidate.op);
    if (!passed)
      return std::nullopt;
    PartialState result = candidate.made;
    if (passed->atoms) {
      if (result.atoms && result.reduction != passed->reduction)
        return std::nullopt;
      result.reduction = passed->reduction;
      result.atoms |= passed->atoms;
    }
    return result;
  };
  for (OpId op = 0; op < problem.numOps() && options.keepPartial; ++op) {
    const FlatTable &table = problem.table(op);
    if (!table.contraction && partials.empty())
      continue;
    OpStep::Result result = stepOf(op, FromAll);
    if (!result.agrees)
      continue;
    std::optional<PartialState> passed = through(op);
    if (!result.reduced && (!passed || !passed->atoms))
      continue;
    if (passed && (passed->atoms & result.used))
      continue;
    llvm::ArrayRef<ValueId> results =
        problem.tensors(op).drop_front(table.numOperands);
    // Ops with several results reduce them all at once.
    if (results.size() != 1 || results[0] == kNoValue || hinted[results[0]] ||
        problem.neverPartial[results[0]] ||
        (!resharded.empty() &&
         llvm::any_of(
             problem.tensors(op).take_front(table.numOperands),
             [&](ValueId operand) { return resharded.contains(operand); })))
      continue;
    PartialState made{result.reduced, table.resultReduction[0]};
    Candidate candidate{results[0], op, made, false, 0};
    std::optional<PartialState> state = stateAt(candidate);
    if (!state || !state->atoms ||
        (state->atoms & shardings.mask(this->state[results[0]])))
      continue;
    partials[results[0]] = *state;
    candidateOf[results[0]] = candidates.size();
    candidates.push_back(candidate);
  }
  if (options.explain)
    for (const auto &[value, state] : partials)
      couldBePartial.insert(value);

  for (size_t i = candidates.size(); i-- > 0;) {
    Candidate &candidate = candidates[i];
    double keep = 0;
    bool used = false;
    for (OpId user : uses(candidate.value)) {
      if (user == candidate.op)
        continue;
      used = true;
      const FlatTable &table = problem.table(user);
      llvm::ArrayRef<ValueId> tensors = problem.tensors(user);
      double all = 0, mine = 0;
      for (ValueId operand : tensors.take_front(table.numOperands)) {
        all += operand != kNoValue && partials.count(operand);
        mine += operand == candidate.value;
      }
      llvm::ArrayRef<ValueId> results = tensors.drop_front(table.numOperands);
      if (isAskedFor(user, partials[candidate.value]))
        continue;
      bool hasNext = results.size() == 1 && results[0] != kNoValue;
      auto next = hasNext ? candidateOf.find(results[0]) : candidateOf.end();
      if (next == candidateOf.end() || next->second <= i || !through(user))
        keep = std::numeric_limits<double>::infinity();
      else
        keep += candidates[next->second].cost * mine / all;
    }
    candidate.cost = localBytes(candidate.value);
    if (used && keep < candidate.cost) {
      candidate.cost = keep;
      candidate.stays = true;
    }
  }

  // Settle: what stays must be taken by every user, in the state it then has.
  for (unsigned pass = 0, changed = true; changed; ++pass) {
    changed = false;
    for (Candidate &candidate : candidates)
      partials.erase(candidate.value);
    for (Candidate &candidate : candidates) {
      if (!candidate.stays)
        continue;
      std::optional<PartialState> state = stateAt(candidate);
      if (state && state->atoms)
        partials[candidate.value] = *state;
    }
    for (Candidate &candidate : candidates) {
      if (!candidate.stays || !partials.count(candidate.value))
        continue;
      for (OpId user : uses(candidate.value)) {
        if (user == candidate.op)
          continue;
        std::optional<PartialState> state = through(user);
        if (state && state->atoms && pass < 20)
          continue;
        candidate.stays = false;
        changed = true;
        break;
      }
    }
  }

  for (const auto &[value, partial] : partials)
    for (OpId user : uses(value)) {
      llvm::ArrayRef<ValueId> operands =
          problem.tensors(user).take_front(problem.table(user).numOperands);
      if (llvm::is_contained(operands, value) && !through(user))
        refuses[user] = true;
    }
}

} // namespace shard::propagation
