//===- Rendezvous.h - Where devices of a group meet -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a run of the thread back end, and the two points of every
// collective: `enter`, where the devices of a group meet and their calls are
// compared, and `leave`, which nobody passes before all have read what they
// need. Between the two a device reads the others' inputs (and, in all_reduce,
// writes the others' results) without locks, and cannot fail.
//
// One mutex guards all state of a run: critical sections are short and devices
// few. A device that blocks checks whether anybody is left who could wake it.
//
// A device leaves by longjmp, so no function that may fail holds an object with
// a destructor when it does.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_THREADS_RENDEZVOUS_H
#define SHARD_LIB_RUNTIME_THREADS_RENDEZVOUS_H

#include "../Common/Collective.h"
#include "shard/Runtime/Threads.h"

#include <atomic>
#include <condition_variable>
#include <csetjmp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace shard {
namespace runtime {

struct Message {
  std::vector<char> data;
  int64_t type;
  std::vector<int64_t> sizes;
  const char *location;
};

/// A device group as one object that its devices share.
struct Communicator {
  /// By position.
  std::vector<int64_t> devices;
  std::vector<const Call *> calls;
  std::condition_variable changed;
  /// Rendezvous that were completed. Written under the run's mutex; devices that are about
  /// to wait for the next one read them without it for a moment.
  std::atomic<uint64_t> entered{0};
  std::atomic<uint64_t> left{0};
  int64_t arriving = 0;
  int64_t leaving = 0;
  /// Sent and not yet received, by positions (from, to).
  std::map<std::pair<int64_t, int64_t>, std::deque<Message>> messages;
};

struct Run;
struct Progress;

/// A device that is a thread.
struct ThreadDevice : Device {
  enum class State { Running, Meeting, Receiving, Finished };

  Run *run = nullptr;
  /// The number of the physical device.
  int64_t id = 0;
  jmp_buf exit;
  /// Moves what the device has started; null before the first start.
  std::unique_ptr<Progress> progress;

  ThreadDevice();
  ~ThreadDevice();

  // Guarded by the run's mutex.
  State state = State::Running;
  Communicator *waitsIn = nullptr;
  const Call *waitsAt = nullptr;
  int64_t waitsFor = -1; // position of the sender; -1: any
  std::condition_variable received;
};

struct Run {
  Grid grid;
  RunOptions options;
  /// By position.
  std::vector<std::unique_ptr<ThreadDevice>> devices;
  /// By physical device, its position.
  std::vector<int64_t> positions;
  /// Whether each device may have a processor of its own, so that one that looks again
  /// and again whether the others have come keeps none of them from coming.
  bool spins = false;

  std::mutex mutex;
  std::map<std::vector<int64_t>, std::unique_ptr<Communicator>> communicators;
  std::condition_variable changed;
  bool failed = false;
  std::string error;
  int64_t ready = 0;
  int64_t blocked = 0;
  int64_t finished = 0;
};

inline ThreadDevice &threadOf(Device &device) {
  return static_cast<ThreadDevice &>(device);
}

void setCurrentDevice(ThreadDevice *device);

/// Makes `message` the run's error unless there is one; the caller holds the
/// mutex.
void setRunError(Run &run, std::string message);

/// Meets the other devices of the group; their calls can be read until `leave`.
void enter(Collective &c);
void leave(Collective &c);
/// The call of the device at position `p` of the group; between enter and leave.
inline const Call &peer(const Group &group, int64_t p) {
  return *group.communicator->calls[p];
}

/// Lets the device arrive at its rendezvous with `call`, which has to stay where it is.
/// Whether the group has met or the run has failed; else the device counts as one that
/// waits. The caller holds the mutex.
bool arrive(ThreadDevice &device, const Group &member, const Call &call);

/// Waits on `condition` until `done()`; false if the run fails before, or after the time
/// that a device may wait, by which it fails. The caller holds the mutex by `lock`.
bool waitOrFail(ThreadDevice &device, std::condition_variable &condition,
                std::unique_lock<std::mutex> &lock,
                const std::function<bool()> &done);

/// What was started (Progress.cpp). The caller of all but the first and the last holds the
/// mutex.
/// Whether this thread moves what a device has started.
bool isProgressThread();
/// All devices of the group have arrived.
void noteMet(Run &run, Communicator &group);
/// The device has moved its part of what it has started.
void noteLeft(ThreadDevice &device);
/// All devices of the group have left.
void noteEnded(Run &run, Communicator &group);
/// The run has failed.
void noteFailed(ThreadDevice &device);
/// Ends what the device has started and not waited for, and the thread for it.
void endProgress(ThreadDevice &device);

/// The device's function has returned, and endProgress.
void finish(ThreadDevice &device);

/// What every device waits for.
std::string describeDeadlock(const Run &run);

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_THREADS_RENDEZVOUS_H
