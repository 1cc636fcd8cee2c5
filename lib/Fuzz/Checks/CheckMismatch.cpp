//===- CheckMismatch.cpp - Devices that call with other numbers -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All devices of a random program make the same calls. That the runtime would notice others is
// therefore seen by no program.
//
//===----------------------------------------------------------------------===//

#include "CheckMismatch.h"

#include "shard/Fuzz/Random.h"

#include "shard/Runtime/Runtime.h"
#include "shard/Runtime/Threads.h"

#include <algorithm>
#include <vector>

namespace shard::fuzz {

using Numbers = std::vector<int64_t>;

/// All devices of a grid 2x2, and their buffers of 4x4 elements.
static const int64_t group[] = {2, 2, 2, 2, 0, 1};
static constexpr int64_t numDevices = 4, extent = 4;

namespace {
/// A collective that keeps the shape of its input, and the numbers beside its buffers.
struct NumberedCall {
  const char *name;
  Numbers (*make)(Random &rng);
  void (*run)(const int64_t *input, const int64_t *result,
              const int64_t *numbers);
};
} // namespace

/// A failure leaves these functions by longjmp: they hold nothing.
static const NumberedCall calls[] = {
    {"all_reduce", [](Random &rng) { return Numbers{rng.between(1, 5)}; },
     [](const int64_t *input, const int64_t *result, const int64_t *numbers) {
       shard_rt_all_reduce("at", group, SHARD_RT_F32, input, result,
                           numbers[0]);
     }},
    {"reduce",
     [](Random &rng) {
       return Numbers{rng.between(1, 5), rng.between(0, 1), rng.between(0, 1)};
     },
     [](const int64_t *input, const int64_t *result, const int64_t *numbers) {
       shard_rt_reduce("at", group, SHARD_RT_F32, input, result, numbers[0],
                       numbers + 1);
     }},
    {"broadcast",
     [](Random &rng) { return Numbers{rng.between(0, 1), rng.between(0, 1)}; },
     [](const int64_t *input, const int64_t *result, const int64_t *numbers) {
       shard_rt_broadcast("at", group, SHARD_RT_F32, input, result, numbers);
     }},
    {"shift",
     [](Random &rng) {
       return Numbers{1, rng.between(0, 1), rng.between(-2, 2),
                      rng.between(0, 1), rng.between(0, 1)};
     },
     [](const int64_t *input, const int64_t *result, const int64_t *numbers) {
       shard_rt_shift("at", group, SHARD_RT_F32, input, result, numbers,
                      numbers[2], numbers[3], numbers[4]);
     }},
    {"permute",
     [](Random &rng) {
       int64_t first = rng.between(0, 1);
       return Numbers{2, first, 1 - first};
     },
     [](const int64_t *input, const int64_t *result, const int64_t *numbers) {
       shard_rt_permute("at", group, SHARD_RT_F32, input, result, numbers);
     }},
    {"update_halo",
     [](Random &rng) {
       // Whether there are windows, axes of each dimension, halos, windows.
       int64_t axes = rng.between(0, 2);
       Numbers numbers = {rng.between(0, 1), axes, 2 - axes};
       for (int64_t i = 0; i < 4; ++i)
         numbers.push_back(rng.between(0, 1));
       for (int64_t i = 0; i < 2; ++i)
         for (int64_t number :
              {rng.between(4, 8), rng.between(1, 2), rng.between(-1, 1),
               rng.between(1, 3), rng.between(0, 1), rng.between(3, 6),
               rng.between(1, 2)})
           numbers.push_back(number);
       if (numbers[0] == 0)
         numbers.resize(7);
       return numbers;
     },
     [](const int64_t *input, const int64_t *result, const int64_t *numbers) {
       shard_rt_update_halo("at", group, SHARD_RT_F32, input, result,
                            numbers + 1, numbers + 3,
                            numbers[0] ? numbers + 7 : nullptr);
     }},
    {"redistribute",
     [](Random &rng) {
       // Blocks stay 4x4: both axes split one dimension, or each its own.
       int64_t before = rng.between(0, 1), after = rng.between(0, 1);
       if (rng.chance(50))
         return Numbers{16, 4, 2,     before,    1 - before,
                        0,  2, after, 1 - after, 0};
       return Numbers{8, 8, 1, before, 1, 1 - before, 1, after, 1, 1 - after};
     },
     [](const int64_t *input, const int64_t *result, const int64_t *numbers) {
       shard_rt_redistribute("at", group, SHARD_RT_F32, input, result, numbers,
                             numbers + 2, numbers + 6);
     }}};

/// Devices gather blocks of which all are as long as a division gives, or which are together as long
/// as the result. The runtime notices others.
static std::string checkExtents(Random &rng) {
  int64_t whole = rng.between(1, 4 * numDevices);
  int64_t width = (whole + numDevices - 1) / numDevices, sum = 0;
  bool areEqual = rng.chance(20);
  Numbers widths(numDevices, width);
  for (int64_t i = 0; !areEqual && i < numDevices; ++i)
    widths[i] = rng.between(std::max<int64_t>(width - 1, 0), width + 1);
  for (int64_t block : widths)
    sum += block;
  areEqual = widths == Numbers(numDevices, width);
  std::vector<std::vector<float>> data(numDevices,
                                       std::vector<float>(whole + width + 2));
  runtime::RunReport report = runtime::runOnGrid({2, 2}, [&](int64_t device) {
    int64_t begin = int64_t(reinterpret_cast<intptr_t>(data[device].data()));
    const int64_t input[] = {begin, whole, 1, widths[device], 1};
    const int64_t result[] = {begin, 0, 1, whole, 1};
    shard_rt_all_gather("at", group, SHARD_RT_F32, input, result, 0);
  });
  if (report.ok == (areEqual || sum == whole))
    return {};
  std::string text;
  for (int64_t block : widths)
    text += " " + std::to_string(block);
  return "the runtime says \"" + report.error + "\" of a gather of blocks of" +
         text + " to " + std::to_string(whole);
}

/// Whether devices that call along these axes of the grid, one after the other, all come to the end:
/// a call ends when all devices of its group are at it.
static bool comesToEnd(const std::vector<Numbers> &axes) {
  std::vector<size_t> at(numDevices, 0);
  // Devices that differ in the coordinate on `axis` are a group.
  auto waits = [&](int64_t device, int64_t axis) {
    return at[device] < axes[device].size() && axes[device][at[device]] == axis;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t device = 0; device < numDevices; ++device)
      for (int64_t axis : {0, 1}) {
        int64_t partner = device ^ (axis == 0 ? 2 : 1);
        if (!waits(device, axis) || !waits(partner, axis))
          continue;
        ++at[device];
        ++at[partner];
        changed = true;
      }
  }
  for (int64_t device = 0; device < numDevices; ++device)
    if (at[device] < axes[device].size())
      return false;
  return true;
}

/// Devices call along the axes of the grid, each in an order of its own. Those that wait for one
/// another for ever are told so at once.
static std::string checkDeadlock(Random &rng) {
  static const int64_t groups[][5] = {{2, 2, 2, 1, 0}, {2, 2, 2, 1, 1}};
  std::vector<Numbers> axes(numDevices);
  int64_t count = rng.between(1, 3);
  for (Numbers &calls : axes)
    for (int64_t i = 0; i < count; ++i)
      calls.push_back(rng.between(0, 1));
  if (rng.chance(30))
    axes.assign(numDevices, axes.front());
  else if (rng.chance(50)) // Each waits for the next one of a ring.
    for (int64_t device = 0; device < numDevices; ++device)
      axes[device].front() = device % 3 == 0 ? 0 : 1;
  std::vector<float> data(2 * numDevices, 1);
  runtime::RunOptions options;
  options.timeoutSeconds = 20;
  runtime::RunReport report = runtime::runOnGrid(
      {2, 2},
      [&](int64_t device) {
        const int64_t input[] = {
            int64_t(reinterpret_cast<intptr_t>(&data[device])), 0, 1, 1, 1};
        const int64_t result[] = {
            int64_t(reinterpret_cast<intptr_t>(&data[numDevices + device])), 0,
            1, 1, 1};
        for (size_t i = 0; i < axes[device].size(); ++i)
          shard_rt_all_reduce("at", groups[axes[device][i]], SHARD_RT_F32,
                              input, result, 1);
      },
      options);
  bool isLate = report.error.find("seconds") != std::string::npos;
  if (report.ok == comesToEnd(axes) && !isLate)
    return {};
  std::string text;
  for (const Numbers &calls : axes) {
    text += text.empty() ? " " : "; ";
    for (int64_t axis : calls)
      text += std::to_string(axis);
  }
  return "the runtime says \"" + report.error +
         "\" of devices that call along the axes" + text;
}

std::string checkMismatch(uint64_t seed) {
  Random rng(seed ^ 0x6d69736d61746368ull);
  if (std::string wrong = checkExtents(rng); !wrong.empty())
    return wrong;
  if (std::string wrong = checkDeadlock(rng); !wrong.empty())
    return wrong;
  const NumberedCall &call =
      calls[rng.between(0, int64_t(std::size(calls)) - 1)];
  // One number is that of another call, which may be the same.
  Numbers most = call.make(rng), other = most, next = call.make(rng);
  size_t changed = rng.between(0, int64_t(most.size()) - 1);
  if (next.size() == most.size())
    other[changed] = next[changed];
  int64_t odd = rng.between(0, numDevices - 1);
  std::vector<float> data(2 * numDevices * extent * extent, 1);
  std::vector<Numbers> buffers;
  for (int64_t i = 0; i < 2 * numDevices; ++i)
    buffers.push_back(
        {int64_t(reinterpret_cast<intptr_t>(&data[i * extent * extent])), 0, 2,
         extent, extent, extent, 1});
  runtime::RunReport report = runtime::runOnGrid({2, 2}, [&](int64_t device) {
    call.run(buffers[device].data(), buffers[numDevices + device].data(),
             (device == odd ? other : most).data());
  });
  // A number may not fit the others.
  if (report.ok == (most == other))
    return {};
  std::string text = std::string("of ") + call.name + " with other numbers";
  for (const Numbers *numbers : {&most, &other}) {
    text += numbers == &most ? " (" : "; ";
    for (int64_t number : *numbers)
      text += " " + std::to_string(number);
  }
  return "the runtime says \"" + report.error + "\" " + text + ")";
}

} // namespace shard::fuzz
