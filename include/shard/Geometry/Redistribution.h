//===- Redistribution.h - Who sends what from blocks to blocks --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A redistribution takes the devices of a group from one sharding of a tensor to
// another in one step: each device receives exactly the elements of its new block
// that its old one lacks. Where several devices have such elements, one of them
// sends.
//
//   4 x 4 elements on a 2 x 2 grid, from [[0], [1]] to [[0, 1], []]: the device at
//   (0, 0) has rows 0, 1 of columns 0, 1 and wants row 0; it receives row 0 of columns
//   2, 3 from (0, 1)
//
// The work to find the senders grows with the number of devices of a group, so it is
// done for small groups only (kMaxRedistributingDevices).
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_GEOMETRY_REDISTRIBUTION_H
#define SHARD_GEOMETRY_REDISTRIBUTION_H

#include "shard/Geometry/BlockLayout.h"

#include <functional>
#include <vector>

namespace shard {

/// The most devices that a group of a redistribution may have.
constexpr int64_t kMaxRedistributingDevices = 256;

struct Redistribution {
  /// What the devices of the group have together, per dimension.
  std::vector<int64_t> extents;
  /// The sizes of the group's axes, major first.
  std::vector<int64_t> sizes;
  /// The axes that split each dimension before and after, as indices into `sizes`,
  /// major first. A dimension beyond the end of a list is not split.
  std::vector<std::vector<size_t>> from, to;

  /// The number of devices of the group.
  int64_t devices() const;
  /// The block of the device at `position` of the group before (`from`) or after
  /// (`to`), one range per dimension.
  std::vector<Block> blockBefore(int64_t position) const;
  std::vector<Block> blockAfter(int64_t position) const;
};

/// A box of elements that the device at position `sender` gives to the one at
/// `receiver`. Offsets are those of the whole tensor.
struct Transfer {
  int64_t sender = 0, receiver = 0;
  std::vector<Block> box;

  int64_t elements() const;
};

/// Calls `visit` with the boxes that make up the new blocks, in the order of the
/// receivers. What the receiver has itself is its own box (sender == receiver). Of several
/// devices that have a box that the receiver lacks, the one sends that has sent the fewest
/// elements so far.
void forEachTransfer(const Redistribution &redistribution,
                     const std::function<void(const Transfer &)> &visit);

/// The elements that each device sends to others, and receives from others.
struct TransferCounts {
  std::vector<int64_t> sent, received;
};
TransferCounts countTransfers(const Redistribution &redistribution);

} // namespace shard

#endif // SHARD_GEOMETRY_REDISTRIBUTION_H
