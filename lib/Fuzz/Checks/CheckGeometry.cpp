//===- CheckGeometry.cpp - Blocks, halos and transfers by counting --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Halos that are wider than they must be, or a device that sends more than its share, give the
// right numbers. So the formulas of Geometry are compared with counts of single elements.
//
//===----------------------------------------------------------------------===//

#include "CheckGeometry.h"

#include "shard/Fuzz/Random.h"

#include "shard/Geometry/HaloReads.h"
#include "shard/Geometry/Redistribution.h"
#include "shard/Geometry/Window.h"

#include <algorithm>
#include <map>
#include <set>

namespace shard::fuzz {

using Numbers = std::vector<int64_t>;

static std::string text(const Numbers &numbers) {
  std::string result = "[";
  for (int64_t number : numbers)
    result += (result.size() > 1 ? ", " : "") + std::to_string(number);
  return result + "]";
}

/// The block number `part` of `extent` elements cut by `sizes`, one after another.
static Block cut(int64_t extent, const Numbers &sizes, int64_t part) {
  int64_t parts = 1;
  for (int64_t size : sizes)
    parts *= size;
  int64_t begin = 0, end = extent, length = extent;
  for (int64_t size : sizes) {
    parts /= size;
    length = (length + size - 1) / size;
    begin = std::min(begin + part / parts * length, end);
    end = std::min(begin + length, end);
    part %= parts;
  }
  return {begin, end - begin};
}

static int64_t product(const Numbers &sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

static Numbers randomSizes(Random &rng) {
  static const std::vector<Numbers> few = {{2},    {3},    {4},       {5},
                                           {8},    {24},   {2, 2},    {3, 2},
                                           {2, 3}, {4, 2}, {2, 2, 2}, {4, 5}};
  return rng.oneOf(few);
}

/// Two ways to cut an extent.
static std::string checkBlocks(Random &rng) {
  int64_t extent = rng.between(0, 40);
  Numbers a = randomSizes(rng), b = randomSizes(rng);
  bool isEven = true, isAtOnce = true, isSame = product(a) == product(b);
  int64_t parts = product(a), width = (extent + parts - 1) / parts;
  for (int64_t part = 0; part < parts; ++part) {
    Block block = cut(extent, a, part);
    if (!(blockAt(extent, a, delinearize(part, a)) == block) && block.size > 0)
      return "block " + std::to_string(part) + " of " + std::to_string(extent) +
             " cut by " + text(a) + " is another one";
    isEven &= block.size == extent / parts && extent % parts == 0;
    int64_t begin = std::min(part * width, extent);
    Block once = {begin, std::min(width, extent - begin)};
    isAtOnce &= once.size == 0 ? block.size == 0 : once == block;
    if (isSame) {
      Block other = cut(extent, b, part);
      isSame = other.size == 0 ? block.size == 0 : other == block;
    }
  }
  std::string where = std::to_string(extent) + " cut by " + text(a);
  if (dividesEvenly(extent, a) != isEven)
    return "dividesEvenly is wrong for " + where;
  if (cutsAtOnce(extent, a) != isAtOnce)
    return "cutsAtOnce is wrong for " + where;
  if (parts == product(b) && sameBlocks(extent, a, b) != isSame)
    return "sameBlocks is wrong for " + where + " and by " + text(b);
  return {};
}

namespace {

/// A loop that slides over a dimension, both cut by the same axes.
struct Sliding {
  explicit Sliding(Random &rng);
  /// The elements that the iterations of device number `part` read, also outside.
  Block whole(int64_t part) const;
  /// Those of them that are valid.
  Block read(int64_t part) const;
  /// The elements of a window as long as the longest one, which begins or, where the window is
  /// reversed, ends with those that the device reads.
  Block longest(int64_t part) const;
  std::string describe() const;

  Numbers sizes;
  int64_t parts, extent, iterations, width;
  Window window;
  Block valid;
};

} // namespace

Sliding::Sliding(Random &rng) : sizes(randomSizes(rng)) {
  // Beyond kMaxComparedBlocks blocks are not visited one by one.
  if (rng.chance(10))
    sizes = {rng.between(kMaxComparedBlocks - 10, kMaxComparedBlocks + 3000)};
  parts = product(sizes);
  bool isLarge = parts > 100;
  window.stride = rng.between(1, 3);
  window.reach = rng.chance(8) ? rng.between(6, 40) : rng.between(1, 5);
  window.offset = rng.between(-4, 4);
  iterations = parts * rng.between(1, 4) - rng.between(0, isLarge ? 9 : 3);
  iterations = std::max<int64_t>(iterations, 1);
  if (rng.chance(20)) {
    window.stride = -window.stride;
    window.offset -= window.stride * (iterations - 1);
  }
  extent = std::max<int64_t>(
      std::abs(window.stride) * iterations + rng.between(-3, 5), 1);
  width = (extent + parts - 1) / parts;
  valid = {0, extent};
  if (rng.chance(30)) {
    valid.offset = rng.between(0, std::min<int64_t>(extent - 1, 4));
    valid.size = rng.between(1, extent - valid.offset);
  }
}

Block Sliding::whole(int64_t part) const {
  Block block = cut(iterations, sizes, part);
  int64_t first = window.stride * block.offset + window.offset;
  int64_t last =
      window.stride * (block.offset + block.size - 1) + window.offset;
  if (first > last)
    std::swap(first, last);
  return {first, block.size == 0 ? 0 : last + window.reach - first};
}

Block Sliding::read(int64_t part) const {
  Block block = cut(iterations, sizes, part);
  int64_t first = extent, last = 0;
  for (int64_t i = block.offset; i < block.offset + block.size; ++i) {
    int64_t begin = std::max(window.stride * i + window.offset, valid.offset);
    int64_t end = std::min(window.stride * i + window.offset + window.reach,
                           valid.offset + valid.size);
    if (begin >= end)
      continue;
    first = std::min(first, begin);
    last = std::max(last, end);
  }
  return {first, std::max<int64_t>(last - first, 0)};
}

Block Sliding::longest(int64_t part) const {
  Block block = cut(iterations, sizes, part);
  int64_t count = (iterations + parts - 1) / parts;
  int64_t first = window.stride < 0 ? block.offset + count - 1 : block.offset;
  return {window.stride * first + window.offset,
          std::abs(window.stride) * (count - 1) + window.reach};
}

std::string Sliding::describe() const {
  return " of " + std::to_string(iterations) + " windows (" +
         std::to_string(window.stride) + " * i + " +
         std::to_string(window.offset) + ", " + std::to_string(window.reach) +
         " elements) over " + std::to_string(extent) + " elements, [" +
         std::to_string(valid.offset) + ", " +
         std::to_string(valid.offset + valid.size) + ") of them valid, by " +
         text(sizes);
}

/// What is needed of a dimension that no axis splits: nothing but what lies outside.
static std::string checkWholeNeed(const Sliding &sliding) {
  std::optional<HaloNeed> need =
      haloNeed(sliding.extent, {}, sliding.iterations, sliding.sizes,
               sliding.window, sliding.valid);
  bool isKnown = sliding.parts <= kMaxComparedBlocks ||
                 cutsAtOnce(sliding.iterations, sliding.sizes);
  if (!need || !isKnown)
    return need.has_value() == isKnown
               ? ""
               : "whether windows are known" + sliding.describe();
  int64_t low = 0, high = 0;
  std::set<int64_t> starts;
  for (int64_t part = 0; part < sliding.parts; ++part) {
    if (sliding.whole(part).size == 0)
      continue;
    Block window = sliding.longest(part);
    starts.insert(window.offset);
    low = std::max(low, -window.offset);
    high = std::max(high, window.offset + window.size - sliding.extent);
  }
  if (need->low == 0 && need->high == 0 && need->fullLow == low &&
      need->fullHigh == high && need->start.has_value() == (starts.size() == 1))
    return {};
  return "on all devices, the windows" + sliding.describe() + " reach " +
         text({low, high}) + " elements outside, not " +
         text({need->fullLow, need->fullHigh});
}

/// The halos that windows need.
static std::string checkHaloNeed(const Sliding &sliding) {
  std::optional<HaloNeed> need =
      haloNeed(sliding.extent, sliding.sizes, sliding.iterations, sliding.sizes,
               sliding.window, sliding.valid);
  bool isKnown = cutsAtOnce(sliding.extent, sliding.sizes) &&
                 (sliding.parts <= kMaxComparedBlocks ||
                  cutsAtOnce(sliding.iterations, sliding.sizes));
  if (!need || !isKnown)
    return need.has_value() == isKnown
               ? ""
               : "whether halos are known" + sliding.describe();
  int64_t low = 0, high = 0, fullLow = 0, fullHigh = 0, numOutside = 0;
  std::set<int64_t> starts;
  for (int64_t part = 0; part < sliding.parts; ++part) {
    Block whole = sliding.whole(part), read = sliding.read(part);
    if (whole.size == 0)
      continue;
    int64_t begin = part * sliding.width, end = begin + sliding.width;
    starts.insert(whole.offset - begin);
    fullLow = std::max(fullLow, begin - whole.offset);
    fullHigh = std::max(fullHigh, whole.offset + whole.size - end);
    numOutside += read.size < whole.size;
    if (read.size == 0)
      continue;
    low = std::max(low, begin - read.offset);
    high = std::max(high, read.offset + read.size - end);
  }
  // Whole windows, as if no block were short, where too many blocks reach beyond the valid
  // elements, or move against the windows.
  bool isExact = need->low == low && need->high == high;
  bool isFull = need->low >= fullLow && need->high >= fullHigh;
  if (sliding.window.stride < 0 && sliding.parts > kMaxComparedBlocks)
    numOutside = sliding.parts;
  if ((!isExact && (!isFull || numOutside + 1 < kMaxComparedBlocks)) ||
      (starts.size() == 1) != need->start.has_value() ||
      (need->start && *need->start != *starts.begin()))
    return "the halos" + sliding.describe() + " are " +
           text({need->low, need->high}) + ", not " + text({low, high});
  return {};
}

/// The parts of blocks that windows are made of.
static std::string checkBlockParts(const Sliding &sliding) {
  std::optional<std::vector<BlockPart>> found =
      blockParts(sliding.extent, sliding.sizes, sliding.iterations,
                 sliding.sizes, sliding.window, sliding.valid);
  std::map<int64_t, BlockPart> parts;
  int64_t end = sliding.valid.offset + sliding.valid.size;
  for (int64_t part = 0; part < sliding.parts; ++part) {
    Block whole = sliding.whole(part);
    for (int64_t element = std::max(whole.offset, sliding.valid.offset);
         element < std::min(whole.offset + whole.size, end); ++element) {
      int64_t owner = element / sliding.width, place = element % sliding.width;
      int64_t distance =
          (sliding.window.stride < 0 ? owner + part
                                     : owner - part + sliding.parts) %
          sliding.parts;
      auto [entry, isNew] =
          parts.try_emplace(distance, BlockPart{distance, place, place + 1});
      entry->second.begin = std::min(entry->second.begin, place);
      entry->second.end = std::max(entry->second.end, place + 1);
    }
  }
  std::vector<BlockPart> wanted;
  for (const auto &[distance, part] : parts)
    wanted.push_back(part);
  bool isKnown = cutsAtOnce(sliding.extent, sliding.sizes) &&
                 int64_t(parts.size()) <= kMaxBlockParts;
  if (!found || !isKnown)
    return found.has_value() == isKnown
               ? ""
               : "whether the parts of blocks are few" + sliding.describe();
  return *found == wanted ? "" : "the parts of blocks" + sliding.describe();
}

/// What devices take of one another in an exchange of halos.
static std::string checkShares(Random &rng, const Sliding &sliding) {
  HaloDimension dimension;
  dimension.core = sliding.width;
  int64_t most = sliding.width * rng.between(1, sliding.parts + 1);
  dimension.low = rng.between(0, most);
  dimension.high = rng.between(0, most);
  dimension.split = sliding.sizes;
  int64_t extent = sliding.parts * sliding.width;
  if (rng.chance(60))
    dimension.reads = WindowReads{sliding.iterations, sliding.window,
                                  sliding.valid, rng.between(1, 2)};
  std::vector<HaloShare> shares(sliding.parts);
  for (int64_t part = 0; part < sliding.parts; ++part) {
    ReadRange taken = dimension.taken(part);
    for (int64_t element = taken.first; element < taken.last;
         element += taken.step) {
      int64_t owner = element / sliding.width;
      if (element < 0 || element >= extent)
        return "a halo beyond the dimension" + sliding.describe();
      ++shares[owner].all;
      shares[owner].own += owner == part;
    }
  }
  if (haloShares(dimension) != shares)
    return "the shares of halos " + text({dimension.low, dimension.high}) +
           sliding.describe();
  // Halos as wide as they are, without windows.
  most = 0;
  for (int64_t owner = 0; owner < sliding.parts; ++owner) {
    int64_t sent = 0, first = owner * sliding.width,
            last = first + sliding.width;
    for (int64_t part = 0; part < sliding.parts; ++part) {
      int64_t begin = part * sliding.width, end = begin + sliding.width;
      if (part == owner)
        continue;
      sent += std::max<int64_t>(
          std::min(last, begin) - std::max(first, begin - dimension.low), 0);
      sent += std::max<int64_t>(
          std::min(last, end + dimension.high) - std::max(first, end), 0);
    }
    most = std::max(most, sent);
  }
  if (mostSentToHalos(dimension.low, dimension.high, sliding.width,
                      sliding.parts) != most)
    return "a device sends at most " + std::to_string(most) + " to halos " +
           text({dimension.low, dimension.high}) + " of " +
           std::to_string(sliding.parts) + " blocks of " +
           std::to_string(sliding.width);
  return {};
}

static Redistribution randomRedistribution(Random &rng) {
  Redistribution r;
  for (int64_t axes = rng.between(1, 3); axes > 0; --axes)
    r.sizes.push_back(rng.between(2, 3));
  for (int64_t dims = rng.between(1, 2); dims > 0; --dims)
    r.extents.push_back(rng.between(1, 9));
  for (std::vector<std::vector<size_t>> *split : {&r.from, &r.to}) {
    // A dimension beyond the end is not split.
    split->resize(rng.between(1, int64_t(r.extents.size())));
    std::vector<size_t> axes;
    for (size_t axis = 0; axis < r.sizes.size(); ++axis)
      axes.push_back(axis);
    rng.shuffle(axes);
    for (size_t axis : axes)
      if (rng.chance(75))
        (*split)[rng.between(0, int64_t(split->size()) - 1)].push_back(axis);
  }
  return r;
}

static bool isWithin(const std::vector<Block> &inner,
                     const std::vector<Block> &outer) {
  for (size_t dim = 0; dim < inner.size(); ++dim)
    if (inner[dim].offset < outer[dim].offset ||
        inner[dim].offset + inner[dim].size >
            outer[dim].offset + outer[dim].size)
      return false;
  return true;
}

static int64_t volume(const std::vector<Block> &box) {
  int64_t result = 1;
  for (const Block &range : box)
    result *= range.size;
  return result;
}

/// The boxes that devices get make up their blocks; of those that have a box, the one sends it
/// that has sent least.
static std::string checkTransfers(Random &rng) {
  Redistribution r = randomRedistribution(rng);
  std::string wrong;
  Numbers sent(r.devices()), received(r.devices()), got(r.devices());
  forEachTransfer(r, [&](const Transfer &transfer) {
    int64_t size = volume(transfer.box);
    got[transfer.receiver] += size;
    if (size == 0)
      wrong = "an empty box is sent";
    if (!isWithin(transfer.box, r.blockBefore(transfer.sender)) ||
        !isWithin(transfer.box, r.blockAfter(transfer.receiver)))
      wrong = "a box is sent that the sender or the receiver does not have";
    bool hasIt = isWithin(transfer.box, r.blockBefore(transfer.receiver));
    if (hasIt != (transfer.sender == transfer.receiver))
      wrong = "a device is sent what it has";
    if (hasIt)
      return;
    for (int64_t device = 0; device < r.devices(); ++device)
      if (isWithin(transfer.box, r.blockBefore(device)) &&
          sent[device] < sent[transfer.sender])
        wrong = "a device that has sent more sends";
    sent[transfer.sender] += size;
    received[transfer.receiver] += size;
  });
  for (int64_t device = 0; device < r.devices(); ++device)
    if (got[device] != volume(r.blockAfter(device)))
      wrong = "the boxes are not the block";
  TransferCounts counts = countTransfers(r);
  if (counts.sent != sent || counts.received != received)
    wrong = "sent elements are not counted";
  if (wrong.empty())
    return wrong;
  wrong += ": extents " + text(r.extents) + ", axes " + text(r.sizes);
  for (const auto *split : {&r.from, &r.to})
    for (const std::vector<size_t> &axes : *split)
      wrong += (&axes == &split->front() ? "; " : " ") +
               text(Numbers(axes.begin(), axes.end()));
  return wrong;
}

std::string checkGeometry(uint64_t seed) {
  Random rng(seed ^ 0x67656f6d65747279ull);
  std::string wrong;
  for (int64_t left = 4; left > 0 && wrong.empty(); --left) {
    Sliding sliding(rng);
    wrong = checkBlocks(rng);
    if (wrong.empty())
      wrong = checkHaloNeed(sliding);
    if (wrong.empty())
      wrong = checkWholeNeed(sliding);
    if (wrong.empty() && sliding.parts < 100)
      wrong = checkBlockParts(sliding);
    if (wrong.empty() && sliding.parts < 100)
      wrong = checkShares(rng, sliding);
    if (wrong.empty())
      wrong = checkTransfers(rng);
  }
  return wrong;
}

} // namespace shard::fuzz
