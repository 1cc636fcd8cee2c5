//===- CheckShardings.cpp - Shardings, right and wrong --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckShardings.h"

#include "CheckPlans.h"

#include "shard/Fuzz/Random.h"
#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Resharding/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>

using namespace mlir;

namespace shard::fuzz {

namespace {

/// A tensor of random shape on a random grid, and shardings of it.
class ShardingMaker {
public:
  explicit ShardingMaker(uint64_t seed);

  Sharding make();
  /// Something that is wrong with `sharding`, in words; empty where it has no such part.
  std::string damage(Sharding &sharding);
  /// The same for the grid and the tensor.
  std::string damageTensor();

  Random rng;
  Grid grid;
  std::vector<int64_t> shape;
  int64_t elementBytes = 4;

private:
  void addHalos(Sharding &sharding);
  void addOffsets(Sharding &sharding);
  std::string damageAxes(Sharding &sharding);
  std::string damageNumbers(Sharding &sharding);
};

} // namespace

ShardingMaker::ShardingMaker(uint64_t seed) : rng(seed ^ 0x7368617264ull) {
  for (int64_t axes = rng.between(1, 4); axes > 0; --axes)
    grid.shape.push_back(rng.between(2, 3));
  for (int64_t rank = rng.between(1, 3); rank > 0; --rank)
    shape.push_back(rng.between(1, 12));
}

void ShardingMaker::addHalos(Sharding &sharding) {
  for (const AxisList &axes : sharding.dims)
    for (int side = 0; !axes.empty() && side < 2; ++side)
      sharding.halos.push_back(rng.between(0, 3));
  // Read back, these are no halos.
  if (std::count(sharding.halos.begin(), sharding.halos.end(), 0) ==
      int64_t(sharding.halos.size()))
    sharding.halos.clear();
}

void ShardingMaker::addOffsets(Sharding &sharding) {
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (sharding.dims[dim].empty())
      continue;
    std::vector<int64_t> bounds = {0, shape[dim]};
    for (int64_t part = grid.groupSize(sharding.dims[dim]); part > 1; --part)
      bounds.push_back(rng.between(0, shape[dim]));
    std::sort(bounds.begin(), bounds.end());
    sharding.offsets.insert(sharding.offsets.end(), bounds.begin(),
                            bounds.end());
  }
}

Sharding ShardingMaker::make() {
  static const std::vector<ReductionKind> kinds = {
      ReductionKind::Sum,       ReductionKind::Max,
      ReductionKind::Min,       ReductionKind::Product,
      ReductionKind::Average,   ReductionKind::BitwiseAnd,
      ReductionKind::BitwiseOr, ReductionKind::BitwiseXor,
      ReductionKind::UMin,      ReductionKind::UMax};
  Sharding sharding = Sharding::replicated(int64_t(shape.size()));
  std::vector<GridAxis> axes;
  for (size_t axis = 0; axis < grid.shape.size(); ++axis)
    axes.push_back(GridAxis(axis));
  rng.shuffle(axes);
  for (GridAxis axis : axes) {
    int64_t place = rng.between(0, int64_t(shape.size()) + 1);
    if (place < int64_t(shape.size()))
      sharding.dims[place].push_back(axis);
    else if (place == int64_t(shape.size()))
      sharding.partial.push_back(axis);
  }
  std::sort(sharding.partial.begin(), sharding.partial.end());
  if (!sharding.partial.empty())
    sharding.reduction = rng.oneOf(kinds);
  if (rng.chance(25))
    addHalos(sharding);
  else if (rng.chance(25))
    addOffsets(sharding);
  return sharding;
}

std::string ShardingMaker::damageAxes(Sharding &sharding) {
  std::vector<GridAxis> named;
  for (const AxisList &axes : sharding.dims)
    named.insert(named.end(), axes.begin(), axes.end());
  named.insert(named.end(), sharding.partial.begin(), sharding.partial.end());
  // Halos and bounds would not fit the dimensions then.
  sharding.halos.clear();
  sharding.offsets.clear();
  int64_t place = rng.between(0, int64_t(shape.size()));
  AxisList &list =
      place < int64_t(shape.size()) ? sharding.dims[place] : sharding.partial;
  int64_t kind = rng.between(0, 2);
  if (kind == 0) {
    if (named.empty())
      return {};
    list.push_back(rng.oneOf(named));
    return "an axis twice";
  }
  if (kind == 1) {
    list.push_back(GridAxis(rng.chance(50) ? -1 : int64_t(grid.shape.size())));
    return "an axis that is none";
  }
  if (rng.chance(50))
    sharding.dims.emplace_back();
  else
    sharding.dims.pop_back();
  return "another rank";
}

std::string ShardingMaker::damageNumbers(Sharding &sharding) {
  std::vector<int64_t> &numbers =
      sharding.halos.empty() ? sharding.offsets : sharding.halos;
  if (numbers.empty())
    return {};
  int64_t kind = rng.between(0, 3);
  if (kind == 0) {
    numbers.push_back(numbers.back());
    return "one number more";
  }
  if (kind == 1) {
    numbers.pop_back();
    // None at all is no layout.
    return numbers.empty() ? "" : "one number less";
  }
  int64_t at = rng.between(0, int64_t(numbers.size()) - 1);
  if (kind == 2) {
    // Behind a bound of the run too, which is not compared with others.
    if (sharding.halos.empty() && rng.chance(40)) {
      numbers[0] = kRunTimeNumbers - 1;
      at = 1;
    }
    numbers[at] = -1;
    return "a negative number";
  }
  if (sharding.halos.empty()) {
    numbers[at] = 1000;
    return "a bound behind the end";
  }
  sharding.offsets = sharding.halos;
  return "halos and bounds";
}

std::string ShardingMaker::damage(Sharding &sharding) {
  return rng.chance(50) ? damageAxes(sharding) : damageNumbers(sharding);
}

std::string ShardingMaker::damageTensor() {
  int64_t kind = rng.between(0, 2);
  if (kind == 0) {
    grid.shape[rng.between(0, int64_t(grid.shape.size()) - 1)] =
        rng.chance(50) ? 0 : -2;
    return "an axis without devices";
  }
  if (kind == 1) {
    shape[rng.between(0, int64_t(shape.size()) - 1)] = -3;
    return "a negative extent";
  }
  elementBytes = 0;
  return "elements of no bytes";
}

/// The text of `sharding`, in a program, is that sharding.
static std::string checkText(MLIRContext &context, const ShardingMaker &maker,
                             const Sharding &sharding) {
  std::string text = toString(sharding), axes;
  for (int64_t size : maker.grid.shape)
    axes += (axes.empty() ? "" : "x") + std::to_string(size);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "shard.grid @g(shape = " + axes +
          ")\nfunc.func @main() {\n  %0 = shard.sharding @g split_axes = " +
          text + " : !shard.sharding\n  return\n}\n",
      &context);
  if (!module)
    return "the text of a sharding is not valid: " + text;
  FailureOr<Sharding> read = failure();
  module->walk(
      [&](ShardingOp op) { read = resolve(op, int64_t(maker.shape.size())); });
  if (failed(read) || *read != sharding || hashOf(*read) != hashOf(sharding))
    return "the text of a sharding is another one: " + text;
  return {};
}

/// No plan leads from `from` to `to`, and an error says why.
static std::string checkRefused(const ShardingMaker &maker,
                                const Sharding &from, const Sharding &to,
                                const std::string &reason) {
  std::string error;
  std::optional<Plan> plan =
      planReshard(maker.grid, maker.shape, maker.elementBytes, from, to,
                  LinkCostModel(), &error);
  std::string ends =
      " (" + reason + "): from " + toString(from) + " to " + toString(to);
  if (plan)
    return "there is a plan where none can be" + ends;
  if (error.empty())
    return "nothing says why there is no plan" + ends;
  return checkPlanner(maker.grid, maker.shape, maker.elementBytes, from, to);
}

/// An axis becomes partial by a reduction of which no element is neutral.
static std::string checkGeneric(ShardingMaker &maker) {
  Sharding from = Sharding::replicated(int64_t(maker.shape.size())), to = from;
  if (maker.rng.chance(50))
    from.dims[0] = {0};
  to.partial = {0};
  to.reduction = ReductionKind::Generic;
  return checkRefused(maker, from, to, "partial by a generic reduction");
}

std::string checkShardings(MLIRContext &context, uint64_t seed) {
  ShardingMaker maker(seed);
  Sharding good = maker.make();
  if (std::string wrong = checkText(context, maker, good); !wrong.empty())
    return wrong;
  if (std::string wrong = checkGeneric(maker); !wrong.empty())
    return wrong;
  Sharding bad = maker.make();
  std::string reason = maker.damage(bad);
  if (!reason.empty()) {
    bool isTarget = maker.rng.chance(50);
    std::string wrong = checkRefused(maker, isTarget ? good : bad,
                                     isTarget ? bad : good, reason);
    if (!wrong.empty())
      return wrong;
  }
  Sharding other = maker.make();
  reason = maker.damageTensor();
  return checkRefused(maker, good, other, reason);
}

} // namespace shard::fuzz
