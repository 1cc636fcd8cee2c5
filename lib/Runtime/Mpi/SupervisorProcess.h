//===- SupervisorProcess.h - The process beside rank 0 -------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_MPI_SUPERVISORPROCESS_H
#define SHARD_LIB_RUNTIME_MPI_SUPERVISORPROCESS_H

#include "Control.h"

#include <string>
#include <sys/types.h>

namespace shard {
namespace runtime {

struct WatchOptions;

/// The process of the supervisor (Supervisor.h), as rank 0 knows it. It begins before MPI
/// starts: the launcher ends the ranks when one has died, in MPICH without giving them a
/// moment, but not a process in a session of its own.
///
/// It has the stderr of rank 0, and the launcher waits until nobody can write to that any
/// more. So a supervisor that was stopped keeps the launcher from its end; rank 0 kills it
/// in each way to its own end.
class SupervisorProcess {
public:
  /// Begins the process.
  void start();
  /// Whether it runs and this process is connected to it.
  bool isOpen() const { return connection.isOpen(); }
  /// Where it listens.
  const std::string &addresses() const { return listensOn; }
  /// Gives it its options; false if it is gone.
  bool configure(const WatchOptions &options);
  /// Closes the connection, which ends it, and does not wait.
  void disconnect() { connection.close(); }
  /// Ends it and waits until it has no stderr any more, for so many seconds at most. Then
  /// it is killed if it is stopped.
  void finish(double seconds);
  void kill();
  void killIfStopped();

private:
  /// Whether the other end has closed the connection.
  bool hasClosed();

  Connection connection;
  std::string listensOn;
  pid_t process = 0;
};

/// Ends the process that calls it. The supervisor's own stays until the launcher has
/// ended.
[[noreturn]] void leaveSupervisor(int code);

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_MPI_SUPERVISORPROCESS_H
