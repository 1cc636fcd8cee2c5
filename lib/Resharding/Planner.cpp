//===- Planner.cpp - Plans that are kept ----------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Resharding/Plan.h"

#include <array>
#include <mutex>
#include <unordered_map>

namespace shard {

namespace {
/// Numbers for equal lists of numbers.
class Interner {
public:
  int64_t intern(const std::vector<int64_t> &words) {
    return ids.try_emplace(words, static_cast<int64_t>(ids.size()))
        .first->second;
  }

private:
  struct Hash {
    size_t operator()(const std::vector<int64_t> &words) const {
      uint64_t hash = 0xCBF29CE484222325u;
      for (int64_t word : words)
        hash = (hash ^ static_cast<uint64_t>(word)) * 0x100000001B3u;
      return hash ^ (hash >> 29);
    }
  };
  std::unordered_map<std::vector<int64_t>, int64_t, Hash> ids;
};

/// A sharding as numbers, each list behind its length.
std::vector<int64_t> words(const Sharding &sharding) {
  std::vector<int64_t> result;
  auto append = [&result](const auto &list) {
    result.push_back(static_cast<int64_t>(list.size()));
    result.insert(result.end(), list.begin(), list.end());
  };
  for (const AxisList &axes : sharding.dims)
    append(axes);
  append(sharding.partial);
  result.push_back(static_cast<int64_t>(sharding.reduction));
  append(sharding.halos);
  append(sharding.offsets);
  return result;
}
} // namespace

struct Planner::Impl {
  const CostModel &costModel;
  std::mutex mutex;
  Interner grids, shapes, shardings;
  using Key = std::array<int64_t, 5>;
  struct Answer {
    std::optional<Plan> plan;
    std::string error;
  };
  struct Hash {
    size_t operator()(const Key &key) const {
      uint64_t hash = 0;
      for (int64_t word : key)
        hash = (hash ^ static_cast<uint64_t>(word)) * 0x9E3779B97F4A7C15u;
      return hash ^ (hash >> 32);
    }
  };
  std::unordered_map<Key, std::unique_ptr<Answer>, Hash> answers;
};

Planner::Planner(const CostModel &costModel)
    : impl(new Impl{costModel, {}, {}, {}, {}, {}}) {}

Planner::~Planner() = default;

const Plan *Planner::plan(const Grid &grid, const std::vector<int64_t> &shape,
                          int64_t elementBytes, const Sharding &from,
                          const Sharding &to, std::string *error) {
  std::lock_guard<std::mutex> lock(impl->mutex);
  Impl::Key key = {impl->grids.intern(grid.shape), impl->shapes.intern(shape),
                   elementBytes, impl->shardings.intern(words(from)),
                   impl->shardings.intern(words(to))};
  std::unique_ptr<Impl::Answer> &answer = impl->answers[key];
  if (!answer) {
    answer = std::make_unique<Impl::Answer>();
    answer->plan = planReshard(grid, shape, elementBytes, from, to,
                               impl->costModel, &answer->error);
  }
  if (answer->plan)
    return &*answer->plan;
  if (error)
    *error = answer->error;
  return nullptr;
}

} // namespace shard
