//===- CallClock.cpp - The clock for the times of calls -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallClock.h"

#include <cstdio>
#include <cstring>

namespace shard {
namespace runtime {

double CallClock::nanosecondsPerTick = 0;
uint64_t CallClock::firstTick = 0;

#if defined(__x86_64__)

namespace {

struct Reading {
  uint64_t ticks = __builtin_ia32_rdtsc();
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};

/// When this library was loaded.
const Reading loaded;

/// Whether Linux takes the time from the counter.
bool isCounterClock() {
  FILE *file = fopen(
      "/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
  if (!file)
    return false;
  char name[16] = {};
  bool is = fgets(name, sizeof(name), file) && strcmp(name, "tsc\n") == 0;
  fclose(file);
  return is;
}

} // namespace

void CallClock::calibrate() {
  // Two readings are some 100 ns apart: over this time an error of 1 in 100,000.
  constexpr std::chrono::milliseconds kShortest(10);
  Reading now;
  if (now.time - loaded.time < kShortest || now.ticks <= loaded.ticks ||
      !isCounterClock())
    return;
  std::chrono::duration<double, std::nano> elapsed = now.time - loaded.time;
  nanosecondsPerTick = elapsed.count() / double(now.ticks - loaded.ticks);
  firstTick = loaded.ticks;
}

#else

void CallClock::calibrate() {}

#endif

} // namespace runtime
} // namespace shard
