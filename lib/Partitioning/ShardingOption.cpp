//===- ShardingOption.cpp - Which loops of an op to split -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/ShardingOption.h"

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/Emitter.h"

#include <limits>

using namespace mlir;

namespace shard {

namespace {

/// More combinations than this are not enumerated; loops are then settled one
/// after the other. Bounds the work per op.
constexpr int64_t maxCombinations = 256;

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
        planner(planner), candidates(table.loops.size()) {}

  /// The loops are split as `option` says; partial operands pass where the op lets them.
  std::optional<ShardingOption> withLoops(ShardingOption option) {
    option.partial.clear();
    option.partialOperands = 0;
    if (!isValidOption(table, grid, option))
      return std::nullopt;
    consider(option);
    return best;
  }

  /// Considers only options under which no operand is resharded.
  void keepOperands() { operandsAreKept = true; }

  /// The best option; nothing if none is left.
  std::optional<ShardingOption> run() {
    collectCandidates();
    if (std::optional<ShardingOption> natural = agreeingOption())
      return natural;
    proposePartial();
    if (std::optional<ShardingOption> natural = agreeingOption())
      return natural;
    ShardingOption none;
    none.loops.resize(table.loops.size());
    consider(none);
    for (auto &loop : candidates)
      addPrefixes(loop);
    int64_t combinations = 1;
    for (auto &loop : candidates)
      combinations =
          std::min<int64_t>(combinations * loop.size(), maxCombinations + 1);
    if (!table.results.empty())
      proposeFree(combinations);
    if (combinations <= maxCombinations)
      enumerate(none, 0);
    else
      descend();
    return hasBest ? std::optional(best) : std::nullopt;
  }

private:
  void collectCandidates() {
    SmallVector<AxisList> proposals;
    auto propose = [&](const TensorLoops &tensor, const Sharding &sharding) {
      if (!tensor.isTensor || sharding.dims.size() != tensor.dims.size())
        return;
      projectToLoops(table, tensor, grid, sharding, proposals);
      for (auto [loop, axes] : llvm::zip_equal(candidates, proposals))
        if (!axes.empty() && !llvm::is_contained(loop, axes))
          loop.push_back(axes);
    };
    for (auto [tensor, sharding] : llvm::zip_equal(table.operands, operands))
      propose(tensor, sharding);
    for (auto [tensor, sharding] : llvm::zip_equal(table.results, results))
      propose(tensor, sharding);
  }

  /// A result that is wanted partial proposes its partial axes to each reduction
  /// loop of its kind, alone and behind what operands propose: its summands are
  /// computed on the devices then, and not the whole result on all of them. A loop that
  /// is shorter than the number of parts is not proposed to.
  void proposePartial() {
    if (results.size() != 1 || results[0].partial.empty() ||
        table.results[0].reduction != results[0].reduction)
      return;
    for (auto [loop, axes] : llvm::zip_equal(table.loops, candidates)) {
      if (loop.kind != LoopKind::Reduction)
        continue;
      SmallVector<AxisList, 2> bases(axes);
      bases.emplace_back();
      for (AxisList list : bases) {
        for (GridAxis axis : results[0].partial)
          if (!llvm::is_contained(list, axis))
            list.push_back(axis);
        int64_t parts = grid.groupSize(list);
        if (!ShapedType::isDynamic(loop.extent) &&
            !ShapedType::isDynamic(parts) && parts > loop.extent)
          continue;
        if (!llvm::is_contained(axes, list))
          axes.push_back(std::move(list));
      }
    }
  }

  /// Proposes axes that tensors of a contraction have on a loop that sums up and on one
  /// of the result to the loops of the result that lie further out, if nothing else
  /// splits these and the parts are equal. Gathering the smaller operand and moving the
  /// blocks of the larger one can send less than gathering the larger one. An axis of
  /// the outermost loop, such as that of a batch, stays there. Halos have no price here:
  /// loops of windows get nothing.
  void proposeFree(int64_t &combinations) {
    auto hasWindows = [](const TensorLoops &tensor) {
      return !tensor.windows.empty();
    };
    if (llvm::any_of(table.operands, hasWindows))
      return;
    auto loopsWith = [&](const AxisList &axes) {
      return llvm::count_if(candidates, [&](const auto &lists) {
        return llvm::is_contained(lists, axes);
      });
    };
    SmallVector<AxisList, 2> contested;
    for (auto [loop, lists] : llvm::zip_equal(table.loops, candidates))
      if (loop.kind == LoopKind::Reduction)
        for (const AxisList &axes : lists)
          if (!axes.empty() && loopsWith(axes) > 1)
            contested.push_back(axes);
    for (const AxisList &axes : contested)
      for (const DimLoops &dim : table.results[0].dims) {
        if (dim.size() != 1)
          continue;
        auto &lists = candidates[dim[0]];
        if (llvm::is_contained(lists, axes))
          break;
        int64_t extent = table.loops[dim[0]].extent;
        int64_t parts = grid.groupSize(axes);
        if (lists.size() > 1 || !lists[0].empty() ||
            ShapedType::isDynamic(extent) || ShapedType::isDynamic(parts) ||
            extent % parts != 0 || combinations * 2 > maxCombinations)
          continue;
        lists.push_back(axes);
        combinations *= 2;
      }
  }

  ShardingOption longestOption() const {
    ShardingOption option;
    option.loops.resize(table.loops.size());
    for (auto [axes, loop] : llvm::zip_equal(option.loops, candidates))
      for (const AxisList &candidate : loop)
        if (candidate.size() > axes.size())
          axes = candidate;
    return option;
  }

  /// The option that takes the longest list of each loop, if it needs no reshard.
  std::optional<ShardingOption> agreeingOption() const {
    ShardingOption option = longestOption();
    passPartial(option);
    if (isValidOption(table, grid, option) && agrees(option))
      return option;
    return std::nullopt;
  }

  static void addPrefixes(SmallVectorImpl<AxisList> &loop) {
    SmallVector<AxisList> all(loop.begin(), loop.end());
    for (const AxisList &axes : loop)
      for (size_t length = axes.size(); length-- > 0;) {
        AxisList prefix(axes.begin(), axes.begin() + length);
        if (!llvm::is_contained(all, prefix))
          all.push_back(prefix);
      }
    if (all.empty())
      all.emplace_back();
    loop.assign(all.begin(), all.end());
  }

  /// Lets partial operands through where the op's rule allows it.
  void passPartial(ShardingOption &option) const {
    option.partial.clear();
    option.partialOperands = 0;
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
      if (!wanted.partial.empty() &&
          operands[index].partial == wanted.partial &&
          operands[index].reduction == wanted.reduction)
        option.partialOperands |= uint64_t(1) << index;
    }
  }

  void passPartialInputs(ShardingOption &option) const {
    const Sharding *partial = nullptr;
    uint64_t mask = 0;
    unsigned inputs = 0, partials = 0;
    for (unsigned index = 0; index < table.operands.size(); ++index) {
      if (!table.operands[index].isTensor || table.isInit(index))
        continue;
      ++inputs;
      const Sharding &operand = operands[index];
      if (operand.partial.empty())
        continue;
      if (partial && (partial->partial != operand.partial ||
                      partial->reduction != operand.reduction))
        return;
      partial = &operand;
      mask |= uint64_t(1) << index;
      ++partials;
    }
    if (!partial)
      return;
    bool isSum = partial->reduction == ReductionKind::Sum;
    bool passes = false;
    switch (table.partialRule) {
    case PartialRule::None:
      break;
    case PartialRule::Movement:
      passes = partials == inputs;
      break;
    case PartialRule::Additive:
      passes = isSum && partials == inputs;
      break;
    case PartialRule::Multilinear:
      passes = isSum && partials == 1;
      break;
    }
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
    for (unsigned index = 0; index < operands.size(); ++index)
      if (table.operands[index].isTensor && !isFree(index) &&
          operandSharding(table, index, option) != operands[index])
        return false;
    return true;
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

  double price(const ShardingOption &option) const {
    double total = 0;
    for (unsigned index = 0; index < operands.size(); ++index)
      if (table.operands[index].isTensor && !isFree(index))
        total += price(operandTypes[index], operands[index],
                       operandSharding(table, index, option));
    for (unsigned index = 0; index < results.size(); ++index)
      if (table.results[index].isTensor)
        total += price(resultTypes[index], resultSharding(table, index, option),
                       results[index]);
    return total;
  }

  int64_t parallelism(const ShardingOption &option) const {
    int64_t parts = 1;
    for (const AxisList &axes : option.loops) {
      int64_t size = grid.groupSize(axes);
      // Unknown sizes count as two.
      parts *= ShapedType::isDynamic(size) ? 2 : size;
    }
    return parts;
  }

  void considerExactly(const ShardingOption &option) {
    if (!isValidOption(table, grid, option) ||
        (operandsAreKept && !keeps(option)))
      return;
    double cost = price(option);
    int64_t parts = parallelism(option);
    if (hasBest &&
        (cost > bestCost || (cost == bestCost && parts <= bestParts)))
      return;
    best = option;
    bestCost = cost;
    bestParts = parts;
    hasBest = true;
  }

  /// Both with partial operands passed through and with them reduced first.
  void consider(ShardingOption option) {
    passPartial(option);
    considerExactly(option);
    if (option.partialOperands == 0)
      return;
    option.partial.clear();
    option.partialOperands = 0;
    considerExactly(option);
  }

  void enumerate(ShardingOption &option, size_t loop) {
    if (loop == candidates.size())
      return consider(option);
    for (const AxisList &axes : candidates[loop]) {
      option.loops[loop] = axes;
      enumerate(option, loop + 1);
    }
    option.loops[loop].clear();
  }

  /// Settles one loop after the other.
  void descend() {
    for (int round = 0; round < settlingRounds; ++round)
      for (size_t loop = 0; loop < candidates.size(); ++loop) {
        ShardingOption option = best;
        option.loops.resize(table.loops.size());
        for (const AxisList &axes : candidates[loop]) {
          option.loops[loop] = axes;
          consider(option);
        }
      }
  }

  const LoopTable &table;
  const Grid &grid;
  ArrayRef<RankedTensorType> operandTypes, resultTypes;
  ArrayRef<Sharding> operands, results;
  Planner &planner;
  /// Per loop: axis lists, in the order in which tensors propose them.
  SmallVector<SmallVector<AxisList, 2>, 4> candidates;
  ShardingOption best;
  double bestCost = 0;
  int64_t bestParts = 0;
  bool hasBest = false;
  bool operandsAreKept = false;
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

/// The option of a pointwise op whose tensors all have one layout with halos or
/// offsets; operands that are made to order take it.
std::optional<ShardingOption> optionOfLayout(const LoopTable &table,
                                             ArrayRef<Sharding> operands,
                                             ArrayRef<Sharding> results) {
  if (!table.pointwise || results.empty())
    return std::nullopt;
  const Sharding &common = results.front();
  if ((common.halos.empty() && common.offsets.empty()) ||
      !common.partial.empty() ||
      !llvm::all_of(results,
                    [&](const Sharding &own) { return own == common; }))
    return std::nullopt;
  bool takesTensors = false;
  for (auto [tensor, own] : llvm::zip_equal(table.operands, operands)) {
    if (tensor.isTensor && !own.dims.empty() && own != common)
      return std::nullopt;
    takesTensors |= tensor.isTensor;
  }
  // What is made of nothing has static extents, which blocks by offsets do not.
  if (!takesTensors && !common.offsets.empty())
    return std::nullopt;
  ShardingOption option;
  option.loops.assign(common.dims.begin(), common.dims.end());
  option.halos = common.halos;
  option.offsets = common.offsets;
  return option;
}

std::optional<ShardingOption>
searchOption(Operation *op, const LoopTable &table, const Grid &grid,
             ArrayRef<Sharding> operands, ArrayRef<Sharding> results,
             Planner &planner, bool keepOperands) {
  if (std::optional<ShardingOption> option =
          optionOfLayout(table, operands, results))
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
  if (keepOperands)
    search.keepOperands();
  return search.run();
}

} // namespace

ShardingOption chooseOption(Operation *op, const LoopTable &table,
                            const Grid &grid, ArrayRef<Sharding> operands,
                            ArrayRef<Sharding> results, Planner &planner) {
  std::optional<ShardingOption> option =
      searchOption(op, table, grid, operands, results, planner, false);
  assert(option && "the option that splits nothing is always there");
  return *option;
}

std::optional<ShardingOption>
optionOfOperands(Operation *op, const LoopTable &table, const Grid &grid,
                 ArrayRef<Sharding> operands, ArrayRef<Sharding> results,
                 Planner &planner) {
  return searchOption(op, table, grid, operands, results, planner, true);
}

} // namespace shard
