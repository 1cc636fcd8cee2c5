//===- Placement.cpp - Whole tensors to devices and back ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Host/Placement.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

using namespace shard;

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
/// differ between devices, what this one holds.
static std::vector<int64_t> shapeOn(const Grid &grid,
                                    const std::vector<int64_t> &shape,
                                    const Sharding &sharding,
                                    const std::vector<Block> &blocks) {
  std::vector<int64_t> local = localShape(grid, shape, sharding);
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
// Reductions of partial values
//===----------------------------------------------------------------------===//

template <typename T>
static T combineValues(ReductionKind kind, T a, T b) {
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Average:
    return a + b;
  case ReductionKind::Product:
    return a * b;
  case ReductionKind::Max:
  case ReductionKind::UMax:
    return a != a || a > b ? a : b;
  case ReductionKind::Min:
  case ReductionKind::UMin:
    return a != a || a < b ? a : b;
  default:
    return a;
  }
}

static int64_t combineBits(ReductionKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case ReductionKind::BitwiseAnd:
    return a & b;
  case ReductionKind::BitwiseOr:
    return a | b;
  case ReductionKind::BitwiseXor:
    return a ^ b;
  case ReductionKind::UMax:
    return std::max<uint64_t>(a, b);
  case ReductionKind::UMin:
    return std::min<uint64_t>(a, b);
  case ReductionKind::Sum:
  case ReductionKind::Average:
    return static_cast<uint64_t>(a) + static_cast<uint64_t>(b);
  case ReductionKind::Product:
    return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
  default:
    return combineValues(kind, a, b);
  }
}

/// Element `i` as an integer: sign-extended, or zero-extended where the kind is
/// unsigned.
static int64_t loadInteger(const HostTensor &tensor, int64_t i,
                           bool isUnsigned) {
  int64_t width = byteWidth(tensor.type());
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.data() + i * width, width);
  if (isUnsigned || width == 8)
    return static_cast<int64_t>(bits);
  int shift = static_cast<int>(64 - 8 * width);
  return static_cast<int64_t>(bits << shift) >> shift;
}

static void storeInteger(HostTensor &tensor, int64_t i, int64_t value) {
  if (tensor.type() == ElementType::I1)
    value &= 1;
  int64_t width = byteWidth(tensor.type());
  std::memcpy(tensor.data() + i * width, &value, width);
}

static void storeFloat(HostTensor &tensor, int64_t i, double value) {
  if (isSmallFloat(tensor.type())) {
    tensor.data()[i] = doubleToSmallFloat(tensor.type(), value);
    return;
  }
  uint16_t narrow;
  float single = static_cast<float>(value);
  switch (tensor.type()) {
  case ElementType::F64:
    std::memcpy(tensor.data() + i * 8, &value, 8);
    return;
  case ElementType::F32:
    std::memcpy(tensor.data() + i * 4, &single, 4);
    return;
  case ElementType::F16:
    narrow = floatToHalf(single);
    break;
  default:
    narrow = floatToBfloat(single);
    break;
  }
  std::memcpy(tensor.data() + i * 2, &narrow, 2);
}

/// The element that changes nothing under `kind`, everywhere in `tensor`.
static void fillNeutral(HostTensor &tensor, ReductionKind kind) {
  bool floating = isFloat(tensor.type());
  int64_t bits = 8 * byteWidth(tensor.type());
  int64_t least = static_cast<int64_t>(~uint64_t(0) << (bits - 1));
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i) {
    double value = 0.0;
    int64_t integer = 0;
    switch (kind) {
    case ReductionKind::Product:
      value = 1.0;
      integer = 1;
      break;
    case ReductionKind::Max:
      value = -INFINITY;
      integer = least;
      break;
    case ReductionKind::Min:
      value = INFINITY;
      integer = ~least;
      break;
    case ReductionKind::BitwiseAnd:
    case ReductionKind::UMin:
      integer = -1;
      break;
    default:
      break;
    }
    if (floating)
      storeFloat(tensor, i, value);
    else
      storeInteger(tensor, i, integer);
  }
}

/// The part of a sum of the device at `position`, 0 or 1, of all that hold
/// `tensor`: twice the value and its negative. What takes one device's part for
/// the value goes wrong, and so does whatever is not linear. Large floats stay at
/// the first device, as they have no double.
static void takePartOfSum(HostTensor &tensor, int64_t position) {
  constexpr double hasDouble = 1e4;
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i) {
    if (!isFloat(tensor.type())) {
      uint64_t value = loadInteger(tensor, i, false);
      storeInteger(tensor, i,
                   static_cast<int64_t>(position == 0 ? 2 * value : -value));
      continue;
    }
    double value = tensor.asDouble(i);
    if (value > hasDouble || value < -hasDouble)
      value = position == 0 ? value : 0.0;
    else
      value = position == 0 ? 2 * value : -value;
    storeFloat(tensor, i, value);
  }
}

/// total[i] = total[i] combined with next[i].
static void combineInto(HostTensor &total, const HostTensor &next,
                        ReductionKind kind) {
  bool isUnsigned = kind == ReductionKind::UMax || kind == ReductionKind::UMin;
  for (int64_t i = 0, e = total.numElements(); i < e; ++i) {
    if (isFloat(total.type()))
      storeFloat(total, i,
                 combineValues(kind, total.asDouble(i), next.asDouble(i)));
    else
      storeInteger(total, i,
                   combineBits(kind, loadInteger(total, i, isUnsigned),
                               loadInteger(next, i, isUnsigned)));
  }
}

static void divide(HostTensor &total, int64_t count) {
  for (int64_t i = 0, e = total.numElements(); i < e; ++i) {
    if (isFloat(total.type()))
      storeFloat(total, i, total.asDouble(i) / static_cast<double>(count));
    else
      storeInteger(total, i, loadInteger(total, i, false) / count);
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
                                 const Sharding &sharding, int64_t device) {
  if (isComplex(whole.type()) && !sharding.partial.empty())
    return fromParts(
        sliceForDevice(grid, partsOf(whole), forParts(sharding), device));
  std::vector<Block> blocks =
      localBlocks(grid, whole.shape(), sharding, device);
  HostTensor local(whole.type(),
                   shapeOn(grid, whole.shape(), sharding, blocks));
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

std::optional<HostTensor> shard::viewForDevice(const Grid &grid,
                                               const HostTensor &whole,
                                               const Sharding &sharding,
                                               int64_t device) {
  if (!sharding.partial.empty())
    return std::nullopt;
  std::vector<Block> blocks =
      localBlocks(grid, whole.shape(), sharding, device);
  std::vector<int64_t> shape = shapeOn(grid, whole.shape(), sharding, blocks);
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

static std::optional<HostTensor> assembleComplex(
    const Grid &grid, std::vector<int64_t> shape, const Sharding &sharding,
    const std::vector<const HostTensor *> &locals, std::string &error) {
  std::vector<HostTensor> parts;
  std::vector<const HostTensor *> pointers;
  for (const HostTensor *local : locals)
    parts.push_back(partsOf(*local));
  for (const HostTensor &part : parts)
    pointers.push_back(&part);
  shape.push_back(2);
  std::optional<HostTensor> whole =
      assemble(grid, shape, forParts(sharding), pointers, error);
  if (!whole)
    return std::nullopt;
  return fromParts(*whole);
}

std::optional<HostTensor>
shard::assemble(const Grid &grid, const std::vector<int64_t> &shape,
                const Sharding &sharding,
                const std::vector<const HostTensor *> &locals,
                std::string &error) {
  if (isComplex(locals.front()->type()))
    return assembleComplex(grid, shape, sharding, locals, error);
  HostTensor whole(locals.front()->type(), shape);
  AxisList splitAxes;
  for (const AxisList &axes : sharding.dims)
    splitAxes.insert(splitAxes.end(), axes.begin(), axes.end());
  AxisList distinguishing = splitAxes;
  distinguishing.insert(distinguishing.end(), sharding.partial.begin(),
                        sharding.partial.end());
  // The first device of each set of replicas, and what it holds.
  std::map<int64_t, std::pair<int64_t, HostTensor>> firsts;
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    std::vector<Block> blocks = localBlocks(grid, shape, sharding, device);
    std::vector<int64_t> offsets, sizes;
    splitBlocks(blocks, offsets, sizes);
    const HostTensor &local = *locals[device];
    if (local.shape() != shapeOn(grid, shape, sharding, blocks)) {
      error = "device " + std::to_string(device) + " returned " +
              toString(local.type(), local.shape()) + " instead of " +
              toString(local.type(), shapeOn(grid, shape, sharding, blocks));
      return std::nullopt;
    }
    HostTensor valid = validPart(local, sharding, sizes);
    int64_t position = grid.positionInGroup(device, distinguishing);
    auto [entry, isFirst] = firsts.try_emplace(position, device, HostTensor());
    if (isFirst) {
      entry->second.second = std::move(valid);
      continue;
    }
    const HostTensor &first = entry->second.second;
    int64_t width = byteWidth(valid.type());
    for (int64_t i = 0, e = valid.numElements(); i < e; ++i) {
      if (!std::memcmp(valid.data() + i * width, first.data() + i * width,
                       width))
        continue;
      std::vector<int64_t> index = delinearize(i, sizes);
      for (size_t dim = 0; dim < index.size(); ++dim)
        index[dim] += offsets[dim];
      error = "replicas differ: element " + describe(index) + " is " +
              std::to_string(first.asDouble(i)) + " on device " +
              std::to_string(entry->second.first) + " and " +
              std::to_string(valid.asDouble(i)) + " on device " +
              std::to_string(device);
      return std::nullopt;
    }
  }
  // Devices in order: the summands of one block meet in that order.
  std::map<int64_t, std::pair<int64_t, HostTensor>> totals;
  for (auto &[position, entry] : firsts) {
    (void)position;
    auto &[device, valid] = entry;
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
    if (!sharding.partial.empty() &&
        sharding.reduction == ReductionKind::Average)
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
