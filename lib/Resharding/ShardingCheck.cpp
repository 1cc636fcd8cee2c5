//===- ShardingCheck.cpp - Are the planner's arguments sound --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingCheck.h"

#include <algorithm>
#include <iterator>

namespace shard {
namespace detail {

namespace {
std::string number(int64_t value) { return std::to_string(value); }

/// No device number, no offset and no axis number of such a grid overflows.
constexpr int64_t maxDevices = int64_t(1) << 40;

bool checkHalos(const Sharding &sharding, const std::string &prefix,
                std::string &error) {
  size_t splitDims = 0;
  for (const AxisList &axes : sharding.dims)
    splitDims += !axes.empty();
  if (!sharding.offsets.empty()) {
    error = prefix + "has halos and explicit offsets; only one is supported";
    return false;
  }
  if (sharding.halos.size() != 2 * splitDims) {
    error = prefix + "has " + number(sharding.halos.size()) +
            " halo sizes; two for each of its " + number(splitDims) +
            " split dimensions are needed";
    return false;
  }
  for (int64_t width : sharding.halos)
    if (!isRunTime(width) && (width < 0 || width > kMaxHalo)) {
      error = prefix + "has a halo of " +
              (width == kDynamic ? "unknown size" : "size " + number(width)) +
              "; planning needs known sizes, not negative";
      return false;
    }
  return true;
}

bool checkOffsets(const Grid &grid, const std::vector<int64_t> &shape,
                  const Sharding &sharding, const std::string &prefix,
                  std::string &error) {
  size_t next = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (sharding.dims[dim].empty())
      continue;
    std::string where =
        prefix + "has offsets of dimension " + number(dim) + " ";
    size_t count = static_cast<size_t>(grid.groupSize(sharding.dims[dim])) + 1;
    if (sharding.offsets.size() - next < count) {
      error = where + "that are too few: " + number(count) + " are needed";
      return false;
    }
    auto begin = sharding.offsets.begin() + static_cast<ptrdiff_t>(next);
    // The program checks those of the run itself.
    std::vector<int64_t> known;
    std::remove_copy_if(begin, begin + static_cast<ptrdiff_t>(count),
                        std::back_inserter(known), isRunTime);
    int64_t last = *(begin + static_cast<ptrdiff_t>(count) - 1);
    bool isDynamic = shape[dim] == kDynamic;
    if ((!isRunTime(*begin) && *begin != 0) ||
        (!isDynamic && !isRunTime(last) && last != shape[dim]) ||
        !std::is_sorted(known.begin(), known.end()) ||
        (!known.empty() &&
         (known.front() < 0 || (!isDynamic && known.back() > shape[dim])))) {
      error = where + "that do not rise from 0 to its extent" +
              (isDynamic ? "" : " " + number(shape[dim]));
      return false;
    }
    next += count;
  }
  if (next != sharding.offsets.size()) {
    error = prefix + "has " + number(sharding.offsets.size()) + " offsets; " +
            number(next) + " are needed";
    return false;
  }
  return true;
}
} // namespace

bool checkTensor(const Grid &grid, const std::vector<int64_t> &shape,
                 int64_t elementBytes, std::string &error) {
  int64_t devices = 1;
  for (size_t axis = 0; axis < grid.shape.size(); ++axis) {
    int64_t size = grid.shape[axis];
    if (size == kDynamic) {
      error = "axis " + number(axis) +
              " of the grid has no known size; planning needs one";
      return false;
    }
    if (size <= 0 || size > maxDevices / devices) {
      error = "axis " + number(axis) + " of the grid has size " + number(size) +
              "; sizes are positive and a grid has at most 2^40 devices";
      return false;
    }
    devices *= size;
  }
  if (grid.shape.size() > INT16_MAX) {
    error = "a grid has at most 32767 axes";
    return false;
  }
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] < 0 && shape[dim] != kDynamic) {
      error = "dimension " + number(dim) + " has extent " + number(shape[dim]);
      return false;
    }
  if (elementBytes < 1) {
    error = "elements have " + number(elementBytes) +
            " bytes; at least 1 is needed";
    return false;
  }
  return true;
}

bool checkSharding(const Grid &grid, const std::vector<int64_t> &shape,
                   const Sharding &sharding, const std::string &name,
                   std::string &error) {
  std::string prefix = "the " + name + " sharding ";
  if (sharding.dims.size() != shape.size()) {
    error = prefix + "is about " + number(sharding.dims.size()) +
            " dimensions, the tensor has " + number(shape.size());
    return false;
  }
  std::vector<bool> seen(grid.shape.size());
  auto use = [&](GridAxis axis) {
    if (axis < 0 || axis >= grid.rank()) {
      error = prefix + "names axis " + number(axis) + ", the grid has " +
              number(grid.rank()) + " axes";
      return false;
    }
    if (seen[axis]) {
      error = prefix + "names axis " + number(axis) + " twice";
      return false;
    }
    seen[axis] = true;
    return true;
  };
  for (const AxisList &axes : sharding.dims)
    if (!std::all_of(axes.begin(), axes.end(), use))
      return false;
  if (!std::all_of(sharding.partial.begin(), sharding.partial.end(), use))
    return false;
  if (!sharding.partial.empty() &&
      stringifyReductionKind(sharding.reduction).empty()) {
    error = prefix + "is partial by an unknown reduction kind";
    return false;
  }

  return (sharding.halos.empty() || checkHalos(sharding, prefix, error)) &&
         (sharding.offsets.empty() ||
          checkOffsets(grid, shape, sharding, prefix, error));
}

} // namespace detail
} // namespace shard
