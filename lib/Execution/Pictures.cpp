//===- Pictures.cpp - Shardings drawn on a terminal -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pictures.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace shard;

/// Values with more blocks are not drawn.
static constexpr int64_t kMaxBlocks = 64;

/// Devices that a box names; more are counted.
static constexpr size_t kMaxDevices = 4;

/// Light colors of the 6x6x6 cube, neighbours far apart; black text is readable on all.
static constexpr int kColors[] = {117, 222, 156, 217, 183, 123,
                                  229, 114, 216, 147, 194, 225};

namespace {
struct Blocks {
  /// The devices that have each block, major dimension first.
  std::vector<std::vector<int64_t>> devices;
  int64_t columns = 1;
};
} // namespace

static int64_t numBlocks(const ValueReport &value) {
  int64_t blocks = 1;
  for (const AxisList &axes : value.layout.dims)
    blocks *= value.grid.groupSize(axes);
  return blocks;
}

static Blocks blocksOf(const ValueReport &value) {
  Blocks result;
  int64_t blocks = numBlocks(value);
  result.devices.resize(blocks);
  for (int64_t device = 0; device < value.grid.numDevices(); ++device) {
    int64_t block = 0;
    for (const AxisList &axes : value.layout.dims)
      block = block * value.grid.groupSize(axes) +
              value.grid.positionInGroup(device, axes);
    result.devices[block].push_back(device);
  }
  result.columns = blocks / value.grid.groupSize(value.layout.dims.front());
  return result;
}

static std::string textOf(llvm::ArrayRef<int64_t> devices) {
  std::string text = llvm::join(
      llvm::map_range(devices.take_front(kMaxDevices),
                      [](int64_t device) { return std::to_string(device); }),
      ",");
  if (devices.size() > kMaxDevices)
    text += llvm::formatv("+{0}", devices.size() - kMaxDevices);
  return text;
}

static std::string draw(const ValueReport &value) {
  Blocks blocks = blocksOf(value);
  std::vector<std::string> texts;
  size_t width = 0;
  for (const std::vector<int64_t> &devices : blocks.devices) {
    texts.push_back(textOf(devices));
    width = std::max(width, texts.back().size());
  }
  std::string picture;
  llvm::raw_string_ostream os(picture);
  for (auto [number, text] : llvm::enumerate(texts)) {
    bool isFirst = number % blocks.columns == 0;
    bool isLast = (number + 1) % blocks.columns == 0;
    int color = kColors[blocks.devices[number].front() % std::size(kColors)];
    os << (isFirst ? "    " : "") << "\033[30;48;5;" << color << "m "
       << llvm::left_justify(text, width) << " \033[0m" << (isLast ? "\n" : "");
  }
  return picture;
}

void shard::printPictures(llvm::StringRef name,
                          llvm::ArrayRef<ValueReport> values,
                          llvm::raw_ostream &os) {
  llvm::MapVector<llvm::StringRef, std::vector<std::string>> names;
  std::vector<std::string> pictures(values.size());
  for (auto [index, value] : llvm::enumerate(values)) {
    int64_t blocks = numBlocks(value);
    if (blocks == 1)
      continue;
    pictures[index] =
        blocks <= kMaxBlocks
            ? draw(value)
            : llvm::formatv("    {0} blocks, {1}\n", blocks, value.sharding)
                  .str();
    names[pictures[index]].push_back((name + llvm::Twine(index)).str());
  }
  for (const auto &[picture, owners] : names)
    os << "  " << llvm::join(owners, ", ") << ":\n" << picture;
}
