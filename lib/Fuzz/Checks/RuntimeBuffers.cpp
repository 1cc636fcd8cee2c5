//===- RuntimeBuffers.cpp - Small tensors for calls of the runtime --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeBuffers.h"

#include "shard/Geometry/Grid.h"
#include "shard/Runtime/Runtime.h"

#include <algorithm>
#include <cstring>

namespace shard::fuzz {

int64_t widthOf(int64_t type) {
  switch (type) {
  case SHARD_RT_I1:
  case SHARD_RT_I8:
    return 1;
  case SHARD_RT_F16:
  case SHARD_RT_BF16:
  case SHARD_RT_I16:
    return 2;
  case SHARD_RT_F32:
  case SHARD_RT_I32:
    return 4;
  default:
    return 8;
  }
}

Buffer::Buffer(Random &rng, int64_t type, Numbers sizes, bool isContiguous)
    : type(type), width(widthOf(type)), extents(std::move(sizes)) {
  std::vector<size_t> order(extents.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = order.size() - 1 - i;
  bool hasGaps = !isContiguous && rng.chance(40);
  if (!isContiguous && rng.chance(25))
    rng.shuffle(order);
  int64_t stride = hasGaps && rng.chance(50) ? 2 : 1;
  offset = hasGaps ? rng.between(0, 3) : 0;
  strides.resize(extents.size());
  for (size_t dim : order) {
    strides[dim] = stride;
    stride *= extents[dim] + (hasGaps ? rng.between(0, 1) : 0);
  }
  memory.assign((stride + offset + 1) * width, kGap);
  encoded = {int64_t(reinterpret_cast<intptr_t>(memory.data())), offset,
             int64_t(extents.size())};
  encoded.insert(encoded.end(), extents.begin(), extents.end());
  encoded.insert(encoded.end(), strides.begin(), strides.end());
}

int64_t Buffer::at(const Numbers &index) const {
  int64_t place = offset;
  for (size_t dim = 0; dim < index.size(); ++dim)
    place += index[dim] * strides[dim];
  return place * width;
}

int64_t Buffer::get(const Numbers &index) const {
  const char *from = memory.data() + at(index);
  if (type == SHARD_RT_F32) {
    float number;
    std::memcpy(&number, from, 4);
    return int64_t(number);
  }
  if (type == SHARD_RT_F64) {
    double number;
    std::memcpy(&number, from, 8);
    return int64_t(number);
  }
  // Little endian, and signed.
  int64_t number = 0;
  std::memcpy(&number, from, width);
  int64_t shift = 64 - 8 * width;
  return int64_t(uint64_t(number) << shift) >> shift;
}

void Buffer::set(const Numbers &index, int64_t value) {
  char *to = memory.data() + at(index);
  if (type == SHARD_RT_F32) {
    auto number = float(value);
    std::memcpy(to, &number, 4);
  } else if (type == SHARD_RT_F64) {
    auto number = double(value);
    std::memcpy(to, &number, 8);
  } else {
    std::memcpy(to, &value, width);
  }
}

void Buffer::forEach(const std::function<void(const Numbers &)> &fn) const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  for (int64_t i = 0; i < count; ++i)
    fn(delinearize(i, extents));
}

bool Buffer::keepsGaps() const {
  std::vector<bool> isElement(memory.size());
  forEach([&](const Numbers &index) {
    std::fill_n(isElement.begin() + at(index), width, true);
  });
  for (size_t i = 0; i < memory.size(); ++i)
    if (!isElement[i] && memory[i] != kGap)
      return false;
  return true;
}

Cut::Cut(int64_t extent, const Numbers &sizes) {
  Numbers whole;
  for (int64_t i = 0; i < extent; ++i)
    whole.push_back(i);
  elements = {whole};
  for (int64_t size : sizes) {
    std::vector<Numbers> parts;
    for (Numbers &block : elements) {
      int64_t width = (int64_t(block.size()) + size - 1) / size;
      block.resize(width * size, -1);
      for (int64_t part = 0; part < size; ++part)
        parts.emplace_back(block.begin() + part * width,
                           block.begin() + (part + 1) * width);
    }
    elements = parts;
  }
  width = int64_t(elements.front().size());
}

std::pair<int64_t, int64_t> Cut::find(int64_t element) const {
  for (size_t part = 0; part < elements.size(); ++part)
    for (int64_t place = 0; place < width; ++place)
      if (elements[part][place] == element)
        return {int64_t(part), place};
  return {-1, -1};
}

} // namespace shard::fuzz
