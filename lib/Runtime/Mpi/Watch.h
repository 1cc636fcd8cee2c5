//===- Watch.h - Who has died, was stopped, or waits in vain -- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every rank has a thread that tells rank 0 what the rank is doing: at once when
// a run begins, ends or fails, else four times a second if it has changed. A
// thread of rank 0, the supervisor, ends all ranks with exit code 1 and one
// message when
//
//   * a rank fails;
//   * a rank has died: its connection is closed;
//   * a rank does not answer: it was stopped, or its host is gone;
//   * no rank can go on: each waits for one that will not come;
//   * a rank waits for one that has reached the end of the program;
//   * a rank waits in one call for longer than a limit.
//
// The ranks watch the supervisor in the same way. The connections are beside
// MPI: a rank may be blocked in MPI for ever.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_MPI_WATCH_H
#define SHARD_LIB_RUNTIME_MPI_WATCH_H

#include "Control.h"
#include "SupervisorProcess.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace shard {
namespace runtime {

struct Call;
struct Communicator;
class Supervisor;

/// What a rank is doing.
enum class Activity : uint64_t {
  /// Outside of a run.
  Outside,
  /// In a run, in no collective.
  Running,
  /// In a collective.
  Calling,
  /// At the end of a run.
  AtEnd,
};

/// Whom a rank in a call waits for: all devices of the group, or any of them.
constexpr int64_t kWaitsForAll = -1;
constexpr int64_t kWaitsForAny = -2;

/// The number of the group of all devices for exchanges outside of a run. They have no
/// time limit: a rank may compile or compare while the others wait.
constexpr uint64_t kExchangeGroup = ~uint64_t(0);

/// What a rank tells rank 0.
struct Status {
  Activity activity = Activity::Outside;
  /// -1: not known yet.
  int64_t device = -1;
  /// Counts the changes.
  uint64_t version = 0;
  /// The call that it is in, else the last one; empty if there was none.
  std::string call;
  /// In the call: the group's number and devices, and the position of the device
  /// that it waits for, or one of the following.
  uint64_t group = 0;
  std::vector<int64_t> devices;
  int64_t waitsFor = kWaitsForAll;
  /// The rendezvous of the group that the call is, if it waits for all.
  uint64_t sequence = 0;
  /// How often it has entered the groups that it is in: numbers and counts.
  std::vector<std::pair<uint64_t, uint64_t>> entered;

  std::string encode() const;
  static Status decode(Reader &reader);
};

enum class ControlMessage : uint64_t { Hello, Status, Fail, Bye, Pulse, End };

struct WatchOptions {
  int64_t rank = 0;
  int64_t size = 1;
  /// By rank.
  std::vector<std::string> hosts;
  /// Keeps other programs' connections apart.
  uint64_t token = 0;
  /// After how many seconds without a word a rank counts as stopped.
  double silenceSeconds = 10;
  /// How long a rank may wait in one call.
  double timeoutSeconds = 600;
};

/// A mutex that costs a call of the device a few nanoseconds. Nearly nobody ever waits for
/// it: the watch takes it a few times a second.
class Latch {
public:
  void lock() {
    constexpr int kMicroseconds = 20;
    // Sleeps, as the one that holds it may need this processor.
    while (held.exchange(true, std::memory_order_acquire))
      usleep(kMicroseconds);
  }
  void unlock() { held.store(false, std::memory_order_release); }

private:
  std::atomic<bool> held{false};
};

class Watch {
public:
  Watch();
  ~Watch();

  /// Before MPI starts, on what will be rank 0: begins the supervisor's process.
  void prepare();
  /// On rank 0, first: begins to listen; what connect() of all ranks needs,
  /// empty if there is no network.
  std::string listen(const WatchOptions &options);
  /// Begins to watch. Without a connection, failures of this rank are printed
  /// by itself.
  void connect(const std::string &addresses, const WatchOptions &options);
  bool isConnected() const { return connected; }

  /// This rank enters a call, which counts as one more rendezvous of the group
  /// if it waits for all. `call` is read until endCall.
  void beginCall(const Call &call, Communicator &group,
                 int64_t waitsFor = kWaitsForAll);
  /// This rank waits for a call that it has begun before, as this rendezvous.
  void resumeCall(const Call &call, Communicator &group, uint64_t sequence);
  void endCall();
  void setActivity(Activity activity, int64_t device);
  /// The groups that were entered are gone.
  void forgetGroups();

  /// Ends all ranks. The first message of all wins. Returns only if there is no
  /// connection.
  void fail(const std::string &message);

  /// The rank leaves in good order; to be called when no rank waits any more.
  void finish();

private:
  void watch();
  void tell(const std::string &message);
  Status status();

  WatchOptions options;
  /// The supervisor is this process, or a thread of this one.
  SupervisorProcess supervisorProcess;
  std::unique_ptr<Supervisor> supervisor;
  std::thread supervisorThread;
  std::thread thread;
  Connection connection;
  std::atomic<bool> connected{false};
  std::atomic<bool> finished{false};
  std::mutex sending;

  // Guarded: what this rank is doing.
  Latch latch;
  Activity activity = Activity::Outside;
  int64_t device = -1;
  uint64_t version = 0;
  const Call *call = nullptr;
  const char *lastKind = nullptr;
  const char *lastLocation = nullptr;
  const Communicator *group = nullptr;
  int64_t waitsFor = kWaitsForAll;
  uint64_t sequence = 0;
  std::vector<const Communicator *> groups;
};

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_MPI_WATCH_H
