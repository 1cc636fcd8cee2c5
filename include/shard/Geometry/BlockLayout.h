//===- BlockLayout.h - Which elements a device holds ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place of the block arithmetic. The axes of a split dimension cut it
// one after another, major first, each into blocks of ceil(extent / size). All
// devices have local extent ceil(d / n), n the product of the sizes, because
// ceil(ceil(d / a) / b) = ceil(d / (a * b)). Where sizes do not divide, blocks
// at the end of each level are short or empty: what lies behind the valid
// elements of a block is padding, whose content is unspecified.
//
//   d = 10 over axes of sizes 2, 2:      local extent 3
//     level 1: [0, 5) [5, 10)
//     level 2: [0, 3) [3, 5)+pad | [5, 8) [8, 10)+pad
//
// So appending a minor axis is a local slice, and dropping the most minor one
// concatenates the blocks of its group and trims the end.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_GEOMETRY_BLOCKLAYOUT_H
#define SHARD_GEOMETRY_BLOCKLAYOUT_H

#include "shard/Geometry/Grid.h"

#include <cstddef>

namespace shard {

/// ceil(a / b) for a >= 0, b > 0; kDynamic where either is.
int64_t ceilDiv(int64_t a, int64_t b);

/// The per-device extent of a dimension of `extent` split `parts` ways.
inline int64_t localExtent(int64_t extent, int64_t parts) {
  return ceilDiv(extent, parts);
}

/// A half-open range [offset, offset + size) of valid elements of a dimension.
struct Block {
  int64_t offset = 0;
  int64_t size = 0;

  bool operator==(const Block &other) const {
    return offset == other.offset && size == other.size;
  }
};

/// The valid elements of the block at `coordinates` of a dimension of `extent`
/// cut by axes of `sizes`, major first. An empty block has size 0 and an offset
/// within [0, extent].
Block blockAt(int64_t extent, const std::vector<int64_t> &sizes,
              const std::vector<int64_t> &coordinates);

/// Whether `sizes` cut a dimension of `extent` into blocks of equal size.
bool dividesEvenly(int64_t extent, const std::vector<int64_t> &sizes);

/// Whether cutting `extent` by `sizes` one after another gives the same blocks
/// as cutting it once, into as many blocks of equal width as their product.
/// Then the same holds for every valid part of such an extent.
///
///   d = 10 over 2, 2 is [0,3) [3,5) [5,8) [8,10), at once [0,3) [3,6) [6,9)
///   [9,10)
bool cutsAtOnce(int64_t extent, const int64_t *sizes, size_t count);
inline bool cutsAtOnce(int64_t extent, const std::vector<int64_t> &sizes) {
  return cutsAtOnce(extent, sizes.data(), sizes.size());
}

/// Whether two lists of sizes, of equal product, cut `extent` into the same
/// sequence of blocks. Empty blocks are equal wherever they lie. Where no rule
/// covers the lists, more than `kMaxComparedBlocks` blocks are not compared one by
/// one: the answer is no.
constexpr int64_t kMaxComparedBlocks = 4096;
bool sameBlocks(int64_t extent, const int64_t *a, size_t countA,
                const int64_t *b, size_t countB);
inline bool sameBlocks(int64_t extent, const std::vector<int64_t> &a,
                       const std::vector<int64_t> &b) {
  return sameBlocks(extent, a.data(), a.size(), b.data(), b.size());
}

} // namespace shard

#endif // SHARD_GEOMETRY_BLOCKLAYOUT_H
