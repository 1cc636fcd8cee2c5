//===- Supervisor.h - What rank 0 knows of all ranks ---------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_MPI_SUPERVISOR_H
#define SHARD_LIB_RUNTIME_MPI_SUPERVISOR_H

#include "Watch.h"

#include <chrono>

namespace shard {
namespace runtime {

/// Writes "error: message" to stderr.
void printError(const std::string &message);

/// Whether this process was sent a SIGTERM.
bool isTerminated();

/// A thread that gets no further for so long was stopped with its process.
constexpr double kStopSeconds = 1;

/// Hears what all ranks are doing and ends them when need be (Watch.h).
class Supervisor {
public:
  /// Takes the listening socket.
  Supervisor(int listener, const WatchOptions &options);
  ~Supervisor();

  /// Returns when all ranks that were heard of have said good-bye and no more
  /// are expected, for which expectNoMore has to be called.
  void run();
  void expectNoMore() { finishing = true; }
  /// The end of the process at the other end says the same.
  void watchParent(Connection &&connection) { parent = std::move(connection); }

private:
  using Clock = std::chrono::steady_clock;

  struct Rank {
    Connection connection;
    Status status;
    Clock::time_point heard;
    /// When the status last changed.
    Clock::time_point changed;
    bool known = false;
    bool left = false;
  };

  void acceptConnection();
  void readNewcomers();
  void readRanks();
  void handle(int64_t rank, const std::string &message);
  void checkSilence();
  void checkProgress();

  /// The positions of its group for which a rank in a call waits.
  std::vector<int64_t> missing(const Rank &rank) const;
  bool waitsForEnded(const Rank &rank, std::string &message) const;
  int64_t rankOfDevice(int64_t device) const;

  std::string name(int64_t rank) const;
  std::string lastSeen(int64_t rank) const;
  std::string describe(int64_t rank) const;
  std::string describeOthers(int64_t except) const;
  bool allLeft() const;
  [[noreturn]] void end(const std::string &message);

  WatchOptions options;
  int listener;
  std::vector<Rank> ranks;
  std::vector<Connection> newcomers;
  Connection parent;
  std::atomic<bool> finishing{false};
  /// When this process went on after a stop.
  Clock::time_point resumed;
  bool wasStopped = false;
};

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_MPI_SUPERVISOR_H
