//===- Redistribution.cpp - Who sends what from blocks to blocks ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Redistribution.h"

#include <algorithm>
#include <map>

namespace shard {

namespace {

using Blocks = std::vector<Block>;

Blocks blocksAt(const Redistribution &r,
                const std::vector<std::vector<size_t>> &split,
                const std::vector<int64_t> &coordinates) {
  Blocks blocks;
  for (size_t dim = 0; dim < r.extents.size(); ++dim) {
    std::vector<int64_t> sizes, at;
    if (dim < split.size())
      for (size_t axis : split[dim]) {
        sizes.push_back(r.sizes[axis]);
        at.push_back(coordinates[axis]);
      }
    blocks.push_back(blockAt(r.extents[dim], sizes, at));
  }
  return blocks;
}

Block intersect(const Block &a, const Block &b) {
  int64_t begin = std::max(a.offset, b.offset);
  int64_t end = std::min(a.offset + a.size, b.offset + b.size);
  return {begin, std::max<int64_t>(0, end - begin)};
}

/// Of the blocks before, one of each, and the devices that have it.
struct Source {
  Blocks block;
  std::vector<int64_t> holders;
};

std::vector<Source> sourcesOf(const Redistribution &r) {
  std::vector<Source> sources;
  std::map<std::vector<int64_t>, size_t> numbers;
  for (int64_t p = 0; p < r.devices(); ++p) {
    std::vector<int64_t> coordinates = delinearize(p, r.sizes), key;
    for (const std::vector<size_t> &axes : r.from)
      for (size_t axis : axes)
        key.push_back(coordinates[axis]);
    auto [entry, isNew] = numbers.try_emplace(key, sources.size());
    if (isNew)
      sources.push_back({blocksAt(r, r.from, coordinates), {}});
    sources[entry->second].holders.push_back(p);
  }
  return sources;
}

} // namespace

int64_t Redistribution::devices() const {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

std::vector<Block> Redistribution::blockBefore(int64_t position) const {
  return blocksAt(*this, from, delinearize(position, sizes));
}

std::vector<Block> Redistribution::blockAfter(int64_t position) const {
  return blocksAt(*this, to, delinearize(position, sizes));
}

int64_t Transfer::elements() const {
  int64_t product = 1;
  for (const Block &range : box)
    product *= range.size;
  return product;
}

void forEachTransfer(const Redistribution &r,
                     const std::function<void(const Transfer &)> &visit) {
  std::vector<Source> sources = sourcesOf(r);
  std::vector<int64_t> sent(r.devices());
  Transfer transfer;
  transfer.box.resize(r.extents.size());
  for (int64_t receiver = 0; receiver < r.devices(); ++receiver) {
    transfer.receiver = receiver;
    Blocks wanted = r.blockAfter(receiver);
    for (const Source &source : sources) {
      bool isEmpty = false;
      for (size_t dim = 0; dim < wanted.size() && !isEmpty; ++dim) {
        transfer.box[dim] = intersect(wanted[dim], source.block[dim]);
        isEmpty = transfer.box[dim].size == 0;
      }
      if (isEmpty)
        continue;
      const std::vector<int64_t> &holders = source.holders;
      if (std::binary_search(holders.begin(), holders.end(), receiver)) {
        transfer.sender = receiver;
      } else {
        transfer.sender = *std::min_element(
            holders.begin(), holders.end(),
            [&](int64_t a, int64_t b) { return sent[a] < sent[b]; });
        sent[transfer.sender] += transfer.elements();
      }
      visit(transfer);
    }
  }
}

TransferCounts countTransfers(const Redistribution &r) {
  TransferCounts counts;
  counts.sent.resize(r.devices());
  counts.received.resize(r.devices());
  forEachTransfer(r, [&](const Transfer &transfer) {
    if (transfer.sender == transfer.receiver)
      return;
    counts.sent[transfer.sender] += transfer.elements();
    counts.received[transfer.receiver] += transfer.elements();
  });
  return counts;
}

} // namespace shard
