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
  // How many more devices take all of a block than of the one before it: wide halos cover many.
  std::vector<int64_t> more(parts + 1);
  for (int64_t position = 0; position < parts; ++position) {
    ReadRange taken = dimension.taken(position);
    auto countOf = [&](int64_t owner) {
      return taken.within(owner * core, (owner + 1) * core).count();
    };
    int64_t first = taken.first / core, last = ceilDiv(taken.last, core) - 1;
    if (taken.step == 1 && last - first > 1) {
      shares[first].all += countOf(first);
      shares[last].all += countOf(last);
      ++more[first + 1];
      --more[last];
    } else {
      for (int64_t owner = first; owner <= last; ++owner)
        shares[owner].all += countOf(owner);
    }
    shares[position].own = countOf(position);
  }
  int64_t takers = 0;
  for (int64_t owner = 0; owner < parts; ++owner) {
    takers += more[owner];
    shares[owner].all += takers * core;
  }
  return shares;
}

} // namespace shard
