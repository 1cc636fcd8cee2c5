//===- Sharding.cpp - How a tensor is spread over a grid ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Sharding.h"

#include "shard/Geometry/Interner.h"

#include <algorithm>
#include <cassert>
#include <sstream>

namespace shard {

bool Sharding::isReplicated() const {
  return partial.empty() && !hasHalosOrOffsets() &&
         std::all_of(dims.begin(), dims.end(),
                     [](const AxisList &axes) { return axes.empty(); });
}

bool Sharding::isSplitBy(GridAxis axis) const {
  return std::any_of(dims.begin(), dims.end(), [&](const AxisList &axes) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  });
}

bool Sharding::hasRunTimeNumbers() const {
  return std::any_of(halos.begin(), halos.end(), isRunTime) ||
         std::any_of(offsets.begin(), offsets.end(), isRunTime);
}

bool Sharding::operator==(const Sharding &other) const {
  return dims == other.dims && partial == other.partial &&
         (partial.empty() || reduction == other.reduction) &&
         halos == other.halos && offsets == other.offsets;
}

uint64_t hashOf(const Sharding &sharding) {
  uint64_t hash = mixHash(0, sharding.dims.size());
  for (const AxisList &axes : sharding.dims)
    hash = mixHash(hash, hashOf(axes));
  hash = mixHash(hash, hashOf(sharding.partial));
  // Without partial axes the reduction has no meaning; operator== ignores it.
  if (!sharding.partial.empty())
    hash = mixHash(hash, static_cast<uint64_t>(sharding.reduction));
  hash = mixHash(hash, hashOf(sharding.halos));
  return mixHash(hash, hashOf(sharding.offsets));
}

/// The extent of all `parts` blocks between `bounds`; kDynamic where they differ or are
/// not known.
static int64_t equalParts(const int64_t *bounds, int64_t parts) {
  if (std::any_of(bounds, bounds + parts + 1, isRunTime))
    return kDynamic;
  int64_t extent = bounds[1] - bounds[0];
  for (int64_t part = 1; part < parts; ++part)
    if (bounds[part + 1] - bounds[part] != extent)
      return kDynamic;
  return extent;
}

std::vector<int64_t> localShape(const Grid &grid,
                                const std::vector<int64_t> &shape,
                                const Sharding &sharding) {
  assert(sharding.dims.size() == shape.size() && "one entry per dimension");
  std::vector<int64_t> result = shape;
  size_t halo = 0, bound = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const AxisList &axes = sharding.dims[dim];
    if (axes.empty())
      continue;
    int64_t parts = grid.groupSize(axes);
    result[dim] = localExtent(shape[dim], parts);
    if (!sharding.offsets.empty()) {
      assert(bound + parts < sharding.offsets.size() &&
             "n + 1 bounds per split dimension");
      const int64_t *bounds = sharding.offsets.data() + bound;
      result[dim] = equalParts(bounds, parts);
      bound += parts + 1;
    }
    if (!sharding.halos.empty()) {
      assert(halo + 1 < sharding.halos.size() &&
             "two widths per split dimension");
      int64_t low = sharding.halos[halo], high = sharding.halos[halo + 1];
      if (isRunTime(low) || isRunTime(high))
        result[dim] = kDynamic;
      else if (result[dim] != kDynamic)
        result[dim] += low + high;
      halo += 2;
    }
  }
  return result;
}

std::vector<Block> localBlocks(const Grid &grid,
                               const std::vector<int64_t> &shape,
                               const Sharding &sharding, int64_t device) {
  assert(sharding.dims.size() == shape.size() && "one entry per dimension");
  std::vector<int64_t> coordinates = grid.coordinates(device);
  std::vector<Block> result;
  result.reserve(shape.size());
  size_t bound = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const AxisList &axes = sharding.dims[dim];
    std::vector<int64_t> sizes = grid.sizes(axes), index;
    for (GridAxis axis : axes)
      index.push_back(coordinates[axis]);
    if (!axes.empty() && !sharding.offsets.empty()) {
      const int64_t *bounds = sharding.offsets.data() + bound;
      int64_t part = linearize(index, sizes);
      result.push_back({bounds[part], bounds[part + 1] - bounds[part]});
      bound += grid.groupSize(axes) + 1;
      continue;
    }
    result.push_back(blockAt(shape[dim], sizes, index));
  }
  return result;
}

namespace {
/// Numbers of the run are printed as `?`.
template <typename List>
void printList(std::ostringstream &out, const List &list) {
  out << '[';
  for (size_t i = 0; i < list.size(); ++i) {
    out << (i ? ", " : "");
    if (isRunTime(list[i]))
      out << '?';
    else
      out << list[i];
  }
  out << ']';
}
} // namespace

std::string toString(const Sharding &sharding) {
  std::ostringstream out;
  out << '[';
  for (size_t dim = 0; dim < sharding.dims.size(); ++dim) {
    out << (dim ? ", " : "");
    printList(out, sharding.dims[dim]);
  }
  out << ']';
  if (!sharding.partial.empty()) {
    out << " partial = " << stringifyReductionKind(sharding.reduction) << ' ';
    printList(out, sharding.partial);
  }
  if (!sharding.halos.empty()) {
    out << " halo_sizes = ";
    printList(out, sharding.halos);
  }
  if (!sharding.offsets.empty()) {
    out << " sharded_dims_offsets = ";
    printList(out, sharding.offsets);
  }
  return out.str();
}

} // namespace shard
