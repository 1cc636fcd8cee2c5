//===- Links.h - The machine and the links of a grid --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_COST_LINKS_H
#define SHARD_COST_LINKS_H

#include "shard/Geometry/Machine.h"
#include "shard/IR/ShardOps.h"
#include "shard/Resharding/CostModel.h"

#include <memory>

namespace shard {

/// The grid that `grid` refines, directly or through others; `grid` itself if it
/// refines none.
GridOp baseOf(GridOp grid);

/// The machine that `shard.machine` on `grid`, or on a grid that it refines,
/// describes; the default machine without one.
Machine machineOf(GridOp grid);

/// The axes of `grid` as the planner prices them: by the lists `latency` and
/// `bandwidth` of the grid, or of the grid that it refines; else by the links of its
/// `shard.machine`; else bandwidth 1 and latency 0, so that costs are bytes.
std::unique_ptr<CostModel> linkCosts(GridOp grid);

/// The same for axes that those of `grid` are cut into: `origins` has, for each of
/// them, the axis of `grid` that it is a part of.
std::unique_ptr<CostModel> linkCosts(GridOp grid,
                                     llvm::ArrayRef<GridAxis> origins);

/// The same in seconds: where linkCosts would count bytes, by the links of `machine`.
LinkCostModel linkSeconds(GridOp grid, const Machine &machine);

/// What the axes of `grid` are called. Those of a refinement are named after the axis
/// that they are a part of, as in an attribute.
std::vector<std::string> axisNamesOf(GridOp grid);

} // namespace shard

#endif // SHARD_COST_LINKS_H
