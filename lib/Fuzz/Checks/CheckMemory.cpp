//===- CheckMemory.cpp - Buffers of a run ---------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer that a program gives back and the runtime does not, or one that lives longer than its
// loop, changes no result of a small program. So the calls are compared with a plain list of the
// buffers that live.
//
//===----------------------------------------------------------------------===//

#include "CheckMemory.h"

#include "shard/Fuzz/Random.h"
#include "shard/Runtime/Kernels/Memory.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace shard::fuzz {

namespace {

/// A buffer that lives, and the number that all of its bytes have.
struct LiveBuffer {
  uint8_t *data;
  int64_t size;
  uint8_t number;
  bool isKept = false;

  bool isWhole() const {
    return std::all_of(data, data + size,
                       [&](uint8_t byte) { return byte == number; });
  }
};

/// A buffer that was taken out of the run.
struct TakenBuffer {
  LiveBuffer buffer;
  std::shared_ptr<void> owner;
};

class MemoryRun {
public:
  explicit MemoryRun(uint64_t seed) : rng(seed) {}

  std::string run() {
    std::string wrong;
    for (int64_t steps = rng.between(5, 40); steps > 0 && wrong.empty();
         --steps) {
      wrong = step();
      if (wrong.empty())
        wrong = compare();
    }
    return wrong;
  }

private:
  std::string step() {
    if (live.empty() || rng.chance(50)) {
      allocate(randomSize());
      return {};
    }
    if (rng.chance(50))
      return releaseOne();
    if (rng.chance(50))
      return releaseNewer();
    if (rng.chance(70))
      return take();
    memory.clear();
    live.clear();
    return {};
  }

  /// Large buffers are kept for those that come.
  int64_t randomSize() {
    constexpr int64_t large = 64 << 10;
    return rng.chance(40) ? rng.between(0, 300)
                          : large + 64 * rng.between(-2, 40);
  }

  void allocate(int64_t size) {
    auto *data = static_cast<uint8_t *>(memory.allocate(size));
    LiveBuffer buffer{data, size, uint8_t(++numAllocated)};
    std::memset(data, buffer.number, size);
    live.push_back(buffer);
    most = std::max(most, bytes());
  }

  std::string releaseOne() {
    if (rng.chance(10)) {
      memory.release(static_cast<void *>(nullptr));
      return {};
    }
    size_t index = rng.between(0, int64_t(live.size()) - 1);
    LiveBuffer buffer = live[index];
    if (!buffer.isWhole())
      return "a buffer of " + std::to_string(buffer.size) +
             " bytes was written to by others";
    int64_t before = memory.keptBytes();
    memory.release(static_cast<void *>(buffer.data));
    live.erase(live.begin() + index);
    // A buffer that was kept serves the next request of its size.
    bool isKept = memory.keptBytes() > before;
    if (!isKept || rng.chance(50))
      return {};
    before = memory.keptBytes();
    allocate(buffer.size);
    return memory.keptBytes() < before
               ? ""
               : "a kept buffer of " + std::to_string(buffer.size) +
                     " bytes is not used again";
  }

  /// What a loop does at the end of an iteration.
  std::string releaseNewer() {
    size_t older = live.size();
    uint64_t mark = memory.mark();
    for (int64_t count = rng.between(1, 6); count > 0; --count)
      allocate(randomSize());
    for (LiveBuffer &buffer : live)
      if ((buffer.isKept = rng.chance(30)))
        memory.keep(mark, uint64_t(buffer.data));
    memory.releaseNewer(mark);
    std::vector<LiveBuffer> left(live.begin(), live.begin() + older);
    for (size_t i = older; i < live.size(); ++i)
      if (live[i].isKept)
        left.push_back(live[i]);
    live = left;
    return {};
  }

  std::string take() {
    size_t index = rng.between(0, int64_t(live.size()) - 1);
    LiveBuffer buffer = live[index];
    if (buffer.size > 0 && memory.take(buffer.data + 1, buffer.size - 1))
      return "a buffer is taken from the middle";
    std::shared_ptr<void> owner = memory.take(buffer.data, buffer.size);
    // One that served a smaller request than its room may stay.
    if (!owner)
      return {};
    live.erase(live.begin() + index);
    taken.push_back({buffer, std::move(owner)});
    return {};
  }

  int64_t bytes() const {
    int64_t sum = 0;
    for (const LiveBuffer &buffer : live)
      sum += buffer.size;
    return sum;
  }

  std::string compare() const {
    auto differs = [](const char *what, int64_t is, int64_t expected) {
      return std::string(what) + " of a run's memory are " +
             std::to_string(is) + " instead of " + std::to_string(expected);
    };
    if (memory.liveBytes() != bytes())
      return differs("live bytes", memory.liveBytes(), bytes());
    if (memory.peakBytes() != most)
      return differs("most bytes", memory.peakBytes(), most);
    // Kept buffers have the room that used ones had once, less than twice what was asked for,
    // and a header and a line each.
    int64_t limit = 2 * most + 256 * numAllocated;
    if (memory.keptBytes() < 0 || memory.keptBytes() > limit)
      return differs("kept bytes", memory.keptBytes(), limit);
    for (const LiveBuffer &buffer : live)
      if (!buffer.isWhole())
        return "a buffer of " + std::to_string(buffer.size) +
               " bytes was written to by others";
    for (const TakenBuffer &one : taken)
      if (!one.buffer.isWhole())
        return "a buffer of " + std::to_string(one.buffer.size) +
               " bytes that was taken out of a run is used again";
    return {};
  }

  Random rng;
  RunMemory memory;
  /// The oldest first.
  std::vector<LiveBuffer> live;
  std::vector<TakenBuffer> taken;
  int64_t most = 0, numAllocated = 0;
};

} // namespace

std::string checkMemory(uint64_t seed) {
  return MemoryRun(seed ^ 0x6d656d6f7279ull).run();
}

} // namespace shard::fuzz
