//===- Layout.cpp - Shardings in tables of numbers ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Standalone/Layout.h"

using namespace shard;

template <typename T>
static void put(std::vector<int64_t> &words, const std::vector<T> &list) {
  words.push_back(static_cast<int64_t>(list.size()));
  words.insert(words.end(), list.begin(), list.end());
}

template <typename T>
static void take(const int64_t *&words, std::vector<T> &list) {
  int64_t size = *words++;
  for (int64_t i = 0; i < size; ++i)
    list.push_back(static_cast<T>(*words++));
}

std::vector<int64_t> shard::encodeLayout(const ValueLayout &layout) {
  std::vector<int64_t> words{static_cast<int64_t>(layout.type)};
  put(words, layout.grid.shape);
  for (const AxisList &axes : layout.sharding.dims)
    put(words, axes);
  put(words, layout.sharding.partial);
  words.push_back(static_cast<int64_t>(layout.sharding.reduction));
  put(words, layout.sharding.halos);
  put(words, layout.sharding.offsets);
  return words;
}

ValueLayout shard::decodeLayout(const int64_t *words, int64_t rank) {
  ValueLayout layout;
  layout.type = static_cast<ElementType>(*words++);
  take(words, layout.grid.shape);
  layout.sharding.dims.resize(rank);
  for (AxisList &axes : layout.sharding.dims)
    take(words, axes);
  take(words, layout.sharding.partial);
  layout.sharding.reduction = static_cast<ReductionKind>(*words++);
  take(words, layout.sharding.halos);
  take(words, layout.sharding.offsets);
  return layout;
}
