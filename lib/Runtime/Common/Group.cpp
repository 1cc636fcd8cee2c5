//===- Group.cpp - A device's view of a device group ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Group.h"

#include <algorithm>

namespace shard {
namespace runtime {

int64_t numGroupWords(const int64_t *words) {
  if (words[0] < 0 || words[0] > kMaxRank || words[1 + words[0]] < 0 ||
      words[1 + words[0]] > kMaxRank)
    return -1;
  return 2 + words[0] + words[1 + words[0]];
}

std::string makeGroup(const Grid &running, int64_t device, const int64_t *words,
                      Group &group) {
  int64_t numWords = numGroupWords(words);
  if (numWords < 0)
    return "grids of more than " + std::to_string(kMaxRank) +
           " axes are not supported";
  int64_t gridRank = words[0];
  const int64_t *extents = words + 1;
  int64_t numAxes = words[1 + gridRank];
  const int64_t *axes = words + 2 + gridRank;
  group.words.assign(words, words + numWords);

  for (int64_t axis = 0; axis < gridRank; ++axis) {
    group.grid.shape.push_back(gridExtent(running, gridRank, extents, axis));
    if (group.grid.shape.back() < 1)
      return "the program's grid has no extent for axis " +
             std::to_string(axis) + " on the grid that runs";
  }
  if (group.grid.numDevices() != running.numDevices())
    return "the program's grid has " + std::to_string(group.grid.numDevices()) +
           " devices, the run has " + std::to_string(running.numDevices());
  for (int64_t i = 0; i < numAxes; ++i) {
    if (axes[i] < 0 || axes[i] >= gridRank)
      return "grid axis " + std::to_string(axes[i]) +
             " is out of range for a grid of " + std::to_string(gridRank) +
             " axes";
    if (std::count(axes, axes + i, axes[i]))
      return "grid axis " + std::to_string(axes[i]) + " is listed twice";
    group.axes.push_back(GridAxis(axes[i]));
  }

  group.sizes = group.grid.sizes(group.axes);
  group.size = group.grid.groupSize(group.axes);
  group.position = group.grid.positionInGroup(device, group.axes);
  for (int64_t p = 0; p < group.size; ++p)
    group.coordinates.push_back(delinearize(p, group.sizes));
  group.devices = group.grid.groupMembers(device, group.axes);
  return std::string();
}

int64_t gridExtent(const Grid &running, int64_t rank, const int64_t *extents,
                   int64_t axis) {
  if (extents[axis] != SHARD_RT_DYNAMIC)
    return extents[axis];
  int64_t known = 1, numUnknown = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (extents[i] == SHARD_RT_DYNAMIC)
      ++numUnknown;
    else
      known *= extents[i];
  }
  if (rank == running.rank())
    return running.shape[axis];
  bool divides = known > 0 && running.numDevices() % known == 0;
  return numUnknown == 1 && divides ? running.numDevices() / known : -1;
}

void cutBlock(const Group &group, int64_t position, const View &part,
              const View &whole, int64_t dim) {
  Block block = group.block(whole.sizes[dim], position);
  copy(part.slice(dim, 0, block.size),
       whole.slice(dim, block.offset, block.size));
  if (block.size < part.sizes[dim])
    fillZero(part.slice(dim, block.size, part.sizes[dim] - block.size));
}

} // namespace runtime
} // namespace shard
