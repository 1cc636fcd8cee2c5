//===- CallClock.h - The clock for the times of calls --------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call reads the clock twice. std::chrono::steady_clock takes 20 ns for that, which
// is a tenth of what MPI takes for a small message between two cores. This clock reads the
// processor's counter instead, where Linux itself takes the time from it: there the counter
// has one rate and is the same on all cores.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_COMMON_CALLCLOCK_H
#define SHARD_LIB_RUNTIME_COMMON_CALLCLOCK_H

#include <chrono>
#include <cstdint>

namespace shard {
namespace runtime {

/// A clock as std::chrono describes it. Its times may be compared between two calls of
/// `calibrate` only.
class CallClock {
public:
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<CallClock>;
  static constexpr bool is_steady = true;

  static time_point now() {
#if defined(__x86_64__)
    if (nanosecondsPerTick > 0)
      return time_point(
          duration(rep(double(int64_t(__builtin_ia32_rdtsc() - firstTick)) *
                       nanosecondsPerTick)));
#endif
    return time_point(std::chrono::duration_cast<duration>(
        std::chrono::steady_clock::now().time_since_epoch()));
  }

  /// Measures the rate of the counter against steady_clock, since this library was loaded.
  /// Changes nothing if that is too short a time, or where the counter is no clock. To be
  /// called when no other thread reads the clock.
  static void calibrate();

private:
  static double nanosecondsPerTick;
  static uint64_t firstTick;
};

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_COMMON_CALLCLOCK_H
