//===- OptionSearchTest.cpp - Chosen options are the cheapest -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// chooseOption on random loop tables: where all tensors agree, their opinion; else no option
// made of what they propose is cheaper, or as cheap with more parts. The options are
// enumerated here from the words of ShardingOption.h, and priced by the planner.
//
//===----------------------------------------------------------------------===//

#include "../Interfaces/SmallTables.h"

#include "shard/Partitioning/Emitter.h"
#include "shard/Partitioning/ShardingOption.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace shard;
using namespace shard::test;

namespace {

using Options = std::vector<ShardingOption>;

/// An op of a random table, the shardings of its operands, and that of its result.
struct Case {
  LoopTable table;
  Grid grid;
  std::vector<Sharding> operands;
  Sharding result;
  /// How much of the reshard of each operand is paid; empty: all.
  std::vector<double> shares = {};
};

Sharding randomSharding(Random &random, const Grid &grid,
                        const TensorLoops &tensor) {
  Sharding sharding = Sharding::replicated(tensor.dims.size());
  // One more list for the axes of which each device has a summand.
  std::vector<AxisList> lists(sharding.dims.size() + 1);
  placeAxes(random, grid.shape.size(), lists);
  sharding.partial = lists.back();
  llvm::sort(sharding.partial);
  if (!random.oneIn(4))
    sharding.partial.clear();
  else if (!sharding.partial.empty() && random.oneIn(4))
    sharding.reduction = ReductionKind::Max;
  lists.pop_back();
  sharding.dims = lists;
  return sharding;
}

Case randomCase(Random &random) {
  TableKinds kinds;
  kinds.reductions = true;
  kinds.merged = random.oneIn(3);
  Case made;
  made.table = randomTable(random, kinds);
  made.table.uniform = false;
  made.grid.shape =
      random.of<std::vector<int64_t>>({{2}, {4}, {2, 2}, {3, 2}, {2, 3}});
  if (random.oneIn(6) && made.table.loops[0].kind == LoopKind::Parallel)
    made.table.loops[0].exchanges = 1 + random.below(2);
  // Half of the cases are near to one that agrees.
  bool agrees = random.oneIn(2);
  ShardingOption option = randomOption(random, made.table, made.grid);
  agrees &= isValidOption(made.table, made.grid, option);
  auto sharding = [&](const TensorLoops &tensor, const Sharding &agreed) {
    return agrees && !random.oneIn(3)
               ? agreed
               : randomSharding(random, made.grid, tensor);
  };
  for (unsigned index = 0; index < 2; ++index) {
    made.operands.push_back(
        sharding(made.table.operands[index],
                 operandSharding(made.table, index, option)));
    if (random.oneIn(8))
      made.operands.back() = Sharding();
  }
  Sharding computed = resultSharding(made.table, 0, option);
  if (random.oneIn(2))
    computed.partial.clear();
  if (computed.partial.empty())
    computed.reduction = ReductionKind::Sum;
  made.result = sharding(made.table.results[0], computed);
  return made;
}

class Prices {
public:
  Prices(const Case &priced, Planner &planner)
      : made(priced), planner(planner) {}

  bool isFree(unsigned operand) const {
    return made.operands[operand].dims.size() !=
           made.table.operands[operand].dims.size();
  }

  double reshard(const std::vector<int64_t> &shape, const Sharding &from,
                 const Sharding &to) {
    const Plan *plan = planner.plan(made.grid, shape, 4, from, to);
    return plan ? plan->cost : HUGE_VAL;
  }

  double of(const ShardingOption &option) {
    double total = reshard(test::shapeOf(made.table, made.table.results[0]),
                           resultSharding(made.table, 0, option), made.result);
    for (unsigned index = 0; index < 2; ++index)
      if (!isFree(index))
        total += (made.shares.empty() ? 1 : made.shares[index]) *
                 reshard(test::shapeOf(made.table, made.table.operands[index]),
                         made.operands[index],
                         operandSharding(made.table, index, option));
    return total + exchanges(option);
  }

  /// All_reduces of tensors with an element for each iteration of the other loops.
  double exchanges(const ShardingOption &option) {
    double total = 0;
    for (size_t split = 0; split < made.table.loops.size(); ++split) {
      if (option.loops[split].empty() || !made.table.loops[split].exchanges)
        continue;
      std::vector<int64_t> shape;
      Sharding sum, whole;
      for (size_t loop = 0; loop < made.table.loops.size(); ++loop)
        if (loop != split) {
          shape.push_back(made.table.loops[loop].extent);
          whole.dims.push_back(option.loops[loop]);
        }
      sum = whole;
      sum.partial = option.loops[split];
      total += made.table.loops[split].exchanges * reshard(shape, sum, whole);
    }
    return total;
  }

  /// Whether the operand is not resharded.
  bool keeps(const ShardingOption &option, unsigned operand) const {
    return isFree(operand) || operandSharding(made.table, operand, option) ==
                                  made.operands[operand];
  }
  /// Whether nothing is resharded, but for sums that are completed.
  bool agrees(const ShardingOption &option) const {
    if (!keeps(option, 0) || !keeps(option, 1))
      return false;
    Sharding computed = resultSharding(made.table, 0, option);
    if (made.result.partial.empty())
      computed.partial.clear();
    return computed == made.result;
  }

private:
  const Case &made;
  Planner &planner;
};

/// What each loop may be split by: what a tensor says, and the beginnings of that.
std::vector<std::vector<AxisList>> proposals(const Case &made) {
  std::vector<std::vector<AxisList>> lists(made.table.loops.size());
  auto propose = [&](const TensorLoops &tensor, const Sharding &sharding) {
    if (sharding.dims.size() != tensor.dims.size())
      return;
    SmallVector<AxisList> loops;
    projectToLoops(made.table, tensor, made.grid, sharding, loops);
    for (auto [list, axes] : llvm::zip_equal(lists, loops))
      for (size_t length = 0; length <= axes.size(); ++length) {
        AxisList prefix(axes.begin(), axes.begin() + length);
        if (!llvm::is_contained(list, prefix))
          list.push_back(prefix);
      }
  };
  for (unsigned index = 0; index < 2; ++index)
    propose(made.table.operands[index], made.operands[index]);
  propose(made.table.results[0], made.result);
  for (std::vector<AxisList> &list : lists)
    if (list.empty())
      list.emplace_back();
  return lists;
}

/// The operands that stay partial under `option` as the rule of the table allows it: none or
/// all that are partial.
std::optional<ShardingOption> passing(const Case &made, ShardingOption option) {
  unsigned partials = 0, inputs = 0;
  const Sharding *partial = nullptr;
  for (unsigned index = 0; index < 2; ++index) {
    ++inputs;
    const Sharding &own = made.operands[index];
    if (own.partial.empty())
      continue;
    if (partial && (partial->partial != own.partial ||
                    partial->reduction != own.reduction))
      return std::nullopt;
    partial = &own;
    ++partials;
    option.partialOperands |= uint64_t(1) << index;
  }
  bool isSum = partial && partial->reduction == ReductionKind::Sum;
  PartialRule rule = made.table.partialRule;
  bool allowed =
      partial &&
      ((rule == PartialRule::Movement && partials == inputs) ||
       (rule == PartialRule::Additive && isSum && partials == inputs) ||
       (rule == PartialRule::Multilinear && isSum && partials == 1));
  if (!allowed)
    return std::nullopt;
  option.partial = partial->partial;
  option.partialKind = partial->reduction;
  // One kind for one value.
  for (auto [loop, axes] : llvm::zip_equal(made.table.loops, option.loops))
    if (loop.kind == LoopKind::Reduction && !axes.empty() && !isSum)
      return std::nullopt;
  return option;
}

Options allOptions(const Case &made) {
  Options options;
  std::vector<std::vector<AxisList>> lists = proposals(made);
  ShardingOption option;
  option.loops.resize(lists.size());
  std::function<void(size_t)> visit = [&](size_t loop) {
    if (loop < lists.size()) {
      for (const AxisList &axes : lists[loop]) {
        option.loops[loop] = axes;
        visit(loop + 1);
      }
      return;
    }
    std::vector<std::optional<ShardingOption>> both{option,
                                                    passing(made, option)};
    for (const std::optional<ShardingOption> &one : both)
      if (one && isValidOption(made.table, made.grid, *one))
        options.push_back(*one);
  };
  visit(0);
  return options;
}

/// Into how many parts the iterations are cut; a loop has no more parts than iterations.
int64_t partsOf(const Case &made, const ShardingOption &option) {
  int64_t parts = 1;
  for (auto [loop, axes] : llvm::zip_equal(made.table.loops, option.loops))
    parts *= std::min(made.grid.groupSize(axes), loop.extent);
  return parts;
}

std::string describe(const ShardingOption &option) {
  Sharding loops, partial;
  loops.dims.assign(option.loops.begin(), option.loops.end());
  loops.partial = option.partial;
  return toString(loops);
}

class OptionSearch : public testing::Test {
protected:
  OptionSearch() { context.allowUnregisteredDialects(); }

  /// An op that has tensors of the extents of `table`.
  OwningOpRef<Operation *> opOf(const LoopTable &table) {
    OpBuilder builder(&context);
    auto type = [&](const TensorLoops &tensor) {
      return RankedTensorType::get(test::shapeOf(table, tensor),
                                   builder.getF32Type());
    };
    OperationState state(builder.getUnknownLoc(), "test.op");
    block = std::make_unique<mlir::Block>();
    for (const TensorLoops &operand : table.operands)
      state.operands.push_back(
          block->addArgument(type(operand), builder.getUnknownLoc()));
    state.types.push_back(type(table.results[0]));
    return OwningOpRef<Operation *>(Operation::create(state));
  }

  /// Checks `chosen` against all options that `isAllowed`. Returns whether it agrees with
  /// all tensors: then no others count.
  bool
  checkCheapest(const Case &made, const ShardingOption &chosen,
                llvm::function_ref<bool(const ShardingOption &)> isAllowed) {
    Prices prices(made, planner);
    EXPECT_TRUE(isValidOption(made.table, made.grid, chosen));
    if (prices.agrees(chosen))
      return true;
    double cost = prices.of(chosen);
    int64_t parts = partsOf(made, chosen);
    for (const ShardingOption &other : allOptions(made)) {
      if (!isAllowed(other))
        continue;
      double otherCost = prices.of(other);
      bool better = otherCost < cost * (1 - 1e-9) ||
                    (otherCost == cost && partsOf(made, other) > parts) ||
                    prices.agrees(other);
      EXPECT_FALSE(better) << describe(chosen) << " costs " << cost << " with "
                           << parts << " parts, " << describe(other)
                           << " costs " << otherCost << " with "
                           << partsOf(made, other);
    }
    return false;
  }

  MLIRContext context;
  LinkCostModel model;
  Planner planner{model};
  std::unique_ptr<mlir::Block> block;
};

TEST_F(OptionSearch, ChoosesTheCheapest) {
  unsigned agreed = 0, searched = 0, passed = 0;
  for (unsigned seed = 0; seed < 10000 && !HasFailure(); ++seed) {
    Random random(seed);
    Case made = randomCase(random);
    OwningOpRef<Operation *> op = opOf(made.table);
    if (random.oneIn(3))
      made.shares = {0.5 * random.below(3), 0.25 * random.below(5)};
    ShardingOption chosen =
        chooseOption(op.get(), made.table, made.grid, made.operands,
                     {made.result}, planner, made.shares);
    passed += !chosen.partial.empty();
    bool agrees = checkCheapest(made, chosen,
                                [](const ShardingOption &) { return true; });
    agreed += agrees;
    searched += !agrees;
    if (HasFailure())
      ADD_FAILURE() << "seed " << seed;
  }
  EXPECT_GT(agreed, 1000u);
  EXPECT_GT(searched, 3000u);
  EXPECT_GT(passed, 100u);
}

/// Pointwise ops work on blocks with halos or bounds where all their tensors have them.
TEST_F(OptionSearch, TakesOneLayout) {
  unsigned taken = 0, refused = 0;
  for (unsigned seed = 0; seed < 10000 && !HasFailure(); ++seed) {
    Random random(seed);
    Case made;
    made.grid.shape = random.of<std::vector<int64_t>>({{2}, {2, 2}, {3, 2}});
    TensorLoops tensor;
    tensor.isTensor = true;
    for (int32_t loop = 0, count = 1 + random.below(3); loop < count; ++loop) {
      made.table.loops.push_back(Loop::parallel(4 + random.below(5)));
      tensor.dims.push_back({loop});
    }
    made.table.pointwise = made.table.uniform = !random.oneIn(8);
    made.table.operands = {tensor, tensor};
    made.table.results = {tensor};
    std::vector<int64_t> shape = test::shapeOf(made.table, tensor);
    auto layout = [&] {
      Sharding sharding = randomSharding(random, made.grid, tensor);
      size_t kind = random.below(3);
      if (kind == 0)
        for (const AxisList &axes : sharding.dims)
          if (!axes.empty())
            sharding.halos.insert(
                sharding.halos.end(),
                {int64_t(random.below(3)), int64_t(random.below(3))});
      if (kind == 1)
        sharding.offsets = randomBounds(random, made.grid, shape, sharding);
      return sharding;
    };
    made.result = layout();
    for (int i = 0; i < 2; ++i)
      made.operands.push_back(random.oneIn(5)   ? Sharding()
                              : random.oneIn(8) ? layout()
                                                : made.result);
    OwningOpRef<Operation *> op = opOf(made.table);
    ShardingOption chosen = chooseOption(op.get(), made.table, made.grid,
                                         made.operands, {made.result}, planner);
    Prices prices(made, planner);
    bool isSame = made.table.pointwise && made.result.partial.empty() &&
                  made.result.hasHalosOrOffsets();
    for (unsigned index = 0; index < 2; ++index)
      isSame &= prices.isFree(index) || made.operands[index] == made.result;
    if (isSame) {
      ++taken;
      EXPECT_EQ(resultSharding(made.table, 0, chosen), made.result);
      for (unsigned index = 0; index < 2; ++index)
        EXPECT_EQ(operandSharding(made.table, index, chosen), made.result);
    } else {
      ++refused;
      EXPECT_TRUE(chosen.halos.empty());
      EXPECT_TRUE(isValidOption(made.table, made.grid, chosen));
    }
    if (HasFailure())
      ADD_FAILURE() << "seed " << seed;
  }
  EXPECT_GT(taken, 1000u);
  EXPECT_GT(refused, 1000u);
}

TEST_F(OptionSearch, KeepsOperands) {
  unsigned kept = 0, none = 0;
  for (unsigned seed = 0; seed < 10000 && !HasFailure(); ++seed) {
    Random random(seed);
    Case made = randomCase(random);
    OwningOpRef<Operation *> op = opOf(made.table);
    Prices prices(made, planner);
    auto keepsAll = [&](const ShardingOption &option) {
      return prices.keeps(option, 0) && prices.keeps(option, 1);
    };
    std::optional<ShardingOption> chosen = optionOfOperands(
        op.get(), made.table, made.grid, made.operands, {made.result}, planner);
    if (chosen) {
      ++kept;
      EXPECT_TRUE(keepsAll(*chosen));
      checkCheapest(made, *chosen, keepsAll);
    } else {
      ++none;
      EXPECT_FALSE(llvm::any_of(allOptions(made), keepsAll));
    }
    if (HasFailure())
      ADD_FAILURE() << "seed " << seed;
  }
  EXPECT_GT(kept, 500u);
  EXPECT_GT(none, 1000u);
}

TEST_F(OptionSearch, ListsOthers) {
  for (unsigned seed = 0; seed < 10000 && !HasFailure(); ++seed) {
    Random random(seed);
    Case made = randomCase(random);
    OwningOpRef<Operation *> op = opOf(made.table);
    Prices prices(made, planner);
    std::vector<OtherOption> others = otherOptions(
        op.get(), made.table, made.grid, made.operands, {made.result}, planner);
    for (size_t i = 0; i < others.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        EXPECT_FALSE(others[i].option == others[j].option);
    ShardingOption whole;
    whole.loops.resize(made.table.loops.size());
    EXPECT_TRUE(llvm::any_of(others, [&](const OtherOption &other) {
      return other.option == whole;
    }));
    for (const OtherOption &other : others)
      if (other.kept) {
        auto keeps = [&](const ShardingOption &option) {
          return prices.keeps(option, *other.kept);
        };
        EXPECT_FALSE(made.operands[*other.kept].isReplicated());
        EXPECT_TRUE(keeps(other.option));
        checkCheapest(made, other.option, keeps);
      }
    // Each operand that can come as it is does under one of them.
    for (unsigned index = 0; index < 2; ++index)
      if (!made.operands[index].isReplicated() && !prices.isFree(index)) {
        auto keeps = [&](const ShardingOption &option) {
          return prices.keeps(option, index);
        };
        EXPECT_EQ(llvm::any_of(allOptions(made), keeps),
                  llvm::any_of(others, [&](const OtherOption &other) {
                    return keeps(other.option);
                  }));
      }
    if (HasFailure())
      ADD_FAILURE() << "seed " << seed;
  }
}

} // namespace
