//===- ShardingMaker.cpp - Random shardings of a tensor -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingMaker.h"

#include <algorithm>

namespace shard::fuzz {

ShardingMaker::ShardingMaker(uint64_t seed, int64_t mostDevices)
    : rng(seed ^ 0x7368617264ull) {
  for (int64_t axes = rng.between(1, 4); axes > 0; --axes)
    grid.shape.push_back(rng.between(mostDevices && rng.chance(20) ? 1 : 2, 3));
  while (mostDevices && grid.numDevices() > mostDevices)
    grid.shape.pop_back();
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
  layOut(sharding);
  return sharding;
}

void ShardingMaker::layOut(Sharding &sharding) {
  if (rng.chance(25))
    addHalos(sharding);
  else if (rng.chance(25))
    addOffsets(sharding);
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
    size_t last = numbers.size() - 1;
    int64_t end = rng.between(0, 2);
    if (end == 0 && numbers[0] == 0 && numbers[1] > 0) {
      numbers[0] = 1;
      return "a first bound that is not 0";
    }
    if (end == 1 && numbers[last] > 0 && numbers[last] > numbers[last - 1]) {
      --numbers[last];
      return "a last bound in front of the end";
    }
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

} // namespace shard::fuzz
