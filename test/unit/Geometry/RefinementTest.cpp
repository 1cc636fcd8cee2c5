//===- RefinementTest.cpp - The common axes of two grids ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An axis of a grid cuts the numbers of the devices at its *stride*, the product of the sizes of
// the axes inside of it. Two grids have atoms where their strides divide one another. All grids
// of up to 4 axes are compared.
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Refinement.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <set>
#include <utility>

using namespace shard;

namespace {

/// All grids of `devices` devices and up to `rank` axes, those of one device too.
std::vector<Grid> gridsOf(int64_t devices, size_t rank) {
  if (rank == 0)
    return devices == 1 ? std::vector<Grid>{Grid{}} : std::vector<Grid>{};
  std::vector<Grid> grids;
  for (int64_t size = 1; size <= devices; ++size)
    if (devices % size == 0)
      for (const Grid &rest : gridsOf(devices / size, rank - 1)) {
        Grid grid{{size}};
        grid.shape.insert(grid.shape.end(), rest.shape.begin(),
                          rest.shape.end());
        grids.push_back(grid);
      }
  return grids;
}

/// The products of the sizes of the last axes.
std::set<int64_t> strides(const Grid &grid) {
  std::set<int64_t> found{1};
  int64_t stride = 1;
  for (size_t axis = grid.shape.size(); axis-- > 0;)
    found.insert(stride *= grid.shape[axis]);
  return found;
}

/// The strides of both grids between `low` and `high`, which both have: those of the atoms.
std::vector<int64_t> between(const std::set<int64_t> &a,
                             const std::set<int64_t> &b, int64_t low,
                             int64_t high) {
  std::set<int64_t> all(a);
  all.insert(b.begin(), b.end());
  std::vector<int64_t> found;
  for (int64_t stride : all)
    if (stride >= low && stride <= high)
      found.push_back(stride);
  return found;
}

/// For each axis of `grid` how many atoms it has; nothing for those without.
std::vector<std::optional<size_t>> expectedAtoms(const Grid &grid,
                                                 const Grid &other) {
  std::set<int64_t> own = strides(grid), others = strides(other), common;
  for (int64_t stride : own)
    if (others.count(stride))
      common.insert(stride);
  std::vector<std::optional<size_t>> counts(grid.shape.size());
  int64_t inner = 1;
  for (size_t axis = grid.shape.size(); axis-- > 0;) {
    int64_t outer = inner * grid.shape[axis];
    if (outer == inner) {
      counts[axis] = 0;
      continue;
    }
    int64_t low = *std::prev(common.upper_bound(inner));
    int64_t high = *common.lower_bound(outer);
    std::vector<int64_t> cuts = between(own, others, low, high);
    bool chain = true;
    for (size_t i = 1; i < cuts.size(); ++i)
      chain &= cuts[i] % cuts[i - 1] == 0;
    if (chain)
      counts[axis] = between(own, others, inner, outer).size() - 1;
    inner = outer;
  }
  return counts;
}

/// The position of `device` along `axes`, outermost first.
int64_t position(const Grid &grid, const AxisList &axes, int64_t device) {
  return grid.positionInGroup(device, axes);
}

void checkAtoms(const Grid &grid, const Grid &other, const Grid &refined,
                const AtomsOfAxes &atoms) {
  std::vector<std::optional<size_t>> counts = expectedAtoms(grid, other);
  ASSERT_EQ(atoms.size(), grid.shape.size());
  for (size_t axis = 0; axis < atoms.size(); ++axis) {
    ASSERT_EQ(atoms[axis].has_value(), counts[axis].has_value());
    if (!atoms[axis])
      continue;
    EXPECT_EQ(atoms[axis]->size(), *counts[axis]);
    for (int64_t device = 0; device < grid.numDevices(); ++device)
      EXPECT_EQ(position(refined, *atoms[axis], device),
                grid.coordinates(device)[axis]);
  }
}

TEST(Refinement, AtomsAreTheAxesOfBoth) {
  for (int64_t devices : {1, 2, 4, 6, 8, 12, 16, 24, 30})
    for (const Grid &first : gridsOf(devices, 4))
      for (const Grid &second : gridsOf(devices, 3)) {
        std::optional<Refinement> refined = refine(first, second);
        ASSERT_TRUE(refined);
        ASSERT_EQ(refined->grid.numDevices(), devices);
        checkAtoms(first, second, refined->grid, refined->first);
        checkAtoms(second, first, refined->grid, refined->second);
        if (testing::Test::HasFatalFailure())
          return;
      }
  EXPECT_FALSE(refine(Grid{{2, 2}}, Grid{{2}}));
}

TEST(Refinement, ShardingsKeepTheBlocks) {
  for (int64_t devices : {2, 4, 6, 8, 12})
    for (const Grid &first : gridsOf(devices, 2))
      for (const Grid &second : gridsOf(devices, 3)) {
        std::optional<Refinement> refined = refine(first, second);
        for (const AxisList &axes :
             std::vector<AxisList>{{}, {0}, {1}, {0, 1}, {1, 0}})
          for (int64_t extent = 1; extent <= 13; ++extent) {
            Sharding sharding = Sharding::replicated(2);
            sharding.dims[1] = axes;
            // The other axes are partial.
            for (GridAxis axis : {0, 1})
              if (std::find(axes.begin(), axes.end(), axis) == axes.end())
                sharding.partial.push_back(axis);
            sharding.reduction = ReductionKind::Max;
            std::optional<Sharding> result = refine(
                sharding, first, {3, extent}, refined->first, refined->grid);
            bool atoms = refined->first[0] && refined->first[1];
            bool divides = extent % first.groupSize(axes) == 0;
            if (!atoms || divides)
              EXPECT_EQ(result.has_value(), atoms);
            // What is not known divides.
            EXPECT_EQ(refine(sharding, first, {3, kDynamic}, refined->first,
                             refined->grid)
                          .has_value(),
                      atoms);
            if (!result)
              continue;
            EXPECT_EQ(result->reduction, ReductionKind::Max);
            EXPECT_TRUE(
                std::is_sorted(result->partial.begin(), result->partial.end()));
            EXPECT_EQ(refined->grid.groupSize(result->partial),
                      first.groupSize(sharding.partial));
            for (int64_t device = 0; device < devices; ++device) {
              EXPECT_EQ(refined->grid.groupMembers(device, result->partial),
                        first.groupMembers(device, sharding.partial));
              EXPECT_EQ(
                  localBlocks(refined->grid, {3, extent}, *result, device),
                  localBlocks(first, {3, extent}, sharding, device));
            }
          }
      }
}

TEST(Refinement, AxesWithin) {
  for (int64_t devices : {1, 2, 4, 6, 8, 12, 24})
    for (const Grid &coarse : gridsOf(devices, 3))
      for (size_t rank = 1; rank <= 4; ++rank)
        for (const Grid &fine : gridsOf(devices, rank)) {
          std::set<int64_t> wide = strides(coarse), narrow = strides(fine);
          std::optional<std::vector<AxisList>> runs = axesWithin(coarse, fine);
          ASSERT_EQ(runs.has_value(),
                    std::includes(narrow.begin(), narrow.end(), wide.begin(),
                                  wide.end()));
          if (!runs)
            continue;
          GridAxis next = 0;
          for (size_t axis = 0; axis < runs->size(); ++axis) {
            for (GridAxis one : (*runs)[axis])
              EXPECT_EQ(one, next++);
            EXPECT_EQ(fine.groupSize((*runs)[axis]), coarse.shape[axis]);
          }
          EXPECT_EQ(next, GridAxis(fine.shape.size()));
        }
  EXPECT_FALSE(axesWithin(Grid{{2}}, Grid{{4}}));
  EXPECT_FALSE(axesWithin(Grid{{4}}, Grid{{2}}));
  EXPECT_FALSE(axesWithin(Grid{{2}}, Grid{{2, 2}}));
}

/// Whether the devices `a` and `b` of `grid` agree on all axes of `axes`.
bool agree(const Grid &grid, const AxisList &axes, int64_t a, int64_t b) {
  std::vector<int64_t> one = grid.coordinates(a), other = grid.coordinates(b);
  return std::all_of(axes.begin(), axes.end(),
                     [&](GridAxis axis) { return one[axis] == other[axis]; });
}

bool holds(const AxisList &axes, GridAxis axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// Compares the axes of `other` behind `axes` of `grid`, and those told by them, with what the
/// devices say. Of grids that cut each other at strides that divide one another they are the
/// same.
void compareAxes(const Grid &grid, const Grid &other, const AxisList &axes) {
  AxisList behind = axesBehind(other, grid, axes),
           told = axesToldBy(other, grid, axes);
  int64_t devices = grid.numDevices();
  std::set<int64_t> all = strides(grid), more = strides(other);
  all.insert(more.begin(), more.end());
  bool divide = true;
  int64_t last = 1;
  for (int64_t stride : all)
    divide &= stride % std::exchange(last, stride) == 0;
  AxisList rest;
  for (GridAxis axis = 0; axis < GridAxis(other.shape.size()); ++axis) {
    rest.clear();
    for (GridAxis one = 0; one < GridAxis(other.shape.size()); ++one)
      if (one != axis)
        rest.push_back(one);
    bool depends = false, isTold = other.shape[axis] > 1;
    for (int64_t a = 0; a < devices; ++a)
      for (int64_t b = 0; b < devices; ++b) {
        bool same = agree(grid, axes, a, b);
        depends |= !same && agree(other, rest, a, b);
        isTold &= !same || agree(other, {axis}, a, b);
      }
    EXPECT_TRUE(holds(behind, axis) || !depends);
    EXPECT_TRUE(isTold || !holds(told, axis));
    EXPECT_TRUE(holds(behind, axis) || !holds(told, axis));
    if (divide) {
      EXPECT_EQ(holds(behind, axis), depends);
      EXPECT_EQ(holds(told, axis), isTold);
    }
  }
}

TEST(Refinement, AxesBehindAndToldByAreWhatDevicesSay) {
  for (int64_t devices : {1, 4, 6, 8, 12})
    for (const Grid &grid : gridsOf(devices, 3))
      for (const Grid &other : gridsOf(devices, 3))
        for (unsigned set = 0; set < 8; ++set) {
          AxisList axes;
          for (GridAxis axis = 0; axis < 3; ++axis)
            if (set >> axis & 1)
              axes.push_back(axis);
          compareAxes(grid, other, axes);
        }
}

} // namespace
