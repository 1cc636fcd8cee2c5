//===- OpenPartials.cpp - Partial values behind settled regions -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenPartials.h"

#include "RegionGrowth.h"
#include "RegionPrices.h"

using namespace mlir;

namespace shard::propagation {

/// Exchanges what `placement` says of values and ops with what `solution` says.
static void exchange(Placement &placement, Solution &solution,
                     SolvedShardings &solved) {
  for (auto &[value, sharding] : placement.values) {
    Sharding had = solved.shardingOf(value);
    solution.values[value] =
        sharding.isReplicated() ? kReplicated : solved.indexFor(sharding);
    sharding = std::move(had);
  }
  std::swap(placement.agrees, solution.agrees);
  std::swap(placement.takesCompleted, solution.takesCompleted);
  std::swap(placement.couldBePartial, solution.couldBePartial);
}

namespace {
class PartialSettler {
public:
  PartialSettler(ReadProgram &program, Solution &solution,
                 SolvedShardings &solved, OpWishes &opWishes,
                 const GridPropagation &out, const PropagationOptions &options)
      : program(program), solution(solution), solved(solved),
        opWishes(opWishes), out(out),
        growth(program, solved, opWishes, out, options),
        prices(program, solution, solved, opWishes, out) {}

  /// Places partial values again, as the values `changed` have other shardings.
  void placeAgain(llvm::ArrayRef<ValueId> changed) {
    growth.prepare(solution);
    Region none;
    attempt(none, changed);
  }

  /// Lets sums that loops carry lose the axes that they are sums over, if they may be partial then.
  void freeSums() {
    Region region;
    for (OpId op = 0; op < program.origins.size(); ++op)
      if (Operation *owner = prices.ownerOf(op);
          owner && program.problem.trips[op] > 1 &&
          program.problem.table(op).contraction)
        addSum(op, owner, region);
    if (region.labels.empty())
      return;
    llvm::SmallVector<ValueId> values;
    for (const auto &[value, label] : region.labels)
      values.push_back(value);
    attempt(region, values);
  }

  /// Lets ops take what is complete for others anyway. What an op does with a partial operand was
  /// chosen when its other operands were not known in the end.
  void shareCompleted() {
    if (llvm::none_of(llvm::seq<ValueId>(0, program.problem.numValues()),
                      [&](ValueId value) { return isPartial(value); }))
      return;
    growth.prepare(solution);
    llvm::SmallVector<OpId> again;
    // Whose users have been asked again because of an op that takes them complete.
    llvm::DenseSet<ValueId> completed;
    for (OpId op = 0; op < program.origins.size(); ++op) {
      again.push_back(op);
      while (!again.empty()) {
        OpId next = again.pop_back_val();
        if (next <= op && takeCompleted(next))
          addUsersOfPartials(next, completed, again);
      }
    }
  }

private:
  /// Lets `op` take its partial operands complete if that costs less. Returns whether it does so
  /// now and did not before.
  bool takeCompleted(OpId op) {
    Operation *owner = prices.ownerOf(op);
    if (!owner || solution.takesCompleted[op] || !sharesPartial(op, owner))
      return false;
    auto price = [&] { return prices.of(growth.ops(), op); };
    std::optional<double> before = price();
    bool agreed = solution.agrees[op];
    solution.takesCompleted[op] = true;
    solution.agrees[op] = false;
    std::optional<double> after = price();
    if (before && after && *after < *before)
      return true;
    solution.takesCompleted[op] = false;
    solution.agrees[op] = agreed;
    return false;
  }

  /// Adds the ops that use the partial operands of `op` to `users`, once for each operand.
  void addUsersOfPartials(OpId op, llvm::DenseSet<ValueId> &seen,
                          llvm::SmallVectorImpl<OpId> &users) {
    for (ValueId id : program.problem.tensors(op).take_front(
             prices.ownerOf(op)->getNumOperands()))
      if (isPartial(id) && seen.insert(program.find(id)).second)
        for (const TensorUse &use : growth.ops().of(program.find(id)))
          users.push_back(use.op);
  }

  /// Whether `op` has an operand that is partial and has other users, and no partial result.
  bool sharesPartial(OpId op, Operation *owner) {
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
    unsigned numOperands = owner->getNumOperands();
    return llvm::any_of(tensors.take_front(numOperands),
                        [&](ValueId id) {
                          return isPartial(id) &&
                                 growth.ops().of(program.find(id)).size() > 1;
                        }) &&
           llvm::none_of(tensors.drop_front(numOperands),
                         [&](ValueId id) { return isPartial(id); });
  }

  bool isPartial(ValueId value) {
    return value != kNoValue && !solved.shardingOf(value).partial.empty();
  }

  /// Adds to `region` the result of `op` and what follows from it, without the axes that `op` sums
  /// over and that split the result, if a loop carries one of these values.
  void addSum(OpId op, Operation *owner, Region &region) {
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
    for (const auto &[result, computed] :
         opWishes.of(op, owner, opWishes.madeFor(op, owner)).results) {
      ValueId value = program.find(tensors[owner->getNumOperands() + result]);
      Sharding wanted = solved.shardingOf(value);
      for (AxisList &axes : wanted.dims)
        llvm::erase_if(axes, [&, &sum = computed.partial](GridAxis axis) {
          return llvm::is_contained(sum, axis);
        });
      if (wanted.dims == solved.shardingOf(value).dims ||
          region.labels.contains(value))
        continue;
      growth.prepare(solution);
      if (!growth.mayChange(value))
        continue;
      Region own;
      own.labels[value] = {solved.indexFor(wanted), {op, kNoValue}};
      if (!growth.grow(own) ||
          llvm::none_of(own.labels, [&](const auto &entry) {
            return program.problem.joined[entry.first] == Joined::ByLoop;
          }))
        continue;
      for (const auto &entry : own.labels)
        region.labels.insert(entry);
      region.touched.insert_range(own.touched);
    }
  }

  /// Gives `region` its labels and places partial values again, and keeps both where that costs
  /// less. `changed` are the values that have other shardings than when partial values were placed.
  void attempt(Region &region, llvm::ArrayRef<ValueId> changed) {
    llvm::SmallVector<uint32_t> had;
    for (const auto &[value, label] : region.labels)
      had.push_back(std::exchange(solution.values[value],
                                  out.shardings[label.number].isReplicated()
                                      ? kReplicated
                                      : label.number));
    auto exchangeLabels = [&] {
      for (auto [entry, number] : llvm::zip_equal(region.labels, had))
        std::swap(solution.values[entry.first], number);
    };
    std::vector<ShardedValue> values;
    for (ValueId value : changed)
      values.emplace_back(value, solved.shardingOf(value));
    std::optional<Placement> placement = placePartialsAgain(solution, values);
    exchangeLabels();
    if (!placement)
      return;
    llvm::SetVector<OpId> touched = region.touched;
    for (const auto &[value, sharding] : placement->values)
      for (const TensorUse &use : growth.ops().of(value))
        touched.insert(use.op);
    for (OpId op = 0; op < program.origins.size(); ++op)
      if (placement->takesCompleted[op] != solution.takesCompleted[op])
        touched.insert(op);
    for (OpId op : touched)
      placement->agrees[op] = false;
    bool withWork = !region.labels.empty();
    auto price = [&] {
      return prices.of(growth.ops(), touched.getArrayRef(), withWork);
    };
    std::optional<double> before = price();
    exchangeLabels();
    exchange(*placement, solution, solved);
    std::optional<double> after = price();
    if (before && after && *after < *before) {
      keepPlacement(solution);
      return;
    }
    exchange(*placement, solution, solved);
    exchangeLabels();
  }

  ReadProgram &program;
  Solution &solution;
  SolvedShardings &solved;
  OpWishes &opWishes;
  const GridPropagation &out;
  RegionGrowth growth;
  RegionPrices prices;
};
} // namespace

void settlePartials(ReadProgram &program, Solution &solution,
                    SolvedShardings &solved, OpWishes &opWishes,
                    const GridPropagation &out,
                    const PropagationOptions &options,
                    llvm::ArrayRef<ValueId> changed) {
  PartialSettler settler(program, solution, solved, opWishes, out, options);
  if (!changed.empty())
    settler.placeAgain(changed);
  settler.freeSums();
}

void shareCompleted(ReadProgram &program, Solution &solution,
                    SolvedShardings &solved, OpWishes &opWishes,
                    const GridPropagation &out,
                    const PropagationOptions &options) {
  PartialSettler(program, solution, solved, opWishes, out, options)
      .shareCompleted();
}

} // namespace shard::propagation
