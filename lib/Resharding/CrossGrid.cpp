//===- CrossGrid.cpp - Reshards between two grids -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Resharding/CrossGrid.h"

#include "ShardingCheck.h"

namespace shard {

using namespace detail;

namespace {
/// `sharding` without what the atoms cannot express: of each dimension the longest
/// run of major axes that they can, without halos and offsets.
Sharding expressible(const Sharding &sharding, const Grid &grid,
                     const std::vector<int64_t> &shape,
                     const AtomsOfAxes &atoms, const Grid &refined) {
  Sharding result = sharding;
  result.halos.clear();
  result.offsets.clear();
  result.partial.clear();
  for (AxisList &axes : result.dims)
    axes.clear();
  auto fits = [&] {
    return refine(result, grid, shape, atoms, refined).has_value();
  };
  for (size_t dim = 0; dim < sharding.dims.size(); ++dim)
    for (GridAxis axis : sharding.dims[dim]) {
      result.dims[dim].push_back(axis);
      if (fits())
        continue;
      result.dims[dim].pop_back();
      break;
    }
  for (GridAxis axis : sharding.partial) {
    result.partial.push_back(axis);
    if (!fits())
      result.partial.pop_back();
  }
  return result;
}
} // namespace

std::optional<CrossGridPlan>
planBetweenGrids(const Grid &fromGrid, const Grid &toGrid,
                 const std::vector<int64_t> &shape, int64_t elementBytes,
                 const Sharding &from, const Sharding &to, std::string *error) {
  std::string message;
  auto fail = [&]() -> std::optional<CrossGridPlan> {
    if (error)
      *error = message;
    return std::nullopt;
  };
  if (!checkTensor(fromGrid, shape, elementBytes, message) ||
      !checkTensor(toGrid, shape, elementBytes, message) ||
      !checkSharding(fromGrid, shape, from, "source", message) ||
      !checkSharding(toGrid, shape, to, "target", message))
    return fail();
  std::optional<Refinement> refinement = refine(fromGrid, toGrid);
  if (!refinement) {
    message = "the grids have " + std::to_string(fromGrid.numDevices()) +
              " and " + std::to_string(toGrid.numDevices()) +
              " devices; a value moves between grids of equal size only";
    return fail();
  }

  CrossGridPlan result;
  result.refinement = *refinement;
  const Grid &refined = result.refinement.grid;
  result.before =
      expressible(from, fromGrid, shape, refinement->first, refined);
  result.after = expressible(to, toGrid, shape, refinement->second, refined);
  result.refinedBefore =
      *refine(result.before, fromGrid, shape, refinement->first, refined);
  result.refinedAfter =
      *refine(result.after, toGrid, shape, refinement->second, refined);
  LinkCostModel bytes;
  auto plan = [&](const Grid &grid, const Sharding &source,
                  const Sharding &target, Plan &into) {
    std::optional<Plan> found =
        planReshard(grid, shape, elementBytes, source, target, bytes, &message);
    if (!found)
      return false;
    into = std::move(*found);
    result.cost += into.cost;
    return true;
  };
  if (!plan(fromGrid, from, result.before, result.first) ||
      !plan(refined, result.refinedBefore, result.refinedAfter,
            result.middle) ||
      !plan(toGrid, result.after, to, result.last))
    return fail();
  return result;
}

} // namespace shard
