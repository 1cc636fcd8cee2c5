//===- Limit.h - An end of what MPI does for ever -------------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_MPI_LIMIT_H
#define SHARD_LIB_RUNTIME_MPI_LIMIT_H

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace shard {
namespace runtime {

/// The number of seconds in an environment variable; `otherwise` if it has none.
double secondsOf(const char *variable, double otherwise);

class Watch;

/// Ends this process with exit code 1 and a message if the limit still exists
/// after so many seconds. It stands around MPI_Init and MPI_Finalize: they wait
/// for all ranks, for ever, and the watch (Watch.h) begins behind the one and ends
/// before the other. While the watch is connected it says the message and ends the
/// other ranks, else the launcher ends them. Seconds in which this process itself was
/// stopped do not count.
class Limit {
public:
  /// `what` follows "rank R on HOST has waited for more than S seconds ".
  Limit(int64_t rank, double seconds, const std::string &what, Watch &watch);
  ~Limit();

private:
  void wait(int64_t rank, double seconds, const std::string &what,
            Watch &watch);

  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::thread thread;
};

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_MPI_LIMIT_H
