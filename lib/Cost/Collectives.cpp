//===- Collectives.cpp - What one collective sends -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Cost/Collectives.h"

#include "shard/Geometry/BlockLayout.h"
#include "shard/IR/HaloWindows.h"
#include "shard/IR/ShardingUtils.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

bool SentBytes::add(const SentBytes &other, int64_t times) {
  auto addProduct = [&](int64_t &sum, int64_t bytes) {
    int64_t product;
    return !__builtin_mul_overflow(bytes, times, &product) &&
           !__builtin_add_overflow(sum, product, &sum);
  };
  bool fits = addProduct(base, other.base);
  for (auto [position, bytes] : other.more)
    fits &= addProduct(more[position], bytes);
  return fits;
}

int64_t SentBytes::most(int64_t groupSize) const {
  // A device that is not listed.
  std::optional<int64_t> most;
  if (static_cast<int64_t>(more.size()) < groupSize || more.empty())
    most = base;
  for (auto [position, bytes] : more)
    most = std::max(most.value_or(base + bytes), base + bytes);
  return *most;
}

/// The bytes of an element of `type` in memory; nothing if it has no such form.
static std::optional<int64_t> elementBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    std::optional<int64_t> half = elementBytes(complex.getElementType());
    return half ? std::optional(2 * *half) : std::nullopt;
  }
  if (type.isIndex())
    return 8;
  if (!type.isIntOrFloat())
    return std::nullopt;
  // Next power of two of whole bytes, as the runtime moves it.
  int64_t bytes = 1;
  while (8 * bytes < int64_t(type.getIntOrFloatBitWidth()))
    bytes *= 2;
  return bytes;
}

/// The elements of a tensor of `type` times `bytes`; nothing if that is not known.
static std::optional<int64_t> bytesOfShape(ShapedType type, int64_t bytes) {
  if (!type.hasStaticShape())
    return std::nullopt;
  for (int64_t extent : type.getShape())
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  return bytes;
}

std::optional<int64_t> bytesOfType(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  std::optional<int64_t> bytes = elementBytes(getElementTypeOrSelf(type));
  if (!bytes || !shaped)
    return bytes;
  return shaped.hasRank() ? bytesOfShape(shaped, *bytes) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {

/// The group of one op and what a device puts in.
struct Group {
  std::vector<int64_t> axes, sizes;
  int64_t size = 1;
  int64_t inputBytes = 0;
};

/// The position of `coordinates`, one per axis of `group`; nothing unless all are
/// known and in range.
std::optional<int64_t> positionOf(const Group &group,
                                  ArrayRef<int64_t> coordinates) {
  if (coordinates.size() != group.sizes.size())
    return std::nullopt;
  int64_t position = 0;
  for (auto [coordinate, size] : llvm::zip(coordinates, group.sizes)) {
    if (coordinate < 0 || coordinate >= size)
      return std::nullopt;
    position = position * size + coordinate;
  }
  return position;
}

std::optional<SentBytes> fromAll(std::optional<int64_t> bytes) {
  return bytes ? std::optional(SentBytes{*bytes, {}}) : std::nullopt;
}

/// The bytes of the other devices' pieces of the input, which is cut along `dim`. All pieces have
/// as many elements as the largest one. Nothing if that is more than 64 bits hold.
std::optional<int64_t> bytesOfOthers(const Group &group, Value input,
                                     const APInt &dim) {
  int64_t extent =
      cast<RankedTensorType>(input.getType()).getDimSize(dim.getSExtValue());
  if (extent == 0)
    return 0;
  int64_t block = group.inputBytes / extent * localExtent(extent, group.size);
  int64_t bytes;
  return llvm::MulOverflow(group.size - 1, block, bytes) ? std::nullopt
                                                         : std::optional(bytes);
}

/// `bytes` from the root alone.
std::optional<SentBytes> fromRoot(const Group &group, ArrayRef<int64_t> root,
                                  std::optional<int64_t> bytes) {
  std::optional<int64_t> position = positionOf(group, root);
  if (!position || !bytes)
    return std::nullopt;
  return SentBytes{0, {{*position, group.size > 1 ? *bytes : 0}}};
}

/// `bytes` from all but the root.
std::optional<SentBytes> toRoot(const Group &group, ArrayRef<int64_t> root,
                                int64_t bytes) {
  std::optional<int64_t> position = positionOf(group, root);
  if (!position)
    return std::nullopt;
  return SentBytes{bytes, {{*position, -bytes}}};
}

/// The positions of groups are listed up to this size.
constexpr int64_t kMostPositions = 1 << 16;

/// Of `bytes`, what the other devices of the group have where each has as much.
int64_t sharesOfOthers(const Group &group, int64_t bytes) {
  return bytes - llvm::divideCeil(bytes, group.size);
}

std::optional<SentBytes> sentBy(const Group &group, AllGatherOp) {
  int64_t bytes;
  if (llvm::MulOverflow(group.size - 1, group.inputBytes, bytes))
    return std::nullopt;
  return fromAll(bytes);
}
std::optional<SentBytes> sentBy(const Group &group, AllReduceOp) {
  int64_t bytes;
  if (llvm::MulOverflow<int64_t>(2, group.inputBytes, bytes))
    return std::nullopt;
  return fromAll(sharesOfOthers(group, bytes));
}
std::optional<SentBytes> sentBy(const Group &group, ReduceScatterOp op) {
  return fromAll(bytesOfOthers(group, op.getInput(), op.getScatterAxis()));
}
std::optional<SentBytes> sentBy(const Group &group, ReduceOp) {
  return fromAll(sharesOfOthers(group, group.inputBytes));
}
std::optional<SentBytes> sentBy(const Group &group, AllToAllOp op) {
  return fromAll(bytesOfOthers(group, op.getInput(), op.getSplitAxis()));
}
std::optional<SentBytes> sentBy(const Group &group, BroadcastOp op) {
  return fromRoot(group, op.getRoot(), group.inputBytes);
}
std::optional<SentBytes> sentBy(const Group &group, ScatterOp op) {
  return fromRoot(group, op.getRoot(),
                  bytesOfOthers(group, op.getInput(), op.getScatterAxis()));
}
std::optional<SentBytes> sentBy(const Group &group, GatherOp op) {
  return toRoot(group, op.getRoot(), group.inputBytes);
}
std::optional<SentBytes> sentBy(const Group &group, SendOp op) {
  return toRoot(group, op.getDestination(), group.inputBytes);
}
std::optional<SentBytes> sentBy(const Group &, RecvOp) { return fromAll(0); }

std::optional<SentBytes> sentBy(const Group &group, ShiftOp op) {
  if (group.size > kMostPositions)
    return std::nullopt;
  // The stride and the size of each axis that is shifted along.
  SmallVector<std::pair<int64_t, int64_t>> along;
  int64_t extent = 1;
  for (GridAxis axis : op.getShiftAxes()) {
    auto at = llvm::find(group.axes, axis);
    if (at == group.axes.end())
      return std::nullopt;
    size_t index = at - group.axes.begin();
    int64_t stride = 1;
    for (size_t i = index + 1; i < group.sizes.size(); ++i)
      stride *= group.sizes[i];
    along.emplace_back(stride, group.sizes[index]);
    extent *= group.sizes[index];
  }
  // Further away than twice the extent nothing is there; less does not overflow.
  auto given = static_cast<int64_t>(op.getOffset());
  int64_t offset = op.getRotate() ? given % extent
                                  : std::clamp(given, -2 * extent, 2 * extent);
  SentBytes sent;
  for (int64_t position = 0; position < group.size; ++position) {
    int64_t here = 0;
    for (auto [stride, size] : along)
      here = here * size + position / stride % size;
    int64_t there = op.getMirror() ? offset - here : here + offset;
    if (op.getRotate())
      there = ((there % extent) + extent) % extent;
    if (there != here && there >= 0 && there < extent)
      sent.more[position] = group.inputBytes;
  }
  return sent;
}

/// The coordinates of the device at `position` of a group of `sizes`.
SmallVector<int64_t> coordinatesOf(ArrayRef<int64_t> sizes, int64_t position) {
  SmallVector<int64_t> coordinates(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    coordinates[i] = position % sizes[i];
    position /= sizes[i];
  }
  return coordinates;
}

/// The group's axes are `from`, then those of `to` alone.
std::optional<SentBytes> sentBy(const Group &group, PermuteOp op) {
  if (group.size > kMostPositions)
    return std::nullopt;
  // The same axes, those of `to` first, then those of `from` alone.
  SmallVector<int64_t> target(op.getToAxes());
  for (int64_t axis : op.getFromAxes())
    if (!llvm::is_contained(target, axis))
      target.push_back(axis);
  SentBytes sent;
  for (int64_t position = 0; position < group.size; ++position) {
    SmallVector<int64_t> here = coordinatesOf(group.sizes, position);
    // The device that has the number by `target` that this one has by the group.
    int64_t number = 0;
    for (int64_t axis : target) {
      size_t index = llvm::find(group.axes, axis) - group.axes.begin();
      number = number * group.sizes[index] + here[index];
    }
    if (number != position)
      sent.more[position] = group.inputBytes;
  }
  return sent;
}

std::optional<SentBytes> sentBy(const Group &group, RedistributeOp op) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  std::optional<int64_t> bytes = elementBytes(type.getElementType());
  SymbolTableCollection symbols;
  GridOp grid = getGrid(op, symbols);
  if (!bytes || !grid || group.size > kMostPositions)
    return std::nullopt;
  SentBytes sent;
  for (auto [position, elements] :
       llvm::enumerate(countTransfers(op.getRedistribution(grid)).sent))
    if (elements > 0)
      sent.more[position] = elements * *bytes;
  return sent;
}

/// The dimensions of an exchange; nothing where it is not all static.
std::optional<std::vector<HaloDimension>> dimensionsOf(const Group &group,
                                                       UpdateHaloOp op) {
  auto type = cast<ShapedType>(op.getDestination().getType());
  if (!type.hasStaticShape() || !op.getHaloSizes().empty())
    return std::nullopt;
  std::vector<HaloDimension> dims(type.getRank());
  auto size = group.sizes.begin();
  ArrayRef<GridAxesAttr> lists = op.getSplitAxes().getAxes();
  ArrayRef<int64_t> halos = op.getStaticHaloSizes();
  HaloWindows windows = getWindows(op);
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (index < lists.size() && !lists[index].empty()) {
      dim.split.assign(size, size + lists[index].size());
      size += lists[index].size();
      if (halos.size() >= 2) {
        dim.low = halos[0];
        dim.high = halos[1];
        halos = halos.drop_front(2);
      }
    }
    dim.core = type.getDimSize(index) - dim.low - dim.high;
    if (!windows.empty())
      dim.reads = windows[index];
  }
  return dims;
}

/// What others read of the block.
std::optional<SentBytes> sentBy(const Group &group, UpdateHaloOp op) {
  auto type = cast<ShapedType>(op.getDestination().getType());
  std::optional<int64_t> bytes = elementBytes(type.getElementType());
  auto dims = dimensionsOf(group, op);
  if (!bytes || !dims || group.size > kMostPositions)
    return std::nullopt;
  SmallVector<std::vector<HaloShare>> shares;
  for (const HaloDimension &dim : *dims)
    shares.push_back(haloShares(dim));
  SentBytes sent;
  for (int64_t position = 0; position < group.size; ++position) {
    int64_t rest = position, all = *bytes, own = *bytes;
    // The last dimension is the minor one.
    for (const std::vector<HaloShare> &line : llvm::reverse(shares)) {
      const HaloShare &share = line[rest % int64_t(line.size())];
      rest /= int64_t(line.size());
      all *= share.all;
      own *= share.own;
    }
    if (all != own)
      sent.more[position] = all - own;
  }
  return sent;
}

} // namespace

//===----------------------------------------------------------------------===//
// The cost of an op
//===----------------------------------------------------------------------===//

/// The axes of the group of `op` as the runtime knows them; nothing for other ops and
/// for all_slice.
static std::optional<std::vector<int64_t>> axesOf(Operation *op) {
  if (!isCollective(op) || isa<AllSliceOp>(op))
    return std::nullopt;
  std::vector<int64_t> axes;
  if (auto halo = dyn_cast<UpdateHaloOp>(op)) {
    // The neighbours are those along the axes that split the block.
    for (GridAxesAttr list : halo.getSplitAxes().getAxes())
      llvm::append_range(axes, list.asArrayRef());
  } else if (auto permute = dyn_cast<PermuteOp>(op)) {
    llvm::append_range(axes, permute.getFromAxes());
    for (int64_t axis : permute.getToAxes())
      if (!llvm::is_contained(axes, axis))
        axes.push_back(axis);
  } else if (auto list = op->getAttrOfType<DenseI16ArrayAttr>("grid_axes")) {
    llvm::append_range(axes, list.asArrayRef());
  } else {
    return std::nullopt;
  }
  return axes;
}

namespace {
/// The calls of the runtime for one op, and the bytes that a device puts into all of them
/// together; nothing where they are known only when the program runs.
struct Calls {
  int64_t count = 1;
  std::optional<int64_t> bytes;
};
} // namespace

/// How many calls the runtime sees for `op`; nothing if that is not known. Elements
/// that the runtime does not know are moved in parts
/// (lib/Conversion/LegalizeElements.cpp).
static std::optional<Calls> callsOf(Operation *op) {
  // Combined by a region of the op: the runtime sees another collective.
  if (op->getNumRegions() > 0 && !op->getRegion(0).empty())
    return std::nullopt;
  auto result = dyn_cast<ShapedType>(op->getResult(0).getType());
  if (!result)
    return std::nullopt;
  Type element = result.getElementType();
  bool combines = op->hasAttr("reduction");
  std::optional<int64_t> bytes = elementBytes(element);
  // Longer ones are moved as words of 64 bits, fewer than their memory has.
  if (!bytes || *bytes > 16)
    return std::nullopt;
  // One call moves both parts of an element, but for what speaks of each dimension.
  Calls calls;
  bool hasParts = *bytes > 8 || (combines && isa<ComplexType>(element));
  if (hasParts && isa<UpdateHaloOp, RedistributeOp>(op))
    calls.count = 2;
  // What is combined is converted to the type of the result before.
  if (isa<RecvOp>(op))
    calls.bytes = 0;
  else if (auto input = dyn_cast<ShapedType>(op->getOperand(0).getType());
           input && input.hasRank())
    calls.bytes = bytesOfShape(input, *bytes);
  return calls;
}

static int64_t stepsOf(Operation *op, int64_t size) {
  return TypeSwitch<Operation *, int64_t>(op)
      .Case<AllGatherOp, ReduceScatterOp, AllToAllOp>(
          [&](auto) { return size - 1; })
      .Case<AllReduceOp>([&](auto) {
        return size <= INT64_MAX / 2 ? 2 * (size - 1) : INT64_MAX;
      })
      .Default([&](auto) { return size > 1 ? 1 : 0; });
}

std::optional<CollectiveCost> costOfCollective(Operation *op,
                                               SymbolTableCollection &symbols) {
  return axesOf(op) ? costOfCollective(op, getGrid(op, symbols)) : std::nullopt;
}

std::optional<CollectiveCost> costOfCollective(Operation *op, GridOp grid) {
  std::optional<std::vector<int64_t>> axes = axesOf(op);
  if (!axes || !grid)
    return std::nullopt;
  CollectiveCost cost;
  cost.kind = op->getName().stripDialect().str();
  cost.axes = std::move(*axes);
  cost.location = describeLocation(op->getLoc());
  for (int64_t extent : grid.getShape())
    cost.gridShape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  std::optional<Calls> calls = callsOf(op);
  if (calls)
    cost.calls = calls->count;
  Group group;
  group.axes = cost.axes;
  for (int64_t axis : cost.axes) {
    int64_t size = cost.gridShape[axis];
    if (size < 0 || __builtin_mul_overflow(group.size, size, &group.size))
      return cost;
    group.sizes.push_back(size);
  }
  cost.groupSize = group.size;
  cost.steps = stepsOf(op, group.size);
  if (!calls || !calls->bytes)
    return cost;
  group.inputBytes = *calls->bytes;
  int64_t most;
  if (__builtin_mul_overflow(group.inputBytes, group.size, &most) ||
      __builtin_mul_overflow(most, 2, &most))
    return cost;
  cost.sent =
      TypeSwitch<Operation *, std::optional<SentBytes>>(op)
          .Case<AllGatherOp, AllReduceOp, ReduceScatterOp, ReduceOp, AllToAllOp,
                BroadcastOp, ScatterOp, GatherOp, SendOp, RecvOp, ShiftOp,
                PermuteOp, RedistributeOp, UpdateHaloOp>(
              [&](auto concrete) { return sentBy(group, concrete); })
          .Default(std::optional<SentBytes>());
  return cost;
}

} // namespace shard
