//===- Limit.cpp - An end of what MPI does for ever -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limit.h"

#include "../Common/Environment.h"
#include "Supervisor.h"
#include "Watch.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <unistd.h>

namespace shard {
namespace runtime {

double secondsOf(const char *variable, double otherwise) {
  return secondsOfVariable(variable).value_or(otherwise);
}

Limit::Limit(int64_t rank, double seconds, const std::string &what,
             Watch &watch)
    : thread([=, this, &watch] { wait(rank, seconds, what, watch); }) {}

Limit::~Limit() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    over = true;
  }
  changed.notify_one();
  thread.join();
}

void Limit::wait(int64_t rank, double seconds, const std::string &what,
                 Watch &watch) {
  using Clock = std::chrono::steady_clock;
  constexpr double kStep = 0.25;
  // One rank speaks: the first of those that wait. Open MPI takes more than half a
  // second to end the others.
  double left = seconds + 2 * double(std::clamp<int64_t>(rank, 0, 10));
  std::unique_lock<std::mutex> lock(mutex);
  while (left > 0) {
    Clock::time_point begin = Clock::now();
    if (changed.wait_for(lock, std::chrono::duration<double>(kStep),
                         [this] { return over; }))
      return;
    double passed = std::chrono::duration<double>(Clock::now() - begin).count();
    if (passed < kStopSeconds)
      left -= passed;
  }
  char host[64] = {};
  gethostname(host, sizeof(host) - 1);
  std::string message = "rank " + std::to_string(rank) + " on " + host +
                        " has waited for more than " +
                        std::to_string(int64_t(seconds)) + " seconds " + what;
  watch.fail(message);
  printError(message);
  _exit(1);
}

} // namespace runtime
} // namespace shard
