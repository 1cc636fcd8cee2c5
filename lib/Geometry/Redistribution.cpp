//===- Redistribution.cpp - Who sends what from blocks to blocks ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Redistribution.h"

#include <algorithm>
#include <utility>

namespace shard {

namespace {

using Blocks = std::vector<Block>;

Blocks blocksAt(const Redistribution &r,
                const std::vector<std::vector<size_t>> &split,
                const std::vector<int64_t> &coordinates) {
  Blocks blocks;
  for (size_t dim = 0; dim < r.extents.size(); ++dim) {
    std::vector<int64_t> sizes, at;
    if (dim < split.size())
      for (size_t axis : split[dim]) {
        sizes.push_back(r.sizes[axis]);
        at.push_back(coordinates[axis]);
      }
    blocks.push_back(blockAt(r.extents[dim], sizes, at));
  }
  return blocks;
}

Block intersect(const Block &a, const Block &b) {
  int64_t begin = std::max(a.offset, b.offset);
  int64_t end = std::min(a.offset + a.size, b.offset + b.size);
  return {begin, std::max<int64_t>(0, end - begin)};
}

/// One of the parts that the axes cut a dimension into. `device` is the position of the device
/// that has it and is at coordinate 0 of all axes that do not split the dimension.
struct Part {
  Block block;
  int64_t device;
};

/// How far the devices at neighbouring coordinates of each axis are apart.
std::vector<int64_t> stridesOf(const Redistribution &r) {
  std::vector<int64_t> strides(r.sizes.size(), 1);
  for (size_t axis = strides.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * r.sizes[axis];
  return strides;
}

/// The transfers of a redistribution. Blocks are products of parts of dimensions, so what a
/// receiver wants is found dimension by dimension: the time depends on the boxes that there
/// are, not on the pairs of devices.
class Transfers {
public:
  explicit Transfers(const Redistribution &r)
      : r(r), strides(stridesOf(r)), sent(r.devices()),
        parts(r.extents.size()) {
    std::vector<bool> splits(r.sizes.size());
    for (size_t dim = 0; dim < r.extents.size(); ++dim) {
      findOverlaps(partsOf(r.from, dim), partsOf(r.to, dim));
      if (dim < r.from.size())
        for (size_t axis : r.from[dim])
          splits[axis] = true;
    }
    copies = {0};
    for (size_t axis = 0; axis < splits.size(); ++axis) {
      if (splits[axis])
        fromAxes.push_back(axis);
      else
        copyAlong(axis);
    }
  }

  template <typename Visit>
  void forEach(Visit visit) {
    Transfer transfer;
    transfer.box.resize(r.extents.size());
    for (int64_t receiver = 0; receiver < r.devices(); ++receiver) {
      transfer.receiver = receiver;
      findBoxes(receiver);
      for (const Source &source : sources) {
        std::copy_n(boxes.begin() + static_cast<ptrdiff_t>(source.box),
                    transfer.box.size(), transfer.box.begin());
        transfer.sender = senderOf(source.device, receiver);
        if (transfer.sender != receiver)
          sent[transfer.sender] += transfer.elements();
        visit(transfer);
      }
    }
  }

private:
  /// A block before that has some of what a receiver wants: the first device with it, and
  /// where in `boxes` the box of both begins.
  struct Source {
    int64_t device;
    size_t box;
  };

  int64_t coordinate(int64_t device, size_t axis) const {
    return device / strides[axis] % r.sizes[axis];
  }

  /// The parts of dimension `dim`, in order.
  std::vector<Part> partsOf(const std::vector<std::vector<size_t>> &split,
                            size_t dim) const {
    std::vector<int64_t> sizes;
    if (dim < split.size())
      for (size_t axis : split[dim])
        sizes.push_back(r.sizes[axis]);
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    std::vector<Part> parts;
    for (int64_t i = 0; i < count; ++i) {
      std::vector<int64_t> at = delinearize(i, sizes);
      int64_t device = 0;
      for (size_t j = 0; j < at.size(); ++j)
        device += at[j] * strides[split[dim][j]];
      parts.push_back({blockAt(r.extents[dim], sizes, at), device});
    }
    return parts;
  }

  void findOverlaps(const std::vector<Part> &before,
                    const std::vector<Part> &after) {
    overlaps.emplace_back();
    for (const Part &wanted : after) {
      overlaps.back().emplace_back();
      for (const Part &part : before) {
        Block common = intersect(wanted.block, part.block);
        if (common.size > 0)
          overlaps.back().back().push_back({common, part.device});
      }
    }
  }

  /// Devices that differ along `axis` have the same block before.
  void copyAlong(size_t axis) {
    std::vector<int64_t> all;
    for (int64_t copy : copies)
      for (int64_t at = 0; at < r.sizes[axis]; ++at)
        all.push_back(copy + at * strides[axis]);
    copies = std::move(all);
  }

  /// The parts before that the block of `receiver` after touches in dimension `dim`.
  const std::vector<Part> &touched(size_t dim, int64_t receiver) const {
    int64_t part = 0;
    if (dim < r.to.size())
      for (size_t axis : r.to[dim])
        part = part * r.sizes[axis] + coordinate(receiver, axis);
    return overlaps[dim][static_cast<size_t>(part)];
  }

  /// Fills `sources`, in the order of the devices, and `boxes`.
  void findBoxes(int64_t receiver) {
    size_t rank = r.extents.size(), count = 1;
    for (size_t dim = 0; dim < rank; ++dim) {
      parts[dim] = &touched(dim, receiver);
      count *= parts[dim]->size();
    }
    sources.resize(count);
    boxes.resize(count * rank);
    for (size_t i = 0; i < count; ++i) {
      sources[i] = {0, i * rank};
      size_t rest = i;
      for (size_t dim = rank; dim-- > 0;) {
        const Part &part = (*parts[dim])[rest % parts[dim]->size()];
        rest /= parts[dim]->size();
        sources[i].device += part.device;
        boxes[i * rank + dim] = part.block;
      }
    }
    std::sort(
        sources.begin(), sources.end(),
        [](const Source &a, const Source &b) { return a.device < b.device; });
  }

  /// Of the devices with the block of `first` the receiver, or the one that has sent the
  /// fewest elements.
  int64_t senderOf(int64_t first, int64_t receiver) const {
    int64_t own = 0;
    for (size_t axis : fromAxes)
      own += coordinate(receiver, axis) * strides[axis];
    if (own == first)
      return receiver;
    int64_t best = first;
    for (int64_t copy : copies)
      if (sent[first + copy] < sent[best])
        best = first + copy;
    return best;
  }

  const Redistribution &r;
  std::vector<int64_t> strides, sent;
  /// Of each dimension, for each part after, what it has in common with the parts before.
  std::vector<std::vector<std::vector<Part>>> overlaps;
  /// The axes that split a dimension before.
  std::vector<size_t> fromAxes;
  /// How far the devices with one block before are behind the first of them, ascending.
  std::vector<int64_t> copies;
  /// What the receiver at hand gets, and of each dimension the parts that it touches.
  std::vector<Source> sources;
  std::vector<Block> boxes;
  std::vector<const std::vector<Part> *> parts;
};

} // namespace

int64_t Redistribution::devices() const {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

std::vector<Block> Redistribution::blockBefore(int64_t position) const {
  return blocksAt(*this, from, delinearize(position, sizes));
}

std::vector<Block> Redistribution::blockAfter(int64_t position) const {
  return blocksAt(*this, to, delinearize(position, sizes));
}

int64_t Transfer::elements() const {
  int64_t product = 1;
  for (const Block &range : box)
    product *= range.size;
  return product;
}

void forEachTransfer(const Redistribution &r,
                     const std::function<void(const Transfer &)> &visit) {
  Transfers(r).forEach(visit);
}

TransferCounts countTransfers(const Redistribution &r) {
  TransferCounts counts;
  counts.sent.resize(r.devices());
  counts.received.resize(r.devices());
  Transfers(r).forEach([&](const Transfer &transfer) {
    if (transfer.sender == transfer.receiver)
      return;
    int64_t elements = transfer.elements();
    counts.sent[transfer.sender] += elements;
    counts.received[transfer.receiver] += elements;
  });
  return counts;
}

} // namespace shard
