//===- PartialWishes.cpp - From a wanted partial value to its reduction ---===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hint that names partial axes asks for summands, so the reduction behind the
// value has to be split by these axes. The wish goes from the value back through
// the ops that pass partial operands (PartialRule), to the op with the reduction
// loops. It becomes a constraint of the values on the way: OpStep reads it at the
// op with the loops, and PartialPlacement keeps these values partial.
//
// A value takes a wish only if it has no hint of its own, all its users want the
// same of it, and the wish arrives at an op that can be split like that. Otherwise
// the value is reduced, and partition makes the wanted value partial by masking.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "llvm/ADT/STLExtras.h"

namespace shard::propagation {

namespace {
bool sameWish(const PartialState &a, const PartialState &b) {
  return a.atoms && a == b;
}
} // namespace

/// Finds what the values want. One pass over the ops in each direction.
struct Run::WishSearch {
  explicit WishSearch(Run &run)
      : run(run), problem(run.problem), wishes(problem.numValues()),
        stated(problem.numValues(), false), votes(problem.numValues(), 0),
        canMake(problem.numValues(), false) {}

  void search();
  const PartialState &wish(ValueId value) const { return wishes[value]; }
  bool isStated(ValueId value) const { return stated[value]; }

private:
  ValueId resultOf(OpId op) const {
    llvm::ArrayRef<ValueId> results =
        problem.tensors(op).drop_front(problem.table(op).numOperands);
    return results.size() == 1 ? results[0] : kNoValue;
  }
  bool makes(OpId op, const PartialState &wish) const {
    const FlatTable &table = problem.table(op);
    return table.contraction && table.resultReduction[0] == wish.reduction &&
           run.step.canReduce(table, wish.atoms, wish.reduction);
  }
  llvm::SmallVector<ValueId, 4> passedTo(OpId op, const PartialState *wish);
  void findMakers();
  void spread();
  void confirm();
  void revoke();

  Run &run;
  const Problem &problem;
  std::vector<PartialState> wishes;
  std::vector<bool> stated;
  /// Per value: how many of its users want what `wishes` says.
  std::vector<uint32_t> votes;
  /// Whether an op that reduces is behind a value, through ops that pass partial
  /// values.
  std::vector<bool> canMake;
};

/// The operands that have to be partial so that the result of `op` is, by the
/// rule of the op; none if that cannot be. Without a wish: for any wish.
llvm::SmallVector<ValueId, 4>
Run::WishSearch::passedTo(OpId op, const PartialState *wish) {
  const FlatTable &table = problem.table(op);
  bool isSum = !wish || wish->reduction == ReductionKind::Sum;
  llvm::ArrayRef<ValueId> operands =
      problem.tensors(op).take_front(table.numOperands);
  if (table.firstInit >= 0)
    operands = operands.take_front(table.firstInit);
  switch (table.rule) {
  case PartialRule::None:
    return {};
  case PartialRule::Multilinear:
    if (isSum)
      for (ValueId operand : operands)
        if (operand != kNoValue && canMake[operand])
          return {operand};
    return {};
  case PartialRule::Additive:
    if (!isSum || llvm::is_contained(operands, kNoValue))
      return {};
    break;
  case PartialRule::Movement:
    break;
  }
  llvm::SmallVector<ValueId, 4> result;
  for (ValueId operand : operands) {
    if (operand == kNoValue)
      continue;
    if (!canMake[operand])
      return {};
    if (!llvm::is_contained(result, operand))
      result.push_back(operand);
  }
  return result;
}

void Run::WishSearch::findMakers() {
  for (OpId op = 0; op < problem.numOps(); ++op) {
    ValueId result = resultOf(op);
    if (result == kNoValue || !problem.hasOwnDefinition(result) ||
        stated[result])
      continue;
    canMake[result] =
        problem.table(op).contraction || !passedTo(op, nullptr).empty();
  }
}

/// Backward: each op tells its operands what its result wants.
void Run::WishSearch::spread() {
  for (OpId op = problem.numOps(); op-- > 0;) {
    ValueId result = resultOf(op);
    if (result == kNoValue)
      continue;
    PartialState &wish = wishes[result];
    // Each use of the result but its own op has had its say.
    if (!stated[result] && votes[result] + 1 != run.uses(result).size())
      wish = PartialState();
    if (!wish.atoms || makes(op, wish))
      continue;
    for (ValueId operand : passedTo(op, &wish)) {
      if (run.constraints[run.limit[operand]].forbidden & wish.atoms)
        continue;
      if (votes[operand] == 0)
        wishes[operand] = wish;
      votes[operand] += sameWish(wishes[operand], wish);
    }
  }
}

/// Forward: a wish holds if the op that makes the value can obey it.
void Run::WishSearch::confirm() {
  for (OpId op = 0; op < problem.numOps(); ++op) {
    ValueId result = resultOf(op);
    if (result == kNoValue || stated[result] || !wishes[result].atoms)
      continue;
    PartialState wish = wishes[result];
    llvm::SmallVector<ValueId, 4> from = passedTo(op, &wish);
    if (!makes(op, wish) &&
        (from.empty() || llvm::any_of(from, [&](ValueId operand) {
           return !sameWish(wishes[operand], wish);
         })))
      wishes[result] = PartialState();
  }
}

/// Backward: no wish is left whose users do not pass it on.
void Run::WishSearch::revoke() {
  std::fill(votes.begin(), votes.end(), 0);
  for (OpId op = problem.numOps(); op-- > 0;) {
    ValueId result = resultOf(op);
    if (result == kNoValue)
      continue;
    if (!stated[result] && votes[result] + 1 != run.uses(result).size())
      wishes[result] = PartialState();
    PartialState wish = wishes[result];
    if (!wish.atoms || makes(op, wish))
      continue;
    llvm::SmallVector<ValueId, 4> from = passedTo(op, &wish);
    if (llvm::all_of(from, [&](ValueId operand) {
          return sameWish(wishes[operand], wish);
        }))
      for (ValueId operand : from)
        ++votes[operand];
  }
}

void Run::WishSearch::search() {
  bool any = false;
  for (const auto &[value, hint] : problem.hints) {
    const Constraint &limit = run.constraints[run.limit[value]];
    stated[value] = true;
    wishes[value] = {limit.partial, limit.reduction};
    any |= limit.partial != 0;
  }
  if (!any)
    return;
  findMakers();
  spread();
  confirm();
  revoke();
}

void Run::spreadPartialWishes() {
  if (!options.keepPartial ||
      llvm::none_of(constraints, [](const Constraint &c) { return c.partial; }))
    return;
  WishSearch found(*this);
  found.search();
  for (OpId op = 0; op < problem.numOps(); ++op) {
    const FlatTable &table = problem.table(op);
    llvm::ArrayRef<ValueId> results =
        problem.tensors(op).drop_front(table.numOperands);
    if (results.size() != 1 || results[0] == kNoValue)
      continue;
    ValueId value = results[0];
    const PartialState &wish = found.wish(value);
    if (!wish.atoms)
      continue;
    if (!found.isStated(value)) {
      Constraint made = constraints[limit[value]];
      made.partial = wish.atoms;
      made.reduction = wish.reduction;
      made.forbidden |= wish.atoms;
      limit[value] = intern(std::move(made));
      wished.push_back(value);
      if (options.explain)
        for (OpId user : uses(value))
          if (user != op) {
            wishedFor.push_back({value, {user, problem.tensors(user).back()}});
            break;
          }
    }
    if (table.contraction)
      wishedReductions.push_back(op);
  }
}

/// Before all stages: what the hints on partial values say about the operands of
/// the ops that make them is as near as a hint on these operands.
void Run::splitWishedReductions() {
  for (OpId op : wishedReductions)
    for (const Proposal &proposal : stepOf(op, FromResults).proposals)
      makeOffer(op, proposal);
  acceptOffers();
}

} // namespace shard::propagation
