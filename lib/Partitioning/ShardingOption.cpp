//===- ShardingOption.cpp - Which loops of an op to split -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/ShardingOption.h"

#include "OptionCandidates.h"

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/Emitter.h"

#include <limits>
#include <tuple>

using namespace mlir;

namespace shard {

namespace {

/// How often each loop is settled where combinations are too many: the second
/// round takes into account what the first chose for later loops.
constexpr int settlingRounds = 2;

class OptionSearch {
public:
  OptionSearch(const LoopTable &table, const Grid &grid,
               ArrayRef<RankedTensorType> operandTypes,
               ArrayRef<RankedTensorType> resultTypes,
               ArrayRef<Sharding> operands, ArrayRef<Sharding> results,
               Planner &planner)
      : table(table), grid(grid), operandTypes(operandTypes),
        resultTypes(resultTypes), operands(operands), results(results),
        planner(planner), candidates(table, grid, operands, results) {}

  /// The loops are split as `option` says; partial operands pass where the op lets them.
  std::optional<ShardingOption> withLoops(ShardingOption option) {
    option.partial.clear();
    option.partialOperands = 0;
    if (!isValidOption(table, grid, option))
      return std::nullopt;
    consider(option);
    return best;
  }

  /// How much of the reshard of each operand is paid.
  void payShares(ArrayRef<double> paid) { shares = paid; }
  /// Considers only options under which no operand is resharded.
  void keepOperands() { operandsAreKept = true; }
  /// Considers only options under which this one is not resharded.
  void keepOperand(unsigned operand) { keptOperand = operand; }

  /// The best option; nothing if none is left.
  std::optional<ShardingOption> run() {
    candidates.collect();
    if (std::optional<ShardingOption> natural = agreeingOption())
      return natural;
    candidates.proposePartial();
    if (std::optional<ShardingOption> natural = agreeingOption())
      return natural;
    ShardingOption none;
    none.loops.resize(table.loops.size());
    consider(none);
    candidates.addPrefixes();
    if (!table.results.empty())
      candidates.proposeFree();
    if (candidates.combinations() <= OptionCandidates::maxCombinations) {
      enumerate(none, 0);
      chooseListed();
    } else {
      descend();
    }
    return hasBest ? std::optional(best) : std::nullopt;
  }

private:
  /// The option that takes the longest list of each loop, if it needs no reshard.
  std::optional<ShardingOption> agreeingOption() const {
    ShardingOption option = candidates.longest();
    passPartial(option);
    if (std::optional<ShardingOption> own =
            withBounds(table, grid, operands, option))
      option = std::move(*own);
    if (isValidOption(table, grid, option) && agrees(option))
      return option;
    return std::nullopt;
  }

  /// Lets partial operands through an option without any where the op's rule allows it.
  void passPartial(ShardingOption &option) const {
    if (table.partialRule != PartialRule::None &&
        table.operands.size() <= ShardingOption::kMaxPartialOperands)
      passPartialInputs(option);
    if (table.firstInit < 0 ||
        table.operands.size() > ShardingOption::kMaxPartialOperands)
      return;
    // An init that is partial under just the axes of its result passes as is.
    for (unsigned index = table.firstInit; index < table.operands.size();
         ++index) {
      unsigned result = index - table.firstInit;
      if (result >= table.results.size() || !table.operands[index].isTensor)
        continue;
      Sharding wanted = resultSharding(table, result, option);
      const Sharding &has = operands[index];
      if (!wanted.partial.empty() && !has.partial.empty() &&
          sameButUnitAxes(grid, has.partial, wanted.partial) &&
          has.reduction == wanted.reduction)
        option.partialOperands |= uint64_t(1) << index;
    }
  }

  void passPartialInputs(ShardingOption &option) const {
    const Sharding *partial = nullptr;
    uint64_t mask = 0;
    unsigned inputs = 0;
    for (unsigned index = 0; index < table.operands.size(); ++index) {
      if (!table.operands[index].isTensor || table.isInit(index))
        continue;
      ++inputs;
      const Sharding &operand = operands[index];
      if (operand.partial.empty())
        continue;
      if (partial &&
          (!sameButUnitAxes(grid, partial->partial, operand.partial) ||
           partial->reduction != operand.reduction))
        return;
      partial = &operand;
      mask |= uint64_t(1) << index;
    }
    if (!partial)
      return;
    unsigned partials = llvm::popcount(mask);
    bool passes = table.partialRule == PartialRule::Multilinear
                      ? partials == 1
                      : partials == inputs;
    if (table.partialRule != PartialRule::Movement)
      passes &= partial->reduction == ReductionKind::Sum;
    // One kind per value: split reductions must combine in the same way.
    for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops))
      if (loop.kind == LoopKind::Reduction && !axes.empty())
        for (const TensorLoops &result : table.results)
          passes &= result.reduction == partial->reduction;
    for (const AxisList &axes : option.loops)
      for (GridAxis axis : axes)
        passes &= !llvm::is_contained(partial->partial, axis);
    if (!passes)
      return;
    option.partial = partial->partial;
    option.partialKind = partial->reduction;
    option.partialOperands = mask;
  }

  /// Whether no tensor needs a reshard, but for results that are reduced where
  /// they are computed: that is what a result without partial axes asks for.
  bool agrees(const ShardingOption &option) const {
    if (!keeps(option))
      return false;
    for (unsigned index = 0; index < results.size(); ++index) {
      if (!table.results[index].isTensor)
        continue;
      Sharding computed = resultSharding(table, index, option);
      if (results[index].partial.empty())
        computed.partial.clear();
      if (computed != results[index])
        return false;
    }
    return true;
  }

  /// Whether no operand needs a reshard.
  bool keeps(const ShardingOption &option) const {
    return llvm::all_of(llvm::seq<unsigned>(operands.size()),
                        [&](unsigned i) { return keeps(i, option); });
  }
  bool keeps(unsigned operand, const ShardingOption &option) const {
    return !table.operands[operand].isTensor || isFree(operand) ||
           operandSharding(table, operand, option) == operands[operand];
  }

  /// An operand without a sharding is made as the op wants it.
  bool isFree(unsigned operand) const {
    return operands[operand].dims.size() != table.operands[operand].dims.size();
  }

  double price(RankedTensorType type, const Sharding &from,
               const Sharding &to) const {
    if (from == to)
      return 0;
    const Plan *plan = planWithUnknowns(planner, grid, shapeOf(type),
                                        elementBytes(type), from, to);
    return plan ? plan->cost : std::numeric_limits<double>::infinity();
  }

  double bound(RankedTensorType type, const Sharding &from,
               const Sharding &to) const {
    if (from == to || hasUnknownSizes(grid))
      return 0;
    return boundReshardCost(grid, shapeOf(type), elementBytes(type), from, to,
                            planner.costModel());
  }

  using ReshardVisitor =
      llvm::function_ref<void(RankedTensorType type, const Sharding &from,
                              const Sharding &to, double share)>;
  /// Visits each reshard of `option`, with the share that is paid; `planner`: see isCombinedLate.
  void forEachReshard(const ShardingOption &option, Planner *planner,
                      ReshardVisitor visit) const {
    for (unsigned index = 0; index < operands.size(); ++index)
      if (table.operands[index].isTensor && !isFree(index) &&
          !isCombinedLate(table, grid, index, operandTypes[index], option,
                          operands, results, planner))
        visit(operandTypes[index], operands[index],
              operandSharding(table, index, option),
              shares.empty() ? 1 : shares[index]);
    for (unsigned index = 0; index < results.size(); ++index)
      if (table.results[index].isTensor)
        visit(resultTypes[index], resultSharding(table, index, option),
              results[index], 1);
  }

  /// No more than `price`.
  double bound(const ShardingOption &option) const {
    double total = 0;
    forEachReshard(
        option, nullptr,
        [&](RankedTensorType type, const Sharding &from, const Sharding &to,
            double share) { total += share * bound(type, from, to); });
    return total;
  }

  /// What the reshards of `option` cost, and what the op itself exchanges.
  double price(const ShardingOption &option) const {
    double total = 0;
    if (llvm::any_of(table.loops,
                     [](const Loop &loop) { return loop.exchanges > 0; }))
      for (const LoopExchange &made :
           exchangesOf(table, option, resultTypes[0].getElementType()))
        total += made.count * price(made.type, made.from, made.to);
    forEachReshard(option, &planner,
                   [&](RankedTensorType type, const Sharding &from,
                       const Sharding &to, double share) {
                     if (total <= mostToPay())
                       total += share * price(type, from, to);
                   });
    return total;
  }

  /// An option that costs more is not chosen; above the best cost by what sums of
  /// bounds may be rounded up.
  double mostToPay() const {
    return hasBest ? bestCost * (1 + 1e-9)
                   : std::numeric_limits<double>::infinity();
  }

  /// Into how many parts an option cuts the iterations, and for how many devices: a loop
  /// has no more parts than iterations.
  struct Parallelism {
    int64_t parts = 1, devices = 1;
  };
  Parallelism parallelism(const ShardingOption &option) const {
    Parallelism result;
    for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops)) {
      int64_t size = grid.groupSize(axes);
      // Unknown sizes count as two.
      if (ShapedType::isDynamic(size))
        size = 2;
      result.devices *= size;
      result.parts *= ShapedType::isDynamic(loop.extent)
                          ? size
                          : std::min(size, std::max<int64_t>(loop.extent, 1));
    }
    return result;
  }

  /// An option that may be chosen: of those that cost the same, that which splits
  /// into the most parts, then that with the fewest devices for them, then the first.
  struct Listed {
    ShardingOption option;
    double bound;
    Parallelism parallel;
    size_t number;
  };

  /// Makes `listed` the best option if it is better.
  void compare(const Listed &listed) {
    double cost = price(listed.option);
    const Parallelism &own = listed.parallel;
    if (hasBest &&
        std::tie(cost, bestParallel.parts, own.devices, listed.number) >=
            std::tie(bestCost, own.parts, bestParallel.devices, bestNumber))
      return;
    best = listed.option;
    bestCost = cost;
    bestParallel = own;
    bestNumber = listed.number;
    hasBest = true;
  }

  /// Lists the option, and that with the bounds that operands have.
  void list(const ShardingOption &option) {
    if (std::optional<ShardingOption> own =
            withBounds(table, grid, operands, option))
      listOne(*own);
    listOne(option);
  }

  void listOne(const ShardingOption &option) {
    if (isValidOption(table, grid, option) &&
        (!operandsAreKept || keeps(option)) &&
        (!keptOperand || keeps(*keptOperand, option)))
      options.push_back(
          {option, bound(option), parallelism(option), numListed++});
  }

  /// Lists the option with partial operands passed through and that with them reduced first.
  void listBoth(ShardingOption option) {
    passPartial(option);
    list(option);
    if (option.partialOperands == 0)
      return;
    option.partial.clear();
    option.partialOperands = 0;
    list(option);
  }

  /// Chooses among what is listed. Few options are priced, since most cost more at
  /// least than the best one does: a price needs plans, a bound only arithmetic.
  void chooseListed() {
    llvm::sort(options, [](const Listed &a, const Listed &b) {
      return std::tie(a.bound, a.number) < std::tie(b.bound, b.number);
    });
    for (const Listed &listed : options) {
      if (listed.bound > mostToPay())
        break;
      compare(listed);
    }
    options.clear();
  }

  void consider(const ShardingOption &option) {
    listBoth(option);
    chooseListed();
  }

  void enumerate(ShardingOption &option, size_t loop) {
    if (loop == candidates.lists.size())
      return listBoth(option);
    for (const AxisList &axes : candidates.lists[loop]) {
      option.loops[loop] = axes;
      enumerate(option, loop + 1);
    }
    option.loops[loop].clear();
  }

  /// Settles one loop after the other.
  void descend() {
    for (int round = 0; round < settlingRounds; ++round)
      for (size_t loop = 0; loop < candidates.lists.size(); ++loop) {
        ShardingOption option;
        option.loops = best.loops;
        option.loops.resize(table.loops.size());
        for (const AxisList &axes : candidates.lists[loop]) {
          option.loops[loop] = axes;
          consider(option);
        }
      }
  }

  const LoopTable &table;
  const Grid &grid;
  ArrayRef<RankedTensorType> operandTypes, resultTypes;
  ArrayRef<Sharding> operands, results;
  ArrayRef<double> shares;
  Planner &planner;
  OptionCandidates candidates;
  ShardingOption best;
  double bestCost = 0;
  Parallelism bestParallel;
  size_t bestNumber = 0, numListed = 0;
  std::vector<Listed> options;
  bool hasBest = false, operandsAreKept = false;
  std::optional<unsigned> keptOperand;
};

} // namespace

bool decidesOption(Operation *op, const LoopTable &table, const Grid &grid,
                   llvm::function_ref<Sharding(unsigned)> operand,
                   llvm::function_ref<Sharding(unsigned)> result) {
  if (!table.decidesOption)
    return false;
  std::optional<ShardingOption> own =
      cast<ShardingInterface>(op).getShardingOption(grid, operand, result);
  return own && isValidOption(table, grid, *own);
}

namespace {

/// The ranked tensors among `types`, null for the others.
SmallVector<RankedTensorType> tensorTypes(TypeRange types) {
  SmallVector<RankedTensorType> tensors;
  for (Type type : types)
    tensors.push_back(dyn_cast<RankedTensorType>(type));
  return tensors;
}

std::optional<ShardingOption>
searchOption(Operation *op, const LoopTable &table, const Grid &grid,
             ArrayRef<Sharding> operands, ArrayRef<Sharding> results,
             Planner &planner, bool keepOperands,
             ArrayRef<double> shares = {}) {
  bool hasStaticResults = llvm::all_of(op->getResultTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  });
  if (std::optional<ShardingOption> option =
          optionOfLayout(table, grid, operands, results, hasStaticResults))
    return option;
  SmallVector<RankedTensorType> operandTypes =
                                    tensorTypes(op->getOperandTypes()),
                                resultTypes = tensorTypes(op->getResultTypes());
  OptionSearch search(table, grid, operandTypes, resultTypes, operands, results,
                      planner);
  if (table.decidesOption)
    if (std::optional<ShardingOption> own =
            cast<ShardingInterface>(op).getShardingOption(
                grid, [&](unsigned index) { return operands[index]; },
                [&](unsigned index) { return results[index]; }))
      if (std::optional<ShardingOption> option =
              search.withLoops(std::move(*own)))
        return option;
  search.payShares(shares);
  if (keepOperands)
    search.keepOperands();
  return search.run();
}

} // namespace

ShardingOption chooseOption(Operation *op, const LoopTable &table,
                            const Grid &grid, ArrayRef<Sharding> operands,
                            ArrayRef<Sharding> results, Planner &planner,
                            ArrayRef<double> shares) {
  std::optional<ShardingOption> option =
      searchOption(op, table, grid, operands, results, planner, false, shares);
  assert(option && "the option that splits nothing is always there");
  return *option;
}

std::optional<ShardingOption>
optionOfOperands(Operation *op, const LoopTable &table, const Grid &grid,
                 ArrayRef<Sharding> operands, ArrayRef<Sharding> results,
                 Planner &planner) {
  return searchOption(op, table, grid, operands, results, planner, true);
}

std::vector<OtherOption> otherOptions(Operation *op, const LoopTable &table,
                                      const Grid &grid,
                                      ArrayRef<Sharding> operands,
                                      ArrayRef<Sharding> results,
                                      Planner &planner) {
  SmallVector<RankedTensorType> operandTypes =
                                    tensorTypes(op->getOperandTypes()),
                                resultTypes = tensorTypes(op->getResultTypes());
  std::vector<OtherOption> others;
  auto add = [&](std::optional<unsigned> kept, ShardingOption option) {
    for (const OtherOption &other : others)
      if (other.option == option)
        return;
    others.push_back({kept, std::move(option)});
  };
  for (unsigned index = 0; index < operands.size(); ++index) {
    if (!table.operands[index].isTensor || operands[index].isReplicated())
      continue;
    OptionSearch search(table, grid, operandTypes, resultTypes, operands,
                        results, planner);
    search.keepOperand(index);
    if (std::optional<ShardingOption> option = search.run())
      add(index, std::move(*option));
  }
  ShardingOption none;
  none.loops.resize(table.loops.size());
  if (isValidOption(table, grid, none))
    add(std::nullopt, std::move(none));
  return others;
}

} // namespace shard
