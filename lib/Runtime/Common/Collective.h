//===- Collective.h - A collective on its way ----------------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the words of Runtime.h to a checked call. What a device can check alone
// is checked here, in every back end and before any communication.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_COMMON_COLLECTIVE_H
#define SHARD_LIB_RUNTIME_COMMON_COLLECTIVE_H

#include "CallClock.h"
#include "Device.h"

#include <cstdio>

namespace shard {
namespace runtime {

/// Of the text that says why a run fails; a longer text is cut.
constexpr size_t kMessageBytes = 512;

/// The calling device; outside a run there is none to talk to.
Device &deviceFor(const char *location, Kind kind);

/// Lets a call of `kind` that runs to its end wait for what was started.
void settle(Device &device, Kind kind);

/// Ends the run with `message` (printf); does not return.
[[noreturn]] void fail(Device &device, const Call &call, const char *format,
                       ...) __attribute__((format(printf, 3, 4)));

/// The device's group of `words` (Runtime.h, "group"); fails on bad words.
Group &groupOf(Device &device, const Call &call, const int64_t *words);

/// A collective on its way: who, in which group, with what.
struct Collective {
  using Clock = CallClock;

  Device &device;
  Call call;
  Group *group = nullptr;
  /// For the record.
  Clock::time_point begin;

  Collective(Kind kind, const char *location)
      : device(deviceFor(location, kind)) {
    if (device.keepsRecords)
      begin = Clock::now();
    call.kind = kind;
    call.location = location;
  }

  void setType(int64_t type) {
    call.type = type;
    if (elementBytes(type) == 0)
      fail(device, call, "%lld is not the number of an element type",
           static_cast<long long>(type));
  }
  void setInput(const int64_t *buffer) {
    checkBuffer(buffer);
    call.input = viewOf(buffer, call.type);
    call.hasInput = true;
  }
  void setResult(const int64_t *buffer) {
    checkBuffer(buffer);
    call.result = viewOf(buffer, call.type);
    call.hasResult = true;
  }
  void join(const int64_t *words) { group = &groupOf(device, call, words); }

  void checkBuffer(const int64_t *buffer) {
    if (buffer[2] < 0 || buffer[2] > kMaxRank)
      fail(device, call, "tensors of more than %d dimensions are not supported",
           int(kMaxRank));
  }
  void checkDim(const char *name, int64_t dim) {
    call.add(name, dim);
    if (dim < 0 || dim >= call.input.rank)
      fail(device, call, "%s is out of range for a tensor of rank %d", name,
           int(call.input.rank));
  }
  /// Input and result agree, but for two dimensions that are checked apart.
  void checkShapes(int64_t exceptDim = -1, int64_t exceptDim2 = -1);
  /// `part` is the extent of a block of `whole` cut over the group.
  void checkCut(int64_t dim, int64_t whole, int64_t part);
  /// The position of the device at `coordinates` in the group.
  int64_t positionOf(const char *name, const int64_t *coordinates);
  Reduction reductionOf(int64_t kind);
  /// Gives the call a contiguous input.
  void packInput();

  /// Runs `move`, which sends `bytes` from this device, or starts it.
  template <typename Move>
  void execute(int64_t bytes, Move move) {
    bool starts = device.startsNext;
    device.startsNext = false;
    if (starts && backend::start(*this, move, bytes))
      return;
    move(*this);
    record(bytes);
  }

  /// Notes the call, by which this device sent `bytes`, as done.
  void record(int64_t bytes) {
    backend::delay(*this, bytes);
    if (device.keepsRecords)
      device.recorder.add(
          *group, call, bytes,
          std::chrono::duration<double>(Clock::now() - begin).count());
  }
};

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_COMMON_COLLECTIVE_H
