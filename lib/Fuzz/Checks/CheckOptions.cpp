//===- CheckOptions.cpp - Which loops of an op are split ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that is split badly is right, and sends more than it must. So what is chosen for the
// loops of an op is compared with all that may be chosen: each axis splits one loop, or none,
// and partial operands pass or are reduced first.
//
//===----------------------------------------------------------------------===//

#include "CheckOptions.h"

#include "CheckMoves.h"

#include "shard/Fuzz/Random.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/Emitter.h"
#include "shard/Partitioning/ShardingOption.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <limits>
#include <set>

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

/// Ops with more loops have too many options.
static constexpr size_t kMostLoops = 5;
/// chooseOption tries up to twice as many combinations of lists of axes; it settles one loop after
/// the other where there are more.
static constexpr size_t kMostCombinations = 128;
/// Of so many ops of a program options are compared.
static constexpr int64_t kMostOps = 3;
/// Sums of costs are equal up to this.
static constexpr double kRounding = 1e-9;

namespace {

/// One op with shardings of its tensors, and all its options.
class OptionOracle {
public:
  OptionOracle(Operation *op, const Grid &grid, Random &rng);
  /// What is wrong with what is chosen.
  std::string compare();

private:
  Sharding randomSharding(size_t rank, bool mayBePartial);
  void enumerate(ArrayRef<GridAxis> order, size_t axis, ShardingOption &option);
  void addBoth(ShardingOption option);
  bool passPartial(ShardingOption &option) const;
  double price(const ShardingOption &option);
  double price(Type type, const Sharding &from, const Sharding &to);
  bool joinsLate(const ShardingOption &option, unsigned operand);
  int64_t partsOf(const ShardingOption &option) const;
  void propose();
  bool isProposed(const ShardingOption &option) const;
  bool keeps(const ShardingOption &option, unsigned operand) const;
  bool keepsAll(const ShardingOption &option) const;
  bool agrees(const ShardingOption &option) const;
  std::string compare(StringRef what, const ShardingOption *chosen,
                      llvm::function_ref<bool(const ShardingOption &)> fits);
  std::string compareOthers();
  std::string describe(const ShardingOption &option) const;

  Operation *op;
  LoopTable table;
  const Grid &grid;
  Random &rng;
  LinkCostModel costs;
  Planner planner;
  std::vector<Sharding> operands, results;
  /// By loop.
  std::vector<std::set<std::vector<GridAxis>>> prefixes;
  std::vector<double> shares;
  std::set<std::vector<std::vector<GridAxis>>> seen;
  std::vector<ShardingOption> options;
};

} // namespace

OptionOracle::OptionOracle(Operation *op, const Grid &grid, Random &rng)
    : op(op), table(buildLoopTable(op)), grid(grid), rng(rng), planner(costs) {
  for (auto [index, tensor] : llvm::enumerate(table.operands)) {
    // What is made for the op has no sharding.
    bool isFree = !tensor.isTensor || (table.isInit(index) && rng.chance(50));
    operands.push_back(
        isFree ? Sharding()
               : randomSharding(tensor.dims.size(), !table.isInit(index)));
    shares.push_back(rng.chance(70) ? 1 : 1.0 / double(rng.between(2, 4)));
  }
  for (const TensorLoops &tensor : table.results) {
    results.push_back(randomSharding(tensor.dims.size(), false));
    if (!tensor.isTensor)
      results.back() = Sharding();
  }
}

Sharding OptionOracle::randomSharding(size_t rank, bool mayBePartial) {
  Sharding sharding = Sharding::replicated(rank);
  std::vector<GridAxis> axes;
  for (size_t axis = 0; axis < grid.shape.size(); ++axis)
    axes.push_back(static_cast<GridAxis>(axis));
  rng.shuffle(axes);
  mayBePartial &= rng.chance(30);
  if (rng.chance(20))
    sharding.reduction = ReductionKind::Max;
  for (GridAxis axis : axes)
    if (mayBePartial && rng.chance(50))
      sharding.partial.push_back(axis);
    else if (rank > 0 && rng.chance(70))
      sharding.dims[rng.between(0, int64_t(rank) - 1)].push_back(axis);
  if (sharding.partial.empty())
    sharding.reduction = ReductionKind::Sum;
  llvm::sort(sharding.partial);
  return sharding;
}

double OptionOracle::price(Type type, const Sharding &from,
                           const Sharding &to) {
  auto tensor = cast<RankedTensorType>(type);
  if (from == to)
    return 0;
  const Plan *plan = planWithUnknowns(planner, grid, shapeOf(tensor),
                                      elementBytes(tensor), from, to);
  return plan ? plan->cost : std::numeric_limits<double>::infinity();
}

/// Whether the op may start from nothing instead of `operand`, because it has the blocks that
/// nothing but reduce_scatters make of the sum: they can be added up behind.
bool OptionOracle::joinsLate(const ShardingOption &option, unsigned operand) {
  if (!table.isInit(operand) || option.partialOperands)
    return false;
  unsigned result = operand - table.firstInit;
  auto type = cast<RankedTensorType>(op->getResult(result).getType());
  if (operands[operand] != results[result] ||
      !type.getElementType().isIntOrIndexOrFloat())
    return false;
  for (auto [axes, extent] :
       llvm::zip_equal(results[result].dims, type.getShape()))
    if (extent % grid.groupSize(axes) != 0)
      return false;
  Sharding sum = resultSharding(table, result, option);
  const Plan *plan =
      sum.partial.empty()
          ? nullptr
          : planWithUnknowns(planner, grid, shapeOf(type), elementBytes(type),
                             sum, results[result]);
  return plan && !plan->steps.empty() &&
         llvm::all_of(plan->steps, [](const Step &step) {
           return step.kind == Step::Kind::ReduceScatter;
         });
}

double OptionOracle::price(const ShardingOption &option) {
  double total = 0;
  for (unsigned i = 0; i < operands.size(); ++i)
    if (!operands[i].dims.empty() || table.operands[i].dims.empty())
      if (table.operands[i].isTensor && !joinsLate(option, i))
        total += shares[i] * price(op->getOperand(i).getType(), operands[i],
                                   operandSharding(table, i, option));
  for (unsigned i = 0; i < results.size(); ++i)
    if (table.results[i].isTensor)
      total += price(op->getResult(i).getType(),
                     resultSharding(table, i, option), results[i]);
  for (const LoopExchange &made : exchangesOf(
           table, option, getElementTypeOrSelf(op->getResult(0).getType())))
    total += made.count * price(made.type, made.from, made.to);
  return total;
}

int64_t OptionOracle::partsOf(const ShardingOption &option) const {
  int64_t parts = 1;
  for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops))
    parts *= std::min(grid.groupSize(axes), std::max<int64_t>(loop.extent, 1));
  return parts;
}

/// Writes down the first axes, and fewer of them, that each tensor has for each loop.
void OptionOracle::propose() {
  prefixes.assign(table.loops.size(), {{}});
  SmallVector<AxisList> proposed;
  auto add = [&](const TensorLoops &tensor, const Sharding &sharding) {
    if (!tensor.isTensor || sharding.dims.size() != tensor.dims.size())
      return;
    projectToLoops(table, tensor, grid, sharding, proposed);
    for (auto [lists, axes] : llvm::zip_equal(prefixes, proposed))
      for (size_t length = 1; length <= axes.size(); ++length)
        lists.emplace(axes.begin(), axes.begin() + length);
  };
  for (unsigned i = 0; i < operands.size(); ++i)
    add(table.operands[i], operands[i]);
  for (unsigned i = 0; i < results.size(); ++i)
    add(table.results[i], results[i]);
}

/// Whether the axes of each loop are the first ones that a tensor has for it.
bool OptionOracle::isProposed(const ShardingOption &option) const {
  return llvm::all_of(llvm::zip_equal(prefixes, option.loops), [](auto pair) {
    const auto &[lists, axes] = pair;
    return lists.count({axes.begin(), axes.end()}) > 0;
  });
}

bool OptionOracle::keeps(const ShardingOption &option, unsigned operand) const {
  return !table.operands[operand].isTensor ||
         operands[operand].dims.size() != table.operands[operand].dims.size() ||
         operandSharding(table, operand, option) == operands[operand];
}

bool OptionOracle::keepsAll(const ShardingOption &option) const {
  return llvm::all_of(llvm::seq<unsigned>(0, operands.size()),
                      [&](unsigned i) { return keeps(option, i); });
}

/// Nothing is sent but to complete sums.
bool OptionOracle::agrees(const ShardingOption &option) const {
  if (!keepsAll(option))
    return false;
  for (unsigned i = 0; i < results.size(); ++i) {
    Sharding computed = resultSharding(table, i, option);
    computed.partial = results[i].partial;
    if (table.results[i].isTensor && computed.dims != results[i].dims)
      return false;
  }
  return true;
}

/// Lets partial operands through as the rule of the op says; whether there are any.
bool OptionOracle::passPartial(ShardingOption &option) const {
  unsigned inputs = 0, partials = 0;
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (!table.operands[i].isTensor || table.isInit(i))
      continue;
    ++inputs;
    if (operands[i].partial.empty())
      continue;
    if (partials++ > 0 && (option.partial != operands[i].partial ||
                           option.partialKind != operands[i].reduction))
      return false;
    option.partial = operands[i].partial;
    option.partialKind = operands[i].reduction;
    option.partialOperands |= uint64_t(1) << i;
  }
  bool isSum = option.partialKind == ReductionKind::Sum;
  bool passes =
      partials > 0 &&
      ((table.partialRule == PartialRule::Movement && partials == inputs) ||
       (table.partialRule == PartialRule::Additive && isSum &&
        partials == inputs) ||
       (table.partialRule == PartialRule::Multilinear && isSum &&
        partials == 1));
  for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops)) {
    for (GridAxis axis : axes)
      passes &= !llvm::is_contained(option.partial, axis);
    if (loop.kind == LoopKind::Reduction && !axes.empty())
      for (const TensorLoops &result : table.results)
        passes &= result.reduction == option.partialKind;
  }
  return passes;
}

void OptionOracle::addBoth(ShardingOption option) {
  std::vector<std::vector<GridAxis>> key;
  for (const AxisList &axes : option.loops)
    key.emplace_back(axes.begin(), axes.end());
  if (!seen.insert(key).second)
    return;
  if (!isProposed(option))
    return;
  for (bool passes : {false, true})
    if ((!passes || passPartial(option)) && isValidOption(table, grid, option))
      options.push_back(option);
}

/// Lets each of the axes from number `axis` of `order` on split a loop, or none.
void OptionOracle::enumerate(ArrayRef<GridAxis> order, size_t axis,
                             ShardingOption &option) {
  if (axis == order.size())
    return addBoth(option);
  enumerate(order, axis + 1, option);
  for (AxisList &axes : option.loops) {
    axes.push_back(order[axis]);
    enumerate(order, axis + 1, option);
    axes.pop_back();
  }
}

std::string OptionOracle::describe(const ShardingOption &option) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "loops";
  for (const AxisList &axes : option.loops) {
    os << " [";
    llvm::interleaveComma(axes, os, [&](GridAxis axis) { os << int(axis); });
    os << "]";
  }
  if (option.partialOperands)
    os << " partial";
  return text;
}

/// Compares the option `chosen`, if there is one, with those that fit: it costs no more, and
/// cuts the iterations into no fewer parts than one that costs the same. Sums of shares are
/// rounded, so that it may also cost less by the last bits.
std::string
OptionOracle::compare(StringRef what, const ShardingOption *chosen,
                      llvm::function_ref<bool(const ShardingOption &)> fits) {
  const ShardingOption *best = nullptr;
  double least = 0;
  for (const ShardingOption &other : options) {
    double cost = fits(other) ? price(other) : 0;
    if (!fits(other) || (best && cost > least * (1 + kRounding)) ||
        (best && cost >= least * (1 - kRounding) &&
         partsOf(other) <= partsOf(*best)))
      continue;
    best = &other;
    least = cost;
  }
  double cost = chosen ? price(*chosen) : 0;
  // Lists of axes of several tensors may be joined in ways that are not tried.
  if (!best || (chosen && fits(*chosen) && cost <= least * (1 + kRounding) &&
                (cost < least || partsOf(*chosen) >= partsOf(*best))))
    return {};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << what << " takes " << (chosen ? describe(*chosen) : "nothing");
  if (chosen)
    os << " for " << cost;
  if (best)
    os << " instead of " << describe(*best) << " for " << least;
  os << ": " << op->getName() << " from";
  for (const Sharding &operand : operands)
    os << " " << toString(operand);
  os << " to";
  for (const Sharding &result : results)
    os << " " << toString(result);
  os << " on a grid of";
  for (int64_t size : grid.shape)
    os << " " << size;
  return text;
}

std::string OptionOracle::compare() {
  propose();
  size_t combinations = 1;
  for (const auto &lists : prefixes)
    combinations *= lists.size();
  if (combinations > kMostCombinations)
    return {};
  std::vector<GridAxis> order;
  for (size_t axis = 0; axis < grid.shape.size(); ++axis)
    order.push_back(static_cast<GridAxis>(axis));
  do {
    ShardingOption none;
    none.loops.resize(table.loops.size());
    enumerate(order, 0, none);
  } while (std::next_permutation(order.begin(), order.end()));
  // What comes as it is wanted is taken so, whatever its sums cost.
  ShardingOption chosen =
      chooseOption(op, table, grid, operands, results, planner, shares);
  std::string wrong;
  if (!agrees(chosen))
    wrong = compare("chooseOption", &chosen,
                    [](const ShardingOption &) { return true; });
  // The others know of no shares.
  shares.assign(operands.size(), 1);
  std::optional<ShardingOption> keeping =
      optionOfOperands(op, table, grid, operands, results, planner);
  if (wrong.empty() && !(keeping && agrees(*keeping)))
    wrong =
        compare("optionOfOperands", keeping ? &*keeping : nullptr,
                [&](const ShardingOption &other) { return keepsAll(other); });
  return wrong.empty() ? compareOthers() : wrong;
}

/// For each operand with a sharding there is the cheapest option that keeps it.
std::string OptionOracle::compareOthers() {
  std::vector<OtherOption> others =
      otherOptions(op, table, grid, operands, results, planner);
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (!table.operands[i].isTensor || operands[i].isReplicated())
      continue;
    auto keepsIt = [&](const ShardingOption &other) { return keeps(other, i); };
    // Equal options are listed once, for the first operand. Of those that cost the same, that
    // with most parts counts.
    const ShardingOption *own = nullptr;
    for (const OtherOption &other : others)
      if (other.kept && keeps(other.option, i) &&
          (!own || std::make_pair(price(other.option), -partsOf(other.option)) <
                       std::make_pair(price(*own), -partsOf(*own))))
        own = &other.option;
    if (own && agrees(*own))
      continue;
    std::string wrong = compare("otherOptions", own, keepsIt);
    if (!wrong.empty())
      return wrong;
  }
  return {};
}

/// The axes of each dimension of a tensor, as an option has them, lead back to its loops.
static std::string checkProjection(Operation *op, const Grid &grid,
                                   Random &rng) {
  LoopTable table = buildLoopTable(op);
  ShardingOption option;
  option.loops.resize(table.loops.size());
  for (size_t axis = 0; axis < grid.shape.size(); ++axis)
    for (int64_t tries = grid.shape[axis] > 1 ? 3 : 0; tries > 0; --tries) {
      AxisList &axes =
          option.loops[rng.between(0, int64_t(table.loops.size()) - 1)];
      axes.push_back(static_cast<GridAxis>(axis));
      if (isValidOption(table, grid, option))
        break;
      axes.pop_back();
    }
  std::string wrong;
  SmallVector<AxisList> found;
  auto compare = [&](const TensorLoops &tensor, const Sharding &sharding) {
    projectToLoops(table, tensor, grid, sharding, found);
    for (const DimLoops &dim : tensor.dims) {
      // One of several digits takes axes that divide it, only.
      bool isEven = llvm::all_of(dim, [&](int32_t loop) {
        return table.loops[loop].extent % grid.groupSize(option.loops[loop]) ==
               0;
      });
      for (int32_t loop : dim)
        if ((isEven || dim.size() == 1) && found[loop] != option.loops[loop])
          wrong =
              "loop " + std::to_string(loop) + " of " +
              op->getName().getStringRef().str() +
              " has other axes than a tensor has for it: " + toString(sharding);
    }
  };
  for (unsigned i = 0; i < table.operands.size(); ++i)
    if (table.operands[i].isTensor)
      compare(table.operands[i], operandSharding(table, i, option));
  for (unsigned i = 0; i < table.results.size(); ++i)
    if (table.results[i].isTensor)
      compare(table.results[i], resultSharding(table, i, option));
  return wrong;
}

/// Whether the options of `op` are compared.
static bool isCompared(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<ShapedType>(type);
    return !tensor || (isa<RankedTensorType>(type) && tensor.hasStaticShape());
  };
  if (!isa<ShardingInterface>(op) || op->hasTrait<OpTrait::IsTerminator>() ||
      op->getNumResults() == 0 ||
      !llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) ||
      !llvm::all_of(op->getResultTypes(), isStatic))
    return false;
  LoopTable table = buildLoopTable(op);
  return !table.loops.empty() && table.loops.size() <= kMostLoops &&
         !table.decidesOption;
}

std::string shard::fuzz::checkOptions(ModuleOp module, uint64_t seed) {
  auto grids = module.getOps<GridOp>();
  if (grids.empty())
    return {};
  FailureOr<Grid> grid = staticGrid(*grids.begin());
  if (failed(grid))
    return {};
  Random rng(seed ^ 0x6f7074696f6e73ull);
  std::vector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isCompared(op))
      ops.push_back(op);
  });
  rng.shuffle(ops);
  std::string wrong;
  for (int64_t i = 0; i < std::min<int64_t>(kMostOps, ops.size()); ++i) {
    if (wrong.empty())
      wrong = OptionOracle(ops[i], *grid, rng).compare();
    if (wrong.empty())
      wrong = checkProjection(ops[i], *grid, rng);
    if (wrong.empty())
      wrong = checkMoves(buildLoopTable(ops[i]), *grid, rng);
    if (!wrong.empty() &&
        !StringRef(wrong).contains(ops[i]->getName().getStringRef()))
      wrong += ", of " + ops[i]->getName().getStringRef().str();
  }
  return wrong;
}
