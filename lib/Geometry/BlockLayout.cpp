//===- BlockLayout.cpp - Which elements a device holds --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/BlockLayout.h"

#include <algorithm>
#include <cassert>

namespace shard {

int64_t ceilDiv(int64_t a, int64_t b) {
  if (a == kDynamic || b == kDynamic)
    return kDynamic;
  assert(a >= 0 && b > 0 && "extents and numbers of parts");
  return a / b + (a % b != 0);
}

Block blockAt(int64_t extent, const std::vector<int64_t> &sizes,
              const std::vector<int64_t> &coordinates) {
  assert(sizes.size() == coordinates.size() && "one coordinate per axis");
  // `end` bounds the valid elements of the enclosing block, `width` is its
  // extent with padding.
  int64_t begin = 0, end = extent, width = extent;
  for (size_t i = 0; i < sizes.size(); ++i) {
    width = ceilDiv(width, sizes[i]);
    assert(coordinates[i] >= 0 && coordinates[i] < sizes[i]);
    // Sums of the largest extents do not overflow in this order.
    begin += std::min(coordinates[i] * width, end - begin);
    end = begin + std::min(width, end - begin);
  }
  return {begin, end - begin};
}

bool dividesEvenly(int64_t extent, const std::vector<int64_t> &sizes) {
  int64_t parts = 1;
  for (int64_t size : sizes) {
    // An axis of unknown size divides everything by contract.
    if (size == kDynamic)
      return true;
    parts *= size;
  }
  return extent % parts == 0;
}

bool cutsAtOnce(int64_t extent, const int64_t *sizes, size_t count) {
  // A block that its sizes do not divide leaves a gap before its next sibling,
  // if that one has elements.
  int64_t width = extent;
  for (size_t i = 0; i < count; ++i) {
    if (width < extent && width % sizes[i] != 0)
      return false;
    width = ceilDiv(width, sizes[i]);
  }
  return true;
}

namespace {
/// The block at linear index `position`, without allocating.
Block blockAtPosition(int64_t extent, const int64_t *sizes, size_t count,
                      int64_t parts, int64_t position) {
  int64_t begin = 0, end = extent, width = extent;
  for (size_t i = 0; i < count; ++i) {
    parts /= sizes[i];
    width = ceilDiv(width, sizes[i]);
    begin += std::min(position / parts * width, end - begin);
    end = begin + std::min(width, end - begin);
    position %= parts;
  }
  return {begin, end - begin};
}
} // namespace

bool sameBlocks(int64_t extent, const int64_t *a, size_t countA,
                const int64_t *b, size_t countB) {
  if (countA == countB && std::equal(a, a + countA, b))
    return true;
  bool atOnceA = cutsAtOnce(extent, a, countA);
  bool atOnceB = cutsAtOnce(extent, b, countB);
  if (atOnceA || atOnceB)
    return atOnceA == atOnceB;
  int64_t parts = 1;
  for (size_t i = 0; i < countA; ++i)
    parts *= a[i];
  if (parts > kMaxComparedBlocks)
    return false;
  for (int64_t position = 0; position < parts; ++position) {
    Block blockA = blockAtPosition(extent, a, countA, parts, position);
    Block blockB = blockAtPosition(extent, b, countB, parts, position);
    if (blockA.size != blockB.size ||
        (blockA.size > 0 && blockA.offset != blockB.offset))
      return false;
  }
  return true;
}

} // namespace shard
