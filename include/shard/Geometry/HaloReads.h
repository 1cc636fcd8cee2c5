//===- HaloReads.h - What devices read of blocks with halos -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exchange of halos gives all devices halos of the same widths, but where windows
// drift against blocks, where blocks are short and where windows lie apart a device reads
// less of them. Only what devices read needs to be sent.
//
//   7 elements in blocks of 4, each second one read: the elements 0, 2 by device 0 and
//   4, 6 by device 1; neither needs an element of the other
//
// In a tensor that is spread, only each second, third, ... element carries data, and all
// others are one fill, which every device writes by itself. Then only elements with data
// count as read.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_GEOMETRY_HALOREADS_H
#define SHARD_GEOMETRY_HALOREADS_H

#include "shard/Geometry/Window.h"

#include <optional>
#include <vector>

namespace shard {

/// The elements first, first + step, ... in front of `last`.
struct ReadRange {
  int64_t first = 0, last = 0, step = 1;

  int64_t count() const {
    return first >= last ? 0 : ceilDiv(last - first, step);
  }
  /// Those of them in [begin, end).
  ReadRange within(int64_t begin, int64_t end) const;
};

/// The elements of `valid` that `iterations` read. Of a window that lies apart from the
/// next one and reads several elements, those between are counted too.
ReadRange elementsRead(const Window &window, Block valid, Block iterations);

/// What the iterations of a loop read of a dimension.
struct WindowReads {
  int64_t iterations = 0;
  Window window;
  Block valid;
  /// Of the valid elements each one that lies a multiple of this behind the first one
  /// counts.
  int64_t step = 1;

  bool operator==(const WindowReads &other) const {
    return iterations == other.iterations && window == other.window &&
           valid == other.valid && step == other.step;
  }
  bool operator!=(const WindowReads &other) const { return !(*this == other); }
};

/// The elements that `iterations` read and that count, as above. Where windows that lie
/// apart read only some of the elements that count, those between are counted too.
ReadRange elementsRead(const WindowReads &reads, Block iterations);

/// A dimension in blocks of `core` elements with halos of `low` and `high` elements, as
/// they are exchanged: axes of sizes `split` cut it.
struct HaloDimension {
  int64_t core = 0, low = 0, high = 0;
  std::vector<int64_t> split;
  /// What devices read, whose iterations are split by the same axes; if it is not given,
  /// the block with its halos.
  std::optional<WindowReads> reads;

  int64_t parts() const;
  /// The elements of the dimension that the device at `position` takes from the devices
  /// that have them, itself included.
  ReadRange taken(int64_t position) const;
};

/// Of the block at each position along a dimension, the number of elements that the
/// devices of all positions take, those that several take counted as often, and of those
/// that the device takes itself. Where dimensions of an exchange have shares
/// (a, b), ... at the position of a device, it sends the product of all a less that of
/// all b.
struct HaloShare {
  int64_t all = 0, own = 0;

  bool operator==(const HaloShare &other) const {
    return all == other.all && own == other.own;
  }
};
std::vector<HaloShare> haloShares(const HaloDimension &dimension);

} // namespace shard

#endif // SHARD_GEOMETRY_HALOREADS_H
