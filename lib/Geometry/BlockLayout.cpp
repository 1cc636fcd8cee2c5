//===- BlockLayout.cpp - Which elements a device holds --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/BlockLayout.h"

#include <algorithm>

namespace shard {

int64_t ceilDiv(int64_t a, int64_t b) {
  if (a == kDynamic || b == kDynamic)
    return kDynamic;
  return a / b + (a % b != 0);
}

Block blockAt(int64_t extent, const std::vector<int64_t> &sizes,
              const std::vector<int64_t> &coordinates) {
  // `end` bounds the valid elements of the enclosing block, `width` is its
  // extent with padding.
  int64_t begin = 0, end = extent, width = extent;
  for (size_t i = 0; i < sizes.size(); ++i) {
    width = ceilDiv(width, sizes[i]);
    begin = std::min(begin + coordinates[i] * width, end);
    end = std::min(begin + width, end);
  }
  return {begin, end - begin};
}

bool dividesEvenly(int64_t extent, const std::vector<int64_t> &sizes) {
  int64_t parts = 1;
  for (int64_t size : sizes)
    parts *= size;
  return extent % parts == 0;
}

} // namespace shard
