//===- HaloReads.cpp - What devices read of blocks with halos -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/HaloReads.h"

#include <algorithm>

namespace shard {

ReadRange ReadRange::within(int64_t begin, int64_t end) const {
  int64_t skipped = ceilDiv(std::max<int64_t>(begin - first, 0), step);
  return {first + skipped * step, std::min(last, end), step};
}

ReadRange elementsRead(const Window &window, Block valid, Block iterations) {
  int64_t start = window.start(iterations.offset, iterations.size);
  int64_t validEnd = valid.offset + valid.size;
  int64_t step = window.step();
  int64_t skipped = ceilDiv(
      std::max<int64_t>(valid.offset - (start + window.reach - 1), 0), step);
  int64_t read = std::min(
      iterations.size, ceilDiv(std::max<int64_t>(validEnd - start, 0), step));
  int64_t first = std::max(start + skipped * step, valid.offset);
  if (skipped >= read)
    return {first, first, 1};
  return {first, std::min(start + window.span(read), validEnd),
          window.reach == 1 ? step : 1};
}

ReadRange elementsRead(const WindowReads &reads, Block iterations) {
  ReadRange read = elementsRead(reads.window, reads.valid, iterations);
  if (reads.step == 1)
    return read;
  int64_t skipped = ceilDiv(read.first - reads.valid.offset, reads.step);
  return {reads.valid.offset + skipped * reads.step, read.last, reads.step};
}

int64_t HaloDimension::parts() const {
  int64_t parts = 1;
  for (int64_t size : split)
    parts *= size;
  return parts;
}

ReadRange HaloDimension::taken(int64_t position) const {
  int64_t begin = std::max<int64_t>(position * core - low, 0);
  int64_t end = std::min((position + 1) * core + high, parts() * core);
  if (!reads)
    return {begin, end, 1};
  Block iterations =
      blockAt(reads->iterations, split, delinearize(position, split));
  return elementsRead(*reads, iterations).within(begin, end);
}

std::vector<HaloShare> haloShares(const HaloDimension &dimension) {
  int64_t parts = dimension.parts(), core = dimension.core;
  std::vector<HaloShare> shares(parts);
  if (core <= 0)
    return shares;
  for (int64_t position = 0; position < parts; ++position) {
    ReadRange taken = dimension.taken(position);
    for (int64_t owner = taken.first / core; owner * core < taken.last;
         ++owner) {
      int64_t count = taken.within(owner * core, (owner + 1) * core).count();
      shares[owner].all += count;
      if (owner == position)
        shares[owner].own = count;
    }
  }
  return shares;
}

} // namespace shard
