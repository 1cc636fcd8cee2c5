//===- Placement.cpp - Whole tensors to devices and back ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Host/Placement.h"

#include "PartialValues.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace shard;
using namespace shard::host;

/// The low halo of each dimension; 0 where it has none.
static std::vector<int64_t> haloOffsets(const Sharding &sharding) {
  std::vector<int64_t> offsets(sharding.dims.size(), 0);
  size_t next = 0;
  for (size_t dim = 0; dim < sharding.dims.size() && !sharding.halos.empty();
       ++dim) {
    if (sharding.dims[dim].empty())
      continue;
    offsets[dim] = sharding.halos[next];
    next += 2;
  }
  return offsets;
}

/// The local shape on `device`: that of Geometry, or, where explicit offsets
/// differ between devices and where blocks of dynamic dimensions have no padding, what
/// this one holds.
static std::vector<int64_t> shapeOn(const Grid &grid,
                                    const std::vector<int64_t> &shape,
                                    const Sharding &sharding,
                                    const std::vector<Block> &blocks,
                                    const std::vector<int64_t> &stated) {
  std::vector<int64_t> local = localShape(grid, shape, sharding);
  for (size_t dim = 0; dim < stated.size(); ++dim)
    if (grid.unevenDynamic && stated[dim] == kDynamic)
      local[dim] = kDynamic;
  size_t halo = 0;
  for (size_t dim = 0; dim < local.size(); ++dim) {
    bool split = !sharding.dims[dim].empty();
    if (local[dim] == kDynamic) {
      local[dim] = blocks[dim].size;
      if (split && !sharding.halos.empty())
        local[dim] += sharding.halos[halo] + sharding.halos[halo + 1];
    }
    if (split)
      halo += 2;
  }
  return local;
}

/// What a device holds of the whole: `sizes` elements from `from` on of the whole
/// are those from `to` on of its local tensor.
struct Box {
  std::vector<int64_t> from, to, sizes;
};

/// Local position p of a dimension with halos holds element (offset of the block) -
/// (low halo) + p of the whole, as far as there is one; that of another dimension
/// element (offset) + p, as far as the block goes. For blocks in `blocks` of a local
/// tensor of shape `local`.
static Box windowOf(const std::vector<int64_t> &whole, const Sharding &sharding,
                    const std::vector<Block> &blocks,
                    const std::vector<int64_t> &local) {
  Box box;
  size_t halo = 0;
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    int64_t low = 0, high = 0;
    if (!sharding.dims[dim].empty() && !sharding.halos.empty()) {
      low = sharding.halos[halo++];
      high = sharding.halos[halo++];
    }
    int64_t size = low + high > 0 ? local[dim] : blocks[dim].size;
    int64_t first = blocks[dim].offset - low;
    int64_t from = std::clamp<int64_t>(first, 0, whole[dim]);
    int64_t end = std::clamp<int64_t>(first + size, from, whole[dim]);
    box.from.push_back(from);
    box.to.push_back(from - first);
    box.sizes.push_back(end - from);
  }
  return box;
}

static void splitBlocks(const std::vector<Block> &blocks,
                        std::vector<int64_t> &offsets,
                        std::vector<int64_t> &sizes) {
  for (const Block &block : blocks) {
    offsets.push_back(block.offset);
    sizes.push_back(block.size);
  }
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The sharding of the parts of complex elements, which lie along a last dimension.
static Sharding forParts(Sharding sharding) {
  sharding.dims.emplace_back();
  return sharding;
}

HostTensor shard::sliceForDevice(const Grid &grid, const HostTensor &whole,
                                 const Sharding &sharding, int64_t device,
                                 const std::vector<int64_t> &stated) {
  if (isComplex(whole.type()) && !sharding.partial.empty())
    return fromParts(sliceForDevice(grid, partsOf(whole), forParts(sharding),
                                    device, stated));
  std::vector<Block> blocks =
      localBlocks(grid, whole.shape(), sharding, device);
  HostTensor local(whole.type(),
                   shapeOn(grid, whole.shape(), sharding, blocks, stated));
  bool isSum = sharding.reduction == ReductionKind::Sum &&
               grid.groupSize(sharding.partial) > 1;
  int64_t position = grid.positionInGroup(device, sharding.partial);
  if (!sharding.partial.empty() &&
      sharding.reduction != ReductionKind::Average && position > isSum) {
    fillNeutral(local, sharding.reduction);
    return local;
  }
  Box box = windowOf(whole.shape(), sharding, blocks, local.shape());
  if (box.sizes != local.shape())
    fillPoison(local);
  copyBox(whole, box.from, local, box.to, box.sizes);
  if (isSum)
    takePartOfSum(local, position);
  return local;
}

std::optional<HostTensor>
shard::viewForDevice(const Grid &grid, const HostTensor &whole,
                     const Sharding &sharding, int64_t device,
                     const std::vector<int64_t> &stated) {
  if (!sharding.partial.empty())
    return std::nullopt;
  std::vector<Block> blocks =
      localBlocks(grid, whole.shape(), sharding, device);
  std::vector<int64_t> shape =
      shapeOn(grid, whole.shape(), sharding, blocks, stated);
  Box box = windowOf(whole.shape(), sharding, blocks, shape);
  if (box.sizes != shape)
    return std::nullopt;
  std::vector<int64_t> strides = rowMajorStrides(whole.shape());
  int64_t offset = 0;
  // In front of the first dimension of which a part is taken, extents have to be 1;
  // behind it, all elements have to be taken.
  bool isPart = false;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (isPart && shape[dim] != whole.shape()[dim])
      return std::nullopt;
    isPart |= shape[dim] != 1;
    offset += box.from[dim] * strides[dim];
  }
  return HostTensor::borrow(whole.type(), shape,
                            whole.data() + offset * byteWidth(whole.type()));
}

/// The valid elements of `local`, without padding and halos.
static HostTensor validPart(const HostTensor &local, const Sharding &sharding,
                            const std::vector<int64_t> &sizes) {
  HostTensor valid(local.type(), sizes);
  copyBox(local, haloOffsets(sharding), valid,
          std::vector<int64_t>(sizes.size(), 0), sizes);
  return valid;
}

HostTensor shard::validBlock(const Grid &grid,
                             const std::vector<int64_t> &shape,
                             const HostTensor &local, const Sharding &sharding,
                             int64_t device, std::vector<int64_t> &offsets) {
  std::vector<int64_t> sizes;
  offsets.clear();
  splitBlocks(localBlocks(grid, shape, sharding, device), offsets, sizes);
  return validPart(local, sharding, sizes);
}

int64_t shard::firstReplica(const Grid &grid, const Sharding &sharding,
                            int64_t device) {
  std::vector<int64_t> coordinates = grid.coordinates(device);
  std::vector<int64_t> first(coordinates.size(), 0);
  for (const AxisList &axes : sharding.dims)
    for (GridAxis axis : axes)
      first[axis] = coordinates[axis];
  return grid.device(first);
}

static std::string describe(const std::vector<int64_t> &index) {
  std::string text = "[";
  for (size_t i = 0; i < index.size(); ++i)
    text += (i ? ", " : "") + std::to_string(index[i]);
  return text + "]";
}

static std::optional<HostTensor>
assembleComplex(const Grid &grid, std::vector<int64_t> shape,
                const Sharding &sharding,
                const std::vector<const HostTensor *> &locals,
                std::string &error, const std::vector<int64_t> &stated) {
  std::vector<HostTensor> parts;
  std::vector<const HostTensor *> pointers;
  for (const HostTensor *local : locals)
    parts.push_back(partsOf(*local));
  for (const HostTensor &part : parts)
    pointers.push_back(&part);
  shape.push_back(2);
  std::optional<HostTensor> whole =
      assemble(grid, shape, forParts(sharding), pointers, error, stated);
  if (!whole)
    return std::nullopt;
  return fromParts(*whole);
}

/// Where the valid elements of the buffer of one device lie in the whole tensor.
struct Place {
  std::vector<int64_t> offsets, sizes;
};

/// That of `device`; nothing, and `error`, if `local` has not the shape of its buffer.
static std::optional<Place> placeOf(const Grid &grid,
                                    const std::vector<int64_t> &shape,
                                    const Sharding &sharding, int64_t device,
                                    const HostTensor &local, std::string &error,
                                    const std::vector<int64_t> &stated) {
  std::vector<Block> blocks = localBlocks(grid, shape, sharding, device);
  std::vector<int64_t> expected =
      shapeOn(grid, shape, sharding, blocks, stated);
  if (local.shape() != expected) {
    error = "device " + std::to_string(device) + " returned " +
            toString(local.type(), local.shape()) + " instead of " +
            toString(local.type(), expected);
    return std::nullopt;
  }
  Place place;
  splitBlocks(blocks, place.offsets, place.sizes);
  return place;
}

/// Whether the valid elements of two replicas of a block are the same bit for bit; if not,
/// `error` names the first that differs.
static bool agree(const Sharding &sharding, const Place &place,
                  const HostTensor &first, int64_t firstDevice,
                  const HostTensor &other, int64_t otherDevice,
                  std::string &error) {
  if (std::find(place.sizes.begin(), place.sizes.end(), 0) != place.sizes.end())
    return true;
  int64_t width = byteWidth(first.type());
  std::vector<int64_t> start = haloOffsets(sharding);
  std::vector<int64_t> strides = rowMajorStrides(first.shape());
  // Rows lie in one piece.
  std::vector<int64_t> rows = place.sizes;
  int64_t row = 1;
  if (!rows.empty())
    std::swap(row, rows.back());
  int64_t numRows = 1;
  for (int64_t extent : rows)
    numRows *= extent;
  for (int64_t i = 0; i < numRows; ++i) {
    std::vector<int64_t> index = delinearize(i, rows);
    int64_t at = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      at += (start[dim] + index[dim]) * strides[dim];
    if (!std::memcmp(first.data() + at * width, other.data() + at * width,
                     row * width))
      continue;
    int64_t column = 0;
    while (!std::memcmp(first.data() + (at + column) * width,
                        other.data() + (at + column) * width, width))
      ++column;
    if (!index.empty())
      index.back() = column;
    for (size_t dim = 0; dim < index.size(); ++dim)
      index[dim] += place.offsets[dim];
    error = "replicas differ: element " + describe(index) + " is " +
            std::to_string(first.asDouble(at + column)) + " on device " +
            std::to_string(firstDevice) + " and " +
            std::to_string(other.asDouble(at + column)) + " on device " +
            std::to_string(otherDevice);
    return false;
  }
  return true;
}

/// The axes that split dimensions.
static AxisList splitAxesOf(const Sharding &sharding) {
  AxisList axes;
  for (const AxisList &dim : sharding.dims)
    axes.insert(axes.end(), dim.begin(), dim.end());
  return axes;
}

/// For each position in the groups of `axes`, the first device there. All others there
/// must hold the same: if not, or if a shape is wrong, nothing, and `error`.
static std::optional<std::map<int64_t, int64_t>>
firstDevices(const Grid &grid, const std::vector<int64_t> &shape,
             const Sharding &sharding, const AxisList &axes,
             const std::vector<const HostTensor *> &locals, std::string &error,
             const std::vector<int64_t> &stated) {
  std::map<int64_t, int64_t> firsts;
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    const HostTensor &local = *locals[device];
    std::optional<Place> place =
        placeOf(grid, shape, sharding, device, local, error, stated);
    if (!place)
      return std::nullopt;
    auto [entry, isFirst] =
        firsts.try_emplace(grid.positionInGroup(device, axes), device);
    int64_t first = entry->second;
    if (!isFirst &&
        !agree(sharding, *place, *locals[first], first, local, device, error))
      return std::nullopt;
  }
  return firsts;
}

/// assemble() without partial axes: blocks are copied to their places, and a block that
/// is the whole tensor is not copied.
static std::optional<HostTensor>
joinBlocks(const Grid &grid, const std::vector<int64_t> &shape,
           const Sharding &sharding,
           const std::vector<const HostTensor *> &locals, std::string &error,
           const std::vector<int64_t> &stated) {
  auto firsts = firstDevices(grid, shape, sharding, splitAxesOf(sharding),
                             locals, error, stated);
  if (!firsts)
    return std::nullopt;
  std::vector<int64_t> offsets, sizes;
  splitBlocks(localBlocks(grid, shape, sharding, 0), offsets, sizes);
  if (firsts->size() == 1 && sizes == shape && locals.front()->shape() == shape)
    return locals.front()->share();
  HostTensor whole(locals.front()->type(), shape);
  for (auto [position, device] : *firsts) {
    (void)position;
    offsets.clear();
    sizes.clear();
    splitBlocks(localBlocks(grid, shape, sharding, device), offsets, sizes);
    copyBox(*locals[device], haloOffsets(sharding), whole, offsets, sizes);
  }
  return whole;
}

std::optional<HostTensor>
shard::assemble(const Grid &grid, const std::vector<int64_t> &shape,
                const Sharding &sharding,
                const std::vector<const HostTensor *> &locals,
                std::string &error, const std::vector<int64_t> &stated) {
  if (sharding.partial.empty())
    return joinBlocks(grid, shape, sharding, locals, error, stated);
  if (isComplex(locals.front()->type()))
    return assembleComplex(grid, shape, sharding, locals, error, stated);
  HostTensor whole(locals.front()->type(), shape);
  AxisList splitAxes = splitAxesOf(sharding);
  AxisList distinguishing = splitAxes;
  distinguishing.insert(distinguishing.end(), sharding.partial.begin(),
                        sharding.partial.end());
  auto firsts = firstDevices(grid, shape, sharding, distinguishing, locals,
                             error, stated);
  if (!firsts)
    return std::nullopt;
  // Devices in order: the summands of one block meet in that order.
  std::map<int64_t, std::pair<int64_t, HostTensor>> totals;
  for (auto [position, device] : *firsts) {
    (void)position;
    std::vector<int64_t> offsets;
    HostTensor valid =
        validBlock(grid, shape, *locals[device], sharding, device, offsets);
    int64_t block = grid.positionInGroup(device, splitAxes);
    auto [total, isFirst] = totals.try_emplace(block, device, HostTensor());
    if (isFirst)
      total->second.second = std::move(valid);
    else
      combineInto(total->second.second, valid, sharding.reduction);
  }
  for (auto &[block, entry] : totals) {
    (void)block;
    auto &[device, valid] = entry;
    if (sharding.reduction == ReductionKind::Average)
      divide(valid, grid.groupSize(sharding.partial));
    std::vector<int64_t> offsets, sizes;
    splitBlocks(localBlocks(grid, shape, sharding, device), offsets, sizes);
    copyBox(valid, std::vector<int64_t>(sizes.size(), 0), whole, offsets,
            sizes);
  }
  return whole;
}

std::string shard::wrongHalo(const Grid &grid, const HostTensor &whole,
                             const Sharding &sharding,
                             const std::vector<const HostTensor *> &locals) {
  if (sharding.halos.empty() || !sharding.partial.empty())
    return {};
  int64_t width = byteWidth(whole.type());
  std::vector<int64_t> start(whole.shape().size(), 0);
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    const HostTensor &local = *locals[device];
    std::vector<Block> blocks =
        localBlocks(grid, whole.shape(), sharding, device);
    if (std::any_of(blocks.begin(), blocks.end(),
                    [](const Block &block) { return block.size == 0; }))
      continue;
    Box box = windowOf(whole.shape(), sharding, blocks, local.shape());
    HostTensor expected(whole.type(), box.sizes);
    HostTensor actual(whole.type(), box.sizes);
    copyBox(whole, box.from, expected, start, box.sizes);
    copyBox(local, box.to, actual, start, box.sizes);
    for (int64_t i = 0, e = actual.numElements(); i < e; ++i) {
      if (!std::memcmp(actual.data() + i * width, expected.data() + i * width,
                       width))
        continue;
      std::vector<int64_t> index = delinearize(i, box.sizes);
      for (size_t dim = 0; dim < index.size(); ++dim)
        index[dim] += box.from[dim];
      return "the halo of device " + std::to_string(device) + " has " +
             std::to_string(actual.asDouble(i)) + " for element " +
             describe(index) + ", which is " +
             std::to_string(expected.asDouble(i));
    }
  }
  return {};
}
