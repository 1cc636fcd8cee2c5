//===- SplitSums.cpp - Sums of which slices are kept ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/SplitSums.h"

#include "shard/Cost/Collectives.h"
#include "shard/Cost/Links.h"

using namespace mlir;

double shard::secondsOfSplitSum(GridOp gridOp, const Grid &sizes,
                                ArrayRef<int16_t> all, AllSliceOp slice,
                                Type whole, Type part) {
  AxisList axes(all.begin(), all.end()), rest;
  AxisList cut(slice.getGridAxes().begin(), slice.getGridAxes().end());
  for (GridAxis axis : axes)
    if (!llvm::is_contained(cut, axis))
      rest.push_back(axis);
  if (rest.empty() || rest.size() + cut.size() != axes.size())
    return 0;
  LinkCostModel links = linkSeconds(gridOp, machineOf(gridOp));
  auto seconds = [&](Collective kind, const AxisList &over, Type type) {
    return links.cost(kind, over,
                      bytesSent(kind, sizes.groupSize(over),
                                double(bytesOfType(type).value_or(0))));
  };
  double longer = seconds(Collective::ReduceScatter, cut, whole) +
                  seconds(Collective::AllReduce, rest, part) -
                  seconds(Collective::AllReduce, axes, whole);
  return std::max(0.0, longer);
}
