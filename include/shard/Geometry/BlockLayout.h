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

} // namespace shard

#endif // SHARD_GEOMETRY_BLOCKLAYOUT_H
