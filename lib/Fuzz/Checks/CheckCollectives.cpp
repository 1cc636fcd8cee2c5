//===- CheckCollectives.cpp - Calls of the runtime by definition ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs have few forms of a call: their buffers are contiguous, most groups have one axis. So
// the runtime is called with random ones, which takes a hundredth of the time of a program. What it
// makes for a call, it keeps for the next one with the same group.
//
//===----------------------------------------------------------------------===//

#include "CheckCollectives.h"

#include "../../Runtime/Common/Device.h"
#include "CollectiveCase.h"

#include "shard/Runtime/Runtime.h"
#include "shard/Runtime/Threads.h"

#include <algorithm>
#include <atomic>

namespace shard::fuzz {

AxisList CollectiveCase::randomAxes(int64_t percent) {
  std::vector<GridAxis> list;
  for (size_t axis = 0; axis < grid.shape.size(); ++axis)
    if (rng.chance(percent))
      list.push_back(GridAxis(axis));
  rng.shuffle(list);
  return AxisList(list.begin(), list.end());
}

Numbers CollectiveCase::listed(const AxisList &axes) {
  Numbers words = {int64_t(axes.size())};
  words.insert(words.end(), axes.begin(), axes.end());
  return words;
}

int64_t CollectiveCase::randomValue() {
  return type == SHARD_RT_I1 ? rng.between(0, 1) : rng.between(-3, 3);
}

void CollectiveCase::setSizes(const Numbers &input, const Numbers &result,
                              bool isContiguous) {
  setSizes([&](int64_t) { return input; }, result, isContiguous);
}

void CollectiveCase::setSizes(
    const std::function<Numbers(int64_t device)> &input, const Numbers &result,
    bool isContiguous) {
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    inputs.emplace_back(rng, type, input(device), /*isContiguous=*/false);
    results.emplace_back(rng, type, result, isContiguous);
    Buffer &buffer = inputs.back();
    buffer.forEach(
        [&](const Numbers &index) { buffer.set(index, randomValue()); });
    results.back().forEach(
        [&](const Numbers &index) { results.back().set(index, 1); });
  }
  expected.resize(inputs.size());
}

void CollectiveCase::expect(int64_t device, const Numbers &index,
                            int64_t value) {
  expected[device].emplace_back(index, value);
}

void CollectiveCase::expectSources(const SourceOf &source) {
  for (int64_t device = 0; device < grid.numDevices(); ++device)
    results[device].forEach([&](const Numbers &index) {
      Source from = source(device, index);
      expect(device, index, from ? inputs[from->first].get(from->second) : 0);
    });
}

void CollectiveCase::makeGather() {
  Numbers whole = {rng.between(1, 3), rng.between(1, 9), rng.between(1, 3)};
  int64_t dim = rng.between(0, 2);
  Cut cut(whole[dim], grid.sizes(axes));
  setSizes(with(whole, dim, cut.width), whole);
  bool isRooted = rng.chance(30);
  int64_t root = rng.between(0, size - 1);
  name = isRooted ? "gather" : "all_gather";
  mayStart = !isRooted;
  expectSources([&](int64_t device, const Numbers &index) -> Source {
    if (isRooted && grid.positionInGroup(device, axes) != root)
      return std::nullopt;
    auto [part, place] = cut.find(index[dim]);
    return {{grid.groupMembers(device, axes)[part], with(index, dim, place)}};
  });
  Numbers at = delinearize(root, grid.sizes(axes));
  call = [=](const int64_t *input, const int64_t *result) {
    if (isRooted)
      shard_rt_gather("at", group.data(), type, input, result, dim, at.data());
    else
      shard_rt_all_gather("at", group.data(), type, input, result, dim);
  };
}

/// A gather of blocks that are as long as the run makes them.
void CollectiveCase::makeRaggedGather() {
  Numbers sizes = {rng.between(1, 3), rng.between(1, 3), rng.between(1, 3)};
  int64_t dim = rng.between(0, 2);
  // Which block each element of the whole is in, and where it begins.
  Numbers blocks, begins;
  for (int64_t block = 0; block < size; ++block) {
    begins.push_back(int64_t(blocks.size()));
    blocks.insert(blocks.end(), rng.between(0, 3), block);
  }
  if (blocks.empty())
    return makeGather();
  begins.push_back(int64_t(blocks.size()));
  setSizes(
      [&](int64_t device) {
        int64_t block = grid.positionInGroup(device, axes);
        return with(sizes, dim, begins[block + 1] - begins[block]);
      },
      with(sizes, dim, begins.back()));
  name = "all_gather";
  mayStart = true;
  expectSources([&](int64_t device, const Numbers &index) -> Source {
    int64_t block = blocks[index[dim]];
    return {{grid.groupMembers(device, axes)[block],
             with(index, dim, index[dim] - begins[block])}};
  });
  call = [=](const int64_t *input, const int64_t *result) {
    shard_rt_all_gather("at", group.data(), type, input, result, dim);
  };
}

void CollectiveCase::makeSlice() {
  Numbers whole = {rng.between(1, 3), rng.between(1, 9), rng.between(1, 3)};
  int64_t dim = rng.between(0, 2);
  Cut cut(whole[dim], grid.sizes(axes));
  setSizes(whole, with(whole, dim, cut.width));
  bool isRooted = rng.chance(50);
  int64_t root = rng.between(0, size - 1);
  name = isRooted ? "scatter" : "all_slice";
  expectSources([&](int64_t device, const Numbers &index) -> Source {
    int64_t element =
        cut.element(grid.positionInGroup(device, axes), index[dim]);
    if (element < 0)
      return std::nullopt;
    int64_t from = isRooted ? grid.groupMembers(device, axes)[root] : device;
    return {{from, with(index, dim, element)}};
  });
  Numbers at = delinearize(root, grid.sizes(axes));
  call = [=](const int64_t *input, const int64_t *result) {
    if (isRooted)
      shard_rt_scatter("at", group.data(), type, input, result, dim, at.data());
    else
      shard_rt_all_slice("at", group.data(), type, input, result, dim);
  };
}

void CollectiveCase::makeBroadcast() {
  Numbers sizes = {rng.between(1, 4), rng.between(1, 4)};
  setSizes(sizes, sizes);
  int64_t root = rng.between(0, size - 1);
  name = "broadcast";
  mayStart = true;
  expectSources([&](int64_t device, const Numbers &index) -> Source {
    return {{grid.groupMembers(device, axes)[root], index}};
  });
  Numbers at = delinearize(root, grid.sizes(axes));
  call = [=](const int64_t *input, const int64_t *result) {
    shard_rt_broadcast("at", group.data(), type, input, result, at.data());
  };
}

void CollectiveCase::makeExchange() {
  int64_t split = rng.between(0, 2), concat = rng.between(0, 2);
  Numbers whole = {rng.between(1, 7), rng.between(1, 7), rng.between(1, 7)};
  if (split == concat)
    whole[split] = size * rng.between(1, 2);
  Cut before(whole[concat], grid.sizes(axes)),
      after(whole[split], grid.sizes(axes));
  name = "all_to_all";
  mayStart = true;
  setSizes(split == concat ? whole : with(whole, concat, before.width),
           split == concat ? whole : with(whole, split, after.width));
  expectSources([&](int64_t device, const Numbers &index) -> Source {
    int64_t here = grid.positionInGroup(device, axes);
    Numbers members = grid.groupMembers(device, axes);
    if (split == concat) {
      int64_t width = whole[split] / size, place = index[split];
      return {{members[place / width],
               with(index, split, here * width + place % width)}};
    }
    int64_t element = after.element(here, index[split]);
    if (element < 0)
      return std::nullopt;
    auto [part, place] = before.find(index[concat]);
    return {{members[part], with(with(index, split, element), concat, place)}};
  });
  call = [=](const int64_t *input, const int64_t *result) {
    shard_rt_all_to_all("at", group.data(), type, input, result, split, concat);
  };
}

void CollectiveCase::makeShift() {
  AxisList along;
  for (GridAxis axis : axes)
    if (rng.chance(70) || along.empty())
      along.push_back(axis);
  if (along.empty())
    return makeBroadcast();
  int64_t extent = grid.groupSize(along), offset = rng.between(-7, 8);
  bool rotate = rng.chance(50), mirror = rng.chance(50);
  Numbers sizes = {rng.between(1, 4), rng.between(1, 4)};
  setSizes(sizes, sizes);
  name = "shift";
  mayStart = true;
  expectSources([&](int64_t device, const Numbers &index) -> Source {
    int64_t here = grid.positionInGroup(device, along);
    int64_t there = mirror ? offset - here : here - offset;
    if (rotate)
      there = ((there % extent) + extent) % extent;
    if (there < 0 || there >= extent)
      return std::nullopt;
    return {{grid.groupMembers(device, along)[there], index}};
  });
  Numbers words = listed(along);
  call = [=](const int64_t *input, const int64_t *result) {
    shard_rt_shift("at", group.data(), type, input, result, words.data(),
                   offset, rotate, mirror);
  };
}

void CollectiveCase::makePermute() {
  AxisList to = axes;
  for (int64_t tries = 10; tries > 0; --tries)
    if (AxisList other = randomAxes(60); grid.groupSize(other) == size)
      to = other;
  auto without = [](const AxisList &list, const AxisList &other) {
    AxisList result;
    for (GridAxis axis : list)
      if (std::find(other.begin(), other.end(), axis) == other.end())
        result.push_back(axis);
    return result;
  };
  AxisList lost = without(axes, to), gained = without(to, axes);
  Numbers sizes = {rng.between(1, 4), rng.between(1, 4)};
  setSizes(sizes, sizes);
  name = "permute";
  mayStart = true;
  expectSources([&](int64_t device, const Numbers &index) -> Source {
    Numbers source = grid.coordinates(device);
    auto place = [&](int64_t number, const AxisList &along) {
      Numbers at = delinearize(number, grid.sizes(along));
      for (size_t i = 0; i < along.size(); ++i)
        source[along[i]] = at[i];
    };
    place(grid.positionInGroup(device, to), axes);
    place(grid.positionInGroup(device, lost), gained);
    return {{grid.device(source), index}};
  });
  Numbers words = listed(to);
  call = [=](const int64_t *input, const int64_t *result) {
    shard_rt_permute("at", group.data(), type, input, result, words.data());
  };
}

CollectiveCase::CollectiveCase(uint64_t seed) : rng(seed) {
  for (int64_t left = rng.between(1, 3), devices = 1; left > 0; --left) {
    grid.shape.push_back(rng.between(1, std::min<int64_t>(3, 12 / devices)));
    devices *= grid.shape.back();
  }
  axes = randomAxes(75);
  size = grid.groupSize(axes);
  static const Numbers types = {SHARD_RT_I8, SHARD_RT_I16, SHARD_RT_I32,
                                SHARD_RT_F32, SHARD_RT_F64};
  type = rng.oneOf(types);
  group = {int64_t(grid.shape.size())};
  group.insert(group.end(), grid.shape.begin(), grid.shape.end());
  Numbers words = listed(axes);
  group.insert(group.end(), words.begin(), words.end());
  using Make = void (CollectiveCase::*)();
  static const std::vector<Make> makers = {
      &CollectiveCase::makeGather,    &CollectiveCase::makeRaggedGather,
      &CollectiveCase::makeSlice,     &CollectiveCase::makeBroadcast,
      &CollectiveCase::makeExchange,  &CollectiveCase::makeShift,
      &CollectiveCase::makePermute,   &CollectiveCase::makeHalo,
      &CollectiveCase::makeHalo,      &CollectiveCase::makeReduction,
      &CollectiveCase::makeReduction, &CollectiveCase::makeRedistribution};
  (this->*rng.oneOf(makers))();
}

static std::string text(const Numbers &numbers) {
  std::string result;
  for (int64_t number : numbers)
    result += " " + std::to_string(number);
  return result;
}

std::string CollectiveCase::describe() const {
  return name + " of" + text(inputs.front().sizes()) + " to" +
         text(results.front().sizes()) + ", element type " +
         std::to_string(type) + ", group" + text(group) + ", numbers" +
         text(numbers);
}

std::string CollectiveCase::run() {
  bool starts = mayStart && rng.chance(30);
  bool repeats = !starts && !isInPlace && rng.chance(30);
  std::atomic<bool> hasNewGroup = false;
  runtime::RunReport report =
      runtime::runOnGrid(grid.shape, [&](int64_t device) {
        if (starts)
          shard_rt_start("at");
        const Buffer &from = isInPlace ? results[device] : inputs[device];
        call(from.words(), results[device].words());
        if (repeats) {
          size_t known = runtime::backend::currentDevice()->groups.size();
          call(from.words(), results[device].words());
          if (runtime::backend::currentDevice()->groups.size() != known)
            hasNewGroup = true;
        }
        if (starts)
          shard_rt_wait("at", results[device].begin(), inputs[device].begin());
      });
  if (!report.ok)
    return "the runtime says \"" + report.error + "\" of " + describe();
  if (hasNewGroup)
    return "the runtime makes a group again for a second " + describe();
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    for (const auto &[index, value] : expected[device])
      if (results[device].get(index) != value)
        return "the runtime gives device " + std::to_string(device) + " " +
               std::to_string(results[device].get(index)) + " instead of " +
               std::to_string(value) + " at" + text(index) + ": " + describe();
    if (!results[device].keepsGaps())
      return "the runtime writes beside a buffer: " + describe();
  }
  return {};
}

std::string checkCollectives(uint64_t seed) {
  return CollectiveCase(seed ^ 0x63616c6c73ull).run();
}

} // namespace shard::fuzz
