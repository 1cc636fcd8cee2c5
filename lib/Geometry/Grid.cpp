//===- Grid.cpp - An n-dimensional arrangement of devices -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Grid.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace shard {

int64_t linearize(const std::vector<int64_t> &index,
                  const std::vector<int64_t> &sizes) {
  assert(index.size() == sizes.size() && "one number per size");
  int64_t position = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    assert(index[i] >= 0 && index[i] < sizes[i] && "index outside of the box");
    position = position * sizes[i] + index[i];
  }
  return position;
}

std::vector<int64_t> delinearize(int64_t position,
                                 const std::vector<int64_t> &sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    index[i] = position % sizes[i];
    position /= sizes[i];
  }
  return index;
}

std::vector<int64_t> Grid::sizes(const AxisList &axes) const {
  std::vector<int64_t> result;
  result.reserve(axes.size());
  for (GridAxis axis : axes) {
    assert(axis >= 0 && axis < rank() && "no axis of this grid");
    result.push_back(shape[axis]);
  }
  return result;
}

int64_t Grid::groupSize(const AxisList &axes) const {
  int64_t product = 1;
  for (GridAxis axis : axes) {
    assert(axis >= 0 && axis < rank() && "no axis of this grid");
    if (shape[axis] == kDynamic)
      return kDynamic;
    product *= shape[axis];
  }
  return product;
}

void dropUnitAxes(const Grid &grid, AxisList &axes) {
  axes.erase(
      std::remove_if(axes.begin(), axes.end(),
                     [&](GridAxis axis) { return grid.shape[axis] == 1; }),
      axes.end());
}

bool sameButUnitAxes(const Grid &grid, AxisList a, AxisList b) {
  dropUnitAxes(grid, a);
  dropUnitAxes(grid, b);
  return a == b;
}

int64_t Grid::numDevices() const {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

std::vector<int64_t> Grid::coordinates(int64_t device) const {
  return delinearize(device, shape);
}

int64_t Grid::device(const std::vector<int64_t> &coordinates) const {
  return linearize(coordinates, shape);
}

int64_t Grid::positionInGroup(int64_t device, const AxisList &axes) const {
  std::vector<int64_t> all = coordinates(device);
  int64_t position = 0;
  for (GridAxis axis : axes)
    position = position * shape[axis] + all[axis];
  return position;
}

std::vector<int64_t> Grid::groupMembers(int64_t device,
                                        const AxisList &axes) const {
  std::vector<int64_t> all = coordinates(device);
  std::vector<int64_t> axisSizes = sizes(axes);
  std::vector<int64_t> members(groupSize(axes));
  for (size_t position = 0; position < members.size(); ++position) {
    std::vector<int64_t> inGroup = delinearize(position, axisSizes);
    for (size_t i = 0; i < axes.size(); ++i)
      all[axes[i]] = inGroup[i];
    members[position] = this->device(all);
  }
  return members;
}

} // namespace shard
