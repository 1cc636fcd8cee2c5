//===- Window.h - Elements that the iterations of a block need --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop slides over a dimension if its iteration i reads the elements
// [stride * i + offset, stride * i + offset + reach). A convolution with a kernel of
// 3 elements, dilation 2, stride 2 and one element of padding reads
// [2 * i - 1, 2 * i + 4). Where a dimension is reversed, strides are negative: of 8
// elements iteration i reads [-i + 7, -i + 8). A device with a block of iterations needs the window of
// that block: the elements that its iterations read. Its own block of the dimension
// may lack some of them at both ends; these make up its halo.
//
//   64 elements and iterations over 4, window [i - 1, i + 2): device 1 has the
//   elements [16, 32) and needs [15, 33), a halo of one element on each side
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_GEOMETRY_WINDOW_H
#define SHARD_GEOMETRY_WINDOW_H

#include "shard/Geometry/BlockLayout.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace shard {

/// The elements [stride * i + offset, stride * i + offset + reach) of a dimension
/// that iteration i of a loop reads. Strides are not 0, reaches are positive; places
/// outside of the dimension are allowed.
struct Window {
  int64_t stride = 1;
  int64_t offset = 0;
  int64_t reach = 1;

  /// The number of elements that `iterations` consecutive iterations span.
  int64_t span(int64_t iterations) const {
    return iterations == 0 ? 0 : step() * (iterations - 1) + reach;
  }
  /// The first element that the iterations [begin, begin + count) read.
  int64_t start(int64_t begin, int64_t count) const {
    bool isReversed = stride < 0 && count > 0;
    return stride * (isReversed ? begin + count - 1 : begin) + offset;
  }
  /// How many elements one iteration lies from the next.
  int64_t step() const { return stride < 0 ? -stride : stride; }

  bool operator==(const Window &other) const {
    return stride == other.stride && offset == other.offset &&
           reach == other.reach;
  }
  bool operator!=(const Window &other) const { return !(*this == other); }
};

/// The offsets of a slice that lies in its dimension: [first, last], which is empty where
/// no offset does.
struct SliceOffsets {
  int64_t first, last;
};

/// The offsets at which the elements offset, offset + stride, ... of a slice of `size`
/// elements, at least one, lie in [0, extent).
inline SliceOffsets offsetsInRange(int64_t extent, int64_t size,
                                   int64_t stride) {
  int64_t span;
  if (__builtin_mul_overflow(size - 1, stride, &span) || span == INT64_MIN)
    return {0, -1};
  return {std::max<int64_t>(-span, 0), extent - 1 - std::max<int64_t>(span, 0)};
}

/// Where the window of each device lies in its block of a dimension, widened by
/// halos of `low` and `high` elements. All blocks of the dimension are taken for
/// equally long: the padding of the last ones is a part of them.
struct HaloNeed {
  /// The least widths such that each device has all that it needs of
  /// [0, extent).
  int64_t low = 0, high = 0;
  /// The least widths such that each window with its part outside of [0, extent)
  /// lies within the widened block.
  int64_t fullLow = 0, fullHigh = 0;
  /// The place of the window relative to the begin of the block, if it is the same
  /// on all devices.
  std::optional<int64_t> start;
};

/// The halo that a dimension of `extent`, split by axes of sizes `split`, needs for
/// the windows of a loop of `iterations` iterations, split by axes of sizes
/// `loopSplit`: the same as `split`, or `split` is empty and every device has the
/// whole dimension. Elements outside of `valid` need not be there. Blocks whose
/// windows lie inside are not visited one by one; where more than `kMaxComparedBlocks`
/// do not, the halos cover whole windows. Nothing where the blocks of the dimension do
/// not follow one another at equal distances (cutsAtOnce), and where more than
/// `kMaxComparedBlocks` blocks of iterations do not.
std::optional<HaloNeed> haloNeed(int64_t extent,
                                 const std::vector<int64_t> &split,
                                 int64_t iterations,
                                 const std::vector<int64_t> &loopSplit,
                                 const Window &window, Block valid);

/// The most elements of a dimension that a device sends when halos of `low` and `high`
/// elements are filled, with `parts` blocks of `width` elements: the devices at the ends
/// of the dimension have neighbours on one side only.
int64_t mostSentToHalos(int64_t low, int64_t high, int64_t width,
                        int64_t parts);

/// Elements [begin, end) of the block that lies `distance` blocks further, the first
/// block taken to follow the last one; or, where the window is reversed, of the block
/// that lies `distance` blocks further than the mirrored one: of n blocks, device p
/// has number p and takes number distance - p, modulo n.
struct BlockPart {
  int64_t distance;
  int64_t begin, end;

  bool operator==(const BlockPart &other) const {
    return distance == other.distance && begin == other.begin &&
           end == other.end;
  }
};

/// No more parts of blocks make up windows; what is made of more is better gathered.
constexpr int64_t kMaxBlockParts = 16;

/// The parts of blocks that the windows of all devices are made of, by their distances,
/// as in haloNeed, all of them mirrored where strides are negative: each device takes all of them or fewer. Where windows are far from
/// their blocks, as those of a tensor that is rolled, these are fewer elements than the
/// halos between. Nothing where they are more than `kMaxBlockParts`, and where haloNeed
/// tells nothing.
std::optional<std::vector<BlockPart>>
blockParts(int64_t extent, const std::vector<int64_t> &split,
           int64_t iterations, const std::vector<int64_t> &loopSplit,
           const Window &window, Block valid);

} // namespace shard

#endif // SHARD_GEOMETRY_WINDOW_H
