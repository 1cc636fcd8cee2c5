//===- Window.cpp - Elements that the iterations of a block need ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Window.h"
#include "shard/Geometry/HaloReads.h"

#include <algorithm>
#include <utility>

namespace shard {

namespace {
/// Adds up what the blocks of iterations need.
class NeedSearch {
public:
  NeedSearch(int64_t width, int64_t parts, int64_t iterations,
             int64_t loopParts, const Window &window, Block valid)
      : width(width), parts(parts), longest(localExtent(iterations, loopParts)),
        window(window), valid(valid), fullSpan(window.span(longest)) {}

  /// Block number `part` consists of these iterations.
  void visit(int64_t part, Block block) {
    if (block.size == 0)
      return;
    int64_t begin = (parts == 1 ? 0 : part * width);
    int64_t start = window.start(block.offset, longest);
    ReadRange read = elementsRead(window, valid, block);
    if (read.first < read.last) {
      need.low = std::max(need.low, begin - read.first);
      need.high = std::max(need.high, read.last - begin - width);
    }
    need.fullLow = std::max(need.fullLow, begin - start);
    need.fullHigh = std::max(need.fullHigh, start + fullSpan - begin - width);
    same = same && (!any || need.start == start - begin);
    need.start = start - begin;
    any = true;
  }

  /// As if each window had to lie within its block as a whole.
  void coverAll() {
    need.low = parts == 1 ? 0 : need.fullLow;
    need.high = parts == 1 ? 0 : need.fullHigh;
  }

  /// The blocks [first, second) of `blocks`, the begins of which are `step` elements
  /// apart, that are whole and whose windows lie within the valid elements.
  std::pair<int64_t, int64_t> inside(int64_t blocks, int64_t step) const {
    // Windows of a dimension that is reversed move against the blocks.
    if (step <= 0)
      return {0, 0};
    int64_t ahead = std::max<int64_t>(valid.offset - window.offset, 0);
    int64_t room = valid.offset + valid.size - window.offset - fullSpan;
    int64_t first = std::min(ceilDiv(ahead, step), blocks);
    int64_t end = room < 0 ? 0 : room / step + 1;
    // The last block may be short.
    return {first, std::max(first, std::min(end, blocks - 1))};
  }

  HaloNeed result() {
    if (!same || !any)
      need.start.reset();
    return need;
  }

private:
  int64_t width, parts;
  /// The iterations of a block that is not short.
  int64_t longest;
  Window window;
  Block valid;
  int64_t fullSpan;
  HaloNeed need;
  bool any = false, same = true;
};
} // namespace

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
  NeedSearch search(localExtent(extent, parts), parts, iterations, loopParts,
                    window, valid);
  if (!cutsAtOnce(iterations, loopSplit)) {
    if (loopParts > kMaxComparedBlocks)
      return std::nullopt;
    for (int64_t part = 0; part < loopParts; ++part)
      search.visit(
          part, blockAt(iterations, loopSplit, delinearize(part, loopSplit)));
    return search.result();
  }
  int64_t loopWidth = localExtent(iterations, loopParts);
  int64_t blocks = loopWidth == 0 ? 0 : ceilDiv(iterations, loopWidth);
  auto visit = [&](int64_t part) {
    int64_t offset = part * loopWidth;
    search.visit(part, {offset, std::min(loopWidth, iterations - offset)});
  };
  if (blocks == 0)
    return search.result();
  // From one whole block to the next, windows move by the same distance, and blocks do:
  // the first and the last of those inside need most.
  auto [first, end] = search.inside(blocks, window.stride * loopWidth);
  if (end - first < 2)
    first = end = std::min(first, blocks - 1);
  bool isFew = blocks - (end - first) <= kMaxComparedBlocks;
  for (int64_t part = 0; isFew && part < first; ++part)
    visit(part);
  for (int64_t part = std::max(end, first + 1); isFew && part < blocks; ++part)
    visit(part);
  for (int64_t part : {int64_t(0), first, std::max(first, end - 1), blocks - 1})
    visit(part);
  if (!isFew)
    search.coverAll();
  return search.result();
}

int64_t mostSentToHalos(int64_t low, int64_t high, int64_t width,
                        int64_t parts) {
  if (width <= 0 || parts <= 1)
    return 0;
  // Block number p gives to as many devices behind it as have low halos that reach it,
  // and to those in front with high halos. From p to p + 1 the latter grow by `width`, until
  // they stop, and the former shrink by no more: the largest sum is where they stop. Beyond
  // the last block the sums are no larger than that of the last one.
  auto sent = [&](int64_t part) {
    int64_t behind = parts - 1 - part;
    return (behind >= ceilDiv(low, width) ? low : behind * width) +
           (part >= ceilDiv(high, width) ? high : part * width);
  };
  return std::max(sent(high / width), sent(ceilDiv(high, width)));
}

std::optional<std::vector<BlockPart>>
blockParts(int64_t extent, const std::vector<int64_t> &split,
           int64_t iterations, const std::vector<int64_t> &loopSplit,
           const Window &window, Block valid) {
  int64_t parts = 1, loopParts = 1;
  for (int64_t size : split)
    parts *= size;
  for (int64_t size : loopSplit)
    loopParts *= size;
  int64_t width = localExtent(extent, parts);
  if (!cutsAtOnce(extent, split) || loopParts != parts ||
      parts > kMaxComparedBlocks || width == 0)
    return std::nullopt;
  std::vector<BlockPart> found;
  for (int64_t part = 0; part < parts; ++part) {
    Block block = blockAt(iterations, loopSplit, delinearize(part, loopSplit));
    int64_t start = window.start(block.offset, block.size);
    int64_t first = std::max(start, valid.offset);
    int64_t last =
        std::min(start + window.span(block.size), valid.offset + valid.size);
    if (first >= last)
      continue;
    int64_t front = first / width, back = (last - 1) / width;
    if (back - front >= kMaxBlockParts)
      return std::nullopt;
    for (int64_t other = front; other <= back; ++other) {
      int64_t distance =
          (window.stride < 0 ? other + part : other - part + parts) % parts;
      int64_t begin = std::max(first - other * width, int64_t(0));
      int64_t end = std::min(last - other * width, width);
      auto known =
          std::find_if(found.begin(), found.end(), [&](const BlockPart &own) {
            return own.distance == distance;
          });
      if (known == found.end()) {
        found.push_back({distance, begin, end});
        continue;
      }
      known->begin = std::min(known->begin, begin);
      known->end = std::max(known->end, end);
    }
    if (int64_t(found.size()) > kMaxBlockParts)
      return std::nullopt;
  }
  std::sort(found.begin(), found.end(),
            [](const BlockPart &a, const BlockPart &b) {
              return a.distance < b.distance;
            });
  return found;
}

} // namespace shard
