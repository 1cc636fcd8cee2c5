//===- Launcher.h - A launcher that does not end -------------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_MPI_LAUNCHER_H
#define SHARD_LIB_RUNTIME_MPI_LAUNCHER_H

#include <chrono>
#include <cstdint>
#include <string>
#include <sys/types.h>

namespace shard {
namespace runtime {

/// Whether there is such a process and it is stopped.
bool isStoppedProcess(pid_t process);

/// Ends mpirun, or what starts the ranks for it, when it hangs: Open MPI's was seen not to
/// end after a rank was killed or stopped while it connected to it, and MPICH's waits for a
/// rank that is stopped behind MPI_Finalize. It counts as hanging if, for a number of
/// seconds, it has no child but those that have ended or are stopped. Then the
/// stopped ones are killed, which lets it go on; if that does not help it gets
/// SIGTERM, then SIGKILL. Belongs into a process that is no rank.
class LauncherGuard {
public:
  /// Guards `process` if its name is one of mpirun's, or that of MPICH's daemon on each
  /// host. The daemon counts as hanging only while a rank is stopped: ranks of other hosts
  /// may keep it. Other daemons are left alone.
  LauncherGuard(pid_t process, double seconds);

  /// Whether there is a launcher to guard, and it still runs.
  bool isRunning() const;
  /// Looks, and does what is due. To be called again and again.
  void check();
  /// Returns when the launcher has ended; at once if there is none.
  void waitForEnd();

private:
  using Clock = std::chrono::steady_clock;

  bool isIdle(bool killStopped) const;
  void say(const std::string &message) const;

  pid_t process;
  double seconds;
  bool isDaemon = false;
  std::string name;
  /// In ticks since the system's start: tells the process from a later one with the
  /// same number.
  uint64_t begin = 0;
  Clock::time_point idleSince = Clock::now(), lastCheck = idleSince;
  int step = 0;
};

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_MPI_LAUNCHER_H
