//===- CheckGrids.cpp - Grids and what they share, by counting ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs show few of these mistakes: a refinement that is not found costs more messages, and
// programs have small grids.
//
//===----------------------------------------------------------------------===//

#include "CheckGrids.h"

#include "shard/Fuzz/Random.h"

#include "shard/Geometry/AxisPart.h"
#include "shard/Geometry/Refinement.h"

#include <algorithm>
#include <set>

namespace shard::fuzz {

using Numbers = std::vector<int64_t>;

static std::string text(const Grid &grid) {
  std::string result;
  for (int64_t size : grid.shape)
    result += (result.empty() ? "" : "x") + std::to_string(size);
  return result;
}

/// `count` as a product of random factors in random order, with axes of size 1 among them.
static Grid randomGrid(Random &rng, int64_t count) {
  Grid grid;
  while (count > 1 || grid.shape.empty() || rng.chance(15)) {
    Numbers divisors;
    for (int64_t size = 1; size <= count; ++size)
      if (count % size == 0 && (size > 1 || rng.chance(20)))
        divisors.push_back(size);
    grid.shape.push_back(divisors.empty() ? 1 : rng.oneOf(divisors));
    count /= grid.shape.back();
  }
  return grid;
}

/// The number of `device` along `axes`, the last one fastest.
static int64_t numberAlong(const Grid &grid, int64_t device,
                           const AxisList &axes) {
  int64_t result = 0;
  for (GridAxis axis : axes) {
    int64_t stride = 1;
    for (size_t inner = axis + 1; inner < grid.shape.size(); ++inner)
      stride *= grid.shape[inner];
    result = result * grid.shape[axis] + device / stride % grid.shape[axis];
  }
  return result;
}

/// Random axes in random order.
static AxisList randomAxes(Random &rng, const Grid &grid) {
  std::vector<GridAxis> axes;
  for (size_t axis = 0; axis < grid.shape.size(); ++axis)
    if (rng.chance(60))
      axes.push_back(GridAxis(axis));
  rng.shuffle(axes);
  return AxisList(axes.begin(), axes.end());
}

/// The members of a group differ from each other along its axes alone, and come in their order.
static std::string checkGroup(Random &rng, const Grid &grid) {
  AxisList axes = randomAxes(rng, grid), others;
  for (size_t axis = 0; axis < grid.shape.size(); ++axis)
    if (std::find(axes.begin(), axes.end(), GridAxis(axis)) == axes.end())
      others.push_back(GridAxis(axis));
  int64_t device = rng.between(0, grid.numDevices() - 1);
  Numbers wanted(grid.groupSize(axes), -1);
  for (int64_t other = 0; other < grid.numDevices(); ++other)
    if (numberAlong(grid, other, others) == numberAlong(grid, device, others))
      wanted[numberAlong(grid, other, axes)] = other;
  if (grid.groupMembers(device, axes) != wanted ||
      grid.positionInGroup(device, axes) != numberAlong(grid, device, axes))
    return "a group of device " + std::to_string(device) + " of a grid " +
           text(grid);
  return {};
}

/// The numbers of parts that the outermost axes of a grid make: 1, then one number per axis.
static Numbers prefixes(const Grid &grid) {
  Numbers result = {1};
  for (int64_t size : grid.shape)
    result.push_back(result.back() * size);
  return result;
}

/// The coarsest common refinement by its definition. Both grids cut the devices, in their order,
/// into numbers of parts. Between two numbers that both have, all of them are kept if each
/// divides the next one, and none otherwise.
static Numbers commonCuts(const Grid &first, const Grid &second) {
  Numbers a = prefixes(first), b = prefixes(second), common;
  std::set<int64_t> all(a.begin(), a.end());
  all.insert(b.begin(), b.end());
  Numbers kept, run;
  bool isChain = true;
  for (int64_t cut : all) {
    isChain = isChain && (run.empty() || cut % run.back() == 0);
    run.push_back(cut);
    bool inBoth = std::find(a.begin(), a.end(), cut) != a.end() &&
                  std::find(b.begin(), b.end(), cut) != b.end();
    if (!inBoth)
      continue;
    if (isChain)
      kept.insert(kept.end(), run.begin(), run.end());
    else
      kept.push_back(cut);
    run = {cut};
    isChain = true;
  }
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

/// The axes of the refined grid between the cuts `kept` that each axis of `grid` consists of.
static AtomsOfAxes atomsOf(const Grid &grid, const Numbers &kept) {
  AtomsOfAxes result;
  Numbers cuts = prefixes(grid);
  for (size_t axis = 0; axis < grid.shape.size(); ++axis) {
    auto begin = std::find(kept.begin(), kept.end(), cuts[axis]);
    auto end = std::find(kept.begin(), kept.end(), cuts[axis + 1]);
    AxisList atoms;
    if (grid.shape[axis] == 1) {
      result.push_back(atoms);
      continue;
    }
    if (begin == kept.end() || end == kept.end()) {
      result.push_back(std::nullopt);
      continue;
    }
    for (auto cut = begin; cut != end; ++cut)
      atoms.push_back(GridAxis(cut - kept.begin()));
    result.push_back(atoms);
  }
  return result;
}

static std::string checkRefinement(const Grid &first, const Grid &second) {
  std::string where =
      " of grids " + text(first) + " and " + text(second) + " is another one";
  std::optional<Refinement> found = refine(first, second);
  if (!found || first.numDevices() != second.numDevices())
    return found.has_value() == (first.numDevices() == second.numDevices())
               ? ""
               : "whether there is a refinement" + where;
  Numbers kept = commonCuts(first, second), shape;
  for (size_t i = 1; i < kept.size(); ++i)
    shape.push_back(kept[i] / kept[i - 1]);
  if (found->grid.shape != shape || found->first != atomsOf(first, kept) ||
      found->second != atomsOf(second, kept))
    return "the refinement" + where;
  return {};
}

/// `axesWithin` finds runs exactly if all cuts of the coarse grid are cuts of the fine one.
static std::string checkWithin(const Grid &coarse, const Grid &fine) {
  Numbers outer = prefixes(coarse), inner = prefixes(fine);
  bool isFiner = coarse.numDevices() == fine.numDevices();
  for (int64_t cut : outer)
    isFiner &= std::find(inner.begin(), inner.end(), cut) != inner.end();
  std::optional<std::vector<AxisList>> runs = axesWithin(coarse, fine);
  bool isRight = runs.has_value() == isFiner;
  size_t next = 0;
  for (size_t axis = 0; runs && axis < runs->size(); ++axis) {
    isRight &= fine.groupSize((*runs)[axis]) == coarse.shape[axis];
    for (GridAxis part : (*runs)[axis])
      isRight &= part == GridAxis(next++);
  }
  isRight &= !runs ||
             (next == fine.shape.size() && runs->size() == coarse.shape.size());
  return isRight ? ""
                 : "the axes of " + text(fine) + " in those of " + text(coarse);
}

namespace {
/// A sharding of a tensor, and what is in it.
struct Spread {
  Spread(Random &rng, const Grid &grid);

  /// The block of a device along a dimension, by cutting the extent axis by axis.
  Block block(const Grid &grid, int64_t device, size_t dim) const;
  /// What all devices' blocks of a dimension fit into, kDynamic for explicit bounds that
  /// differ.
  int64_t extent(const Grid &grid, size_t dim) const;

  Numbers shape;
  Sharding sharding;
  /// Of each split dimension, by its number: its bounds and widths of halos.
  std::vector<Numbers> bounds, halos;
};
} // namespace

Spread::Spread(Random &rng, const Grid &grid) {
  std::vector<GridAxis> axes;
  for (size_t axis = 0; axis < grid.shape.size(); ++axis)
    axes.push_back(GridAxis(axis));
  rng.shuffle(axes);
  int64_t rank = rng.between(1, 3);
  sharding = Sharding::replicated(rank);
  for (GridAxis axis : axes) {
    int64_t place = rng.between(0, rank + 1);
    if (place < rank)
      sharding.dims[place].push_back(axis);
    else if (place == rank)
      sharding.partial.push_back(axis);
  }
  std::sort(sharding.partial.begin(), sharding.partial.end());
  bool hasHalos = rng.chance(25), hasBounds = rng.chance(25);
  for (const AxisList &list : sharding.dims) {
    int64_t parts = grid.groupSize(list), width = rng.between(0, 4);
    bool isEven = rng.chance(40);
    shape.push_back(isEven ? parts * width : rng.between(0, 2 * parts + 3));
    Numbers &own = bounds.emplace_back();
    if (hasBounds && !list.empty()) {
      own = {0, shape.back()};
      for (int64_t part = 1; part < parts; ++part)
        own.push_back(isEven ? part * width : rng.between(0, shape.back()));
      std::sort(own.begin(), own.end());
    }
    Numbers &widths = halos.emplace_back();
    if (hasHalos && !list.empty())
      widths = {rng.between(0, 3), rng.between(0, 3)};
    sharding.offsets.insert(sharding.offsets.end(), own.begin(), own.end());
    sharding.halos.insert(sharding.halos.end(), widths.begin(), widths.end());
  }
}

Block Spread::block(const Grid &grid, int64_t device, size_t dim) const {
  if (!bounds[dim].empty()) {
    int64_t part = numberAlong(grid, device, sharding.dims[dim]);
    return {bounds[dim][part], bounds[dim][part + 1] - bounds[dim][part]};
  }
  int64_t begin = 0, end = shape[dim], width = shape[dim];
  for (GridAxis axis : sharding.dims[dim]) {
    width = (width + grid.shape[axis] - 1) / grid.shape[axis];
    begin = std::min(begin + numberAlong(grid, device, {axis}) * width, end);
    end = std::min(begin + width, end);
  }
  return {begin, end - begin};
}

int64_t Spread::extent(const Grid &grid, size_t dim) const {
  int64_t least = shape[dim], most = 0;
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    int64_t size = block(grid, device, dim).size;
    least = std::min(least, size);
    most = std::max(most, size);
  }
  if (!bounds[dim].empty() && least != most)
    return kDynamic;
  return halos[dim].empty() ? most : most + halos[dim][0] + halos[dim][1];
}

static std::string checkLocalBlocks(const Grid &grid, const Spread &spread) {
  Numbers local = localShape(grid, spread.shape, spread.sharding);
  for (size_t dim = 0; dim < spread.shape.size(); ++dim) {
    bool isRight = local[dim] == spread.extent(grid, dim);
    for (int64_t device = 0; device < grid.numDevices(); ++device)
      isRight &= localBlocks(grid, spread.shape, spread.sharding,
                             device)[dim] == spread.block(grid, device, dim);
    if (!isRight)
      return "the blocks of dimension " + std::to_string(dim) + " by " +
             toString(spread.sharding) + " on a grid " + text(grid);
  }
  return {};
}

/// What only the run knows makes blocks of unknown extents, in its dimension alone.
static std::string checkUnknown(Random &rng, Grid grid, Spread spread) {
  size_t dim = rng.between(0, int64_t(spread.shape.size()) - 1);
  Numbers wanted = localShape(grid, spread.shape, spread.sharding);
  const AxisList &axes = spread.sharding.dims[dim];
  bool isSplit = !axes.empty() && !spread.sharding.hasHalosOrOffsets();
  int64_t axis = isSplit && rng.chance(50) ? axes.front() : -1;
  if (axis < 0 && (!axes.empty() && !spread.sharding.offsets.empty()))
    return {};
  (axis < 0 ? spread.shape[dim] : grid.shape[axis]) = kDynamic;
  wanted[dim] = kDynamic;
  return localShape(grid, spread.shape, spread.sharding) == wanted
             ? ""
             : "the blocks of dimension " + std::to_string(dim) + " by " +
                   toString(spread.sharding) + ", which is unknown" +
                   (axis < 0 ? "" : " as an axis is");
}

/// A sharding over the axes of a refined grid gives each device what it had.
static std::string checkRefinedSharding(const Grid &grid, const Grid &other,
                                        Spread spread) {
  std::optional<Refinement> found = refine(grid, other);
  if (!found)
    return {};
  spread.sharding.halos.clear();
  spread.sharding.offsets.clear();
  spread.bounds.assign(spread.shape.size(), {});
  bool isCut = true, isEven = true;
  for (size_t dim = 0; dim <= spread.shape.size(); ++dim) {
    bool isDim = dim < spread.shape.size();
    const AxisList &axes =
        isDim ? spread.sharding.dims[dim] : spread.sharding.partial;
    for (GridAxis axis : axes)
      isCut &= found->first[axis].has_value();
    isEven &= !isDim || spread.shape[dim] % grid.groupSize(axes) == 0;
  }
  std::optional<Sharding> refined =
      refine(spread.sharding, grid, spread.shape, found->first, found->grid);
  std::string where = toString(spread.sharding) + " from a grid " + text(grid) +
                      " to " + text(found->grid);
  if (refined ? !isCut : isCut && isEven)
    return "whether the sharding can be refined: " + where;
  if (!refined)
    return {};
  for (int64_t device = 0; device < grid.numDevices(); ++device)
    for (size_t dim = 0; dim < spread.shape.size(); ++dim) {
      Block block = spread.block(grid, device, dim);
      Block after =
          localBlocks(found->grid, spread.shape, *refined, device)[dim];
      if (!(block == after) && (block.size > 0 || after.size > 0))
        return "a refined sharding has other blocks: " + where;
    }
  if (refined->reduction != spread.sharding.reduction ||
      !std::is_sorted(refined->partial.begin(), refined->partial.end()) ||
      found->grid.groupSize(refined->partial) !=
          grid.groupSize(spread.sharding.partial))
    return "a refined sharding has other partial axes: " + where;
  return {};
}

/// Parts of one axis that are made of consecutive factors of its size.
static std::string checkAxisParts(Random &rng) {
  struct Range {
    int64_t first, last;
    AxisPart part;
  };
  Numbers factors;
  for (int64_t count = rng.between(1, 4); count > 0; --count)
    factors.push_back(rng.between(2, 3));
  std::vector<Range> ranges;
  for (int i = 0; i < 2; ++i) {
    Range range{rng.between(0, int64_t(factors.size()) - 1), 0, {}};
    range.last = rng.between(range.first + 1, int64_t(factors.size()));
    range.part.axis = GridAxis(rng.chance(15) ? 1 : 0);
    for (int64_t factor = 0; factor < range.last; ++factor)
      (factor < range.first ? range.part.preSize : range.part.size) *=
          factors[factor];
    // All behind it, of an axis of unknown size.
    if (rng.chance(10)) {
      range.last = INT64_MAX;
      range.part.size = kDynamic;
    }
    ranges.push_back(range);
  }
  const Range &a = ranges[0], &b = ranges[1];
  bool isOneAxis = a.part.axis == b.part.axis;
  bool isUnknown = a.part.size == kDynamic || b.part.size == kDynamic;
  bool overlaps =
      isOneAxis && (isUnknown || (a.first < b.last && b.first < a.last));
  bool contains = isOneAxis && a.first <= b.first && b.last <= a.last;
  if (a.part.overlaps(b.part) != overlaps ||
      a.part.contains(b.part) != contains)
    return "a part of an axis with " + std::to_string(a.part.size) +
           " devices behind " + std::to_string(a.part.preSize) +
           " blocks, and another one with " + std::to_string(b.part.size) +
           " behind " + std::to_string(b.part.preSize);
  return {};
}

std::string checkGrids(uint64_t seed) {
  static const Numbers counts = {1, 2, 4, 6, 8, 12, 12, 16, 24, 24, 36, 48};
  Random rng(seed ^ 0x6772696473ull);
  for (int64_t left = 4; left > 0; --left) {
    int64_t count = rng.oneOf(counts);
    Grid grid = randomGrid(rng, count);
    Grid other = randomGrid(rng, rng.chance(90) ? count : rng.oneOf(counts));
    Spread spread(rng, grid);
    for (const std::string &wrong :
         {checkGroup(rng, grid), checkRefinement(grid, other),
          checkWithin(grid, other), checkLocalBlocks(grid, spread),
          checkUnknown(rng, grid, spread),
          checkRefinedSharding(grid, other, spread), checkAxisParts(rng)})
      if (!wrong.empty())
        return wrong;
  }
  return {};
}

} // namespace shard::fuzz
