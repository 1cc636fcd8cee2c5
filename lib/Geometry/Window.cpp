//===- Window.cpp - Elements that the iterations of a block need ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Window.h"

#include <algorithm>

namespace shard {

std::optional<HaloNeed> haloNeed(int64_t extent,
                                 const std::vector<int64_t> &split,
                                 int64_t iterations,
                                 const std::vector<int64_t> &loopSplit,
                                 const Window &window, Block valid) {
  if (!cutsAtOnce(extent, split))
    return std::nullopt;
  int64_t parts = 1, loopParts = 1;
  for (int64_t size : split)
    parts *= size;
  for (int64_t size : loopSplit)
    loopParts *= size;
  int64_t width = localExtent(extent, parts);
  int64_t fullSpan = window.span(localExtent(iterations, loopParts));
  HaloNeed need;
  bool any = false, same = true;
  for (int64_t part = 0; part < loopParts; ++part) {
    Block block = blockAt(iterations, loopSplit, delinearize(part, loopSplit));
    if (block.size == 0)
      continue;
    int64_t begin = (parts == 1 ? 0 : part * width);
    int64_t start = window.stride * block.offset + window.offset;
    // The elements that are there, and that this device reads: between iterations
    // there may be some that it does not.
    int64_t validEnd = valid.offset + valid.size;
    int64_t skipped =
        ceilDiv(std::max<int64_t>(valid.offset - (start + window.reach - 1), 0),
                window.stride);
    int64_t read =
        std::min(block.size, ceilDiv(std::max<int64_t>(validEnd - start, 0),
                                     window.stride));
    int64_t first = std::max(start + skipped * window.stride, valid.offset);
    int64_t last = std::min(start + window.span(read), validEnd);
    if (skipped >= read)
      last = first;
    if (first < last) {
      need.low = std::max(need.low, begin - first);
      need.high = std::max(need.high, last - begin - width);
    }
    need.fullLow = std::max(need.fullLow, begin - start);
    need.fullHigh = std::max(need.fullHigh, start + fullSpan - begin - width);
    same = same && (!any || need.start == start - begin);
    need.start = start - begin;
    any = true;
  }
  if (!same || !any)
    need.start.reset();
  return need;
}

} // namespace shard
