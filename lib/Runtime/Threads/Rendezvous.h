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

#include "../Common/View.h"
#include "shard/Geometry/BlockLayout.h"
#include "shard/Geometry/Grid.h"
#include "shard/Runtime/Threads.h"

#include <condition_variable>
#include <csetjmp>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace shard {
namespace runtime {

enum class Kind {
  Barrier,
  AllGather,
  AllReduce,
  AllSlice,
  AllToAll,
  Broadcast,
  Gather,
  Scatter,
  Reduce,
  ReduceScatter,
  Send,
  Recv,
  Shift,
  UpdateHalo,
  Permute,
};

const char *kindName(Kind kind);

/// A number that all devices of a group have to agree on.
struct Parameter {
  const char *name;
  int64_t value;
};

/// What a device brings to a rendezvous. Lives on the device's stack.
struct Call {
  Kind kind;
  const char *location;
  int64_t type = 0;
  bool hasInput = false;
  bool hasResult = false;
  View input;
  View result;
  /// The dimension of the input whose extents may differ; -1: none.
  int64_t freeDim = -1;
  int64_t numParameters = 0;
  Parameter parameters[3 * kMaxRank + 4];

  void add(const char *name, int64_t value) {
    parameters[numParameters++] = {name, value};
  }
};

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
  /// Rendezvous that were completed.
  uint64_t entered = 0;
  uint64_t left = 0;
  int64_t arriving = 0;
  int64_t leaving = 0;
  /// Sent and not yet received, by positions (from, to).
  std::map<std::pair<int64_t, int64_t>, std::deque<Message>> messages;
};

/// A device's view of one of its groups, made once per list of axes.
struct Member {
  /// The words by which programs name the group.
  std::vector<int64_t> words;
  Grid grid;
  AxisList axes;
  /// Extents of `axes`.
  std::vector<int64_t> sizes;
  int64_t size = 1;
  int64_t position = 0;
  /// Coordinates on `axes` of each position.
  std::vector<std::vector<int64_t>> coordinates;
  Communicator *communicator = nullptr;

  /// The block of a dimension of `extent` at position `p`.
  Block block(int64_t extent, int64_t p) const {
    return blockAt(extent, sizes, coordinates[p]);
  }
  /// The call of the device at position `p`; between enter and leave.
  const Call &peer(int64_t p) const { return *communicator->calls[p]; }
};

struct RecordKey {
  Kind kind;
  const Member *member;
  const char *location;
  bool operator==(const RecordKey &other) const {
    return kind == other.kind && member == other.member &&
           location == other.location;
  }
};
struct RecordKeyHash {
  size_t operator()(const RecordKey &key) const {
    return std::hash<const void *>()(key.location) * 31 +
           std::hash<const void *>()(key.member) + size_t(key.kind);
  }
};

struct Run;

struct Device {
  enum class State { Running, Meeting, Receiving, Finished };

  Run *run = nullptr;
  int64_t index = 0;
  jmp_buf exit;
  std::vector<std::unique_ptr<Member>> members;
  /// Memory for packed inputs.
  std::vector<char> scratch;
  std::unordered_map<RecordKey, size_t, RecordKeyHash> recordIndex;
  std::vector<CallRecord> records;

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
  std::vector<std::unique_ptr<Device>> devices;

  std::mutex mutex;
  std::map<std::vector<int64_t>, std::unique_ptr<Communicator>> communicators;
  std::condition_variable changed;
  bool failed = false;
  std::string error;
  int64_t ready = 0;
  int64_t blocked = 0;
  int64_t finished = 0;
};

/// The device of the calling thread; null outside a run.
Device *currentDevice();
void setCurrentDevice(Device *device);

/// The extent of an axis of a program's grid on the running one
/// (shard_rt_grid_extent); -1 if there is none.
int64_t gridExtent(const Grid &running, int64_t rank, const int64_t *extents,
                   int64_t axis);

/// Ends the run with `message` (printf); does not return.
[[noreturn]] void fail(Device &device, const Call &call, const char *format,
                       ...) __attribute__((format(printf, 3, 4)));
/// Makes `message` the run's error unless there is one; the caller holds the
/// mutex.
void setError(Run &run, std::string message);
/// Leaves the device's function.
[[noreturn]] void escape(Device &device);

/// The device's group of `words` (Runtime.h, "group"); fails on bad words.
Member &memberOf(Device &device, const Call &call, const int64_t *words);

/// Meets the other devices of the group; their calls can be read until `leave`.
void enter(Device &device, Member &member, const Call &call);
void leave(Device &device, Member &member);

void sendMessage(Device &device, Member &member, const Call &call,
                 int64_t position);
/// Receives into call.result from `position`, or from any if it is -1.
void receiveMessage(Device &device, Member &member, const Call &call,
                    int64_t position);

/// Notes a call by which this device sent `bytes`.
void record(Device &device, const Member &member, const Call &call,
            int64_t bytes);

/// The device's function has returned.
void finish(Device &device);

// Texts of reports.
std::string describeCall(const Call &call);
/// Why the calls of a complete group do not fit; empty if they do.
std::string compareCalls(const Communicator &communicator);
/// What every device waits for.
std::string describeDeadlock(const Run &run);

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_THREADS_RENDEZVOUS_H
