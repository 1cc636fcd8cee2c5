//===- Threads.h - Devices as threads of this process -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ side of the thread back end: run a function on all devices of a grid,
// get the wall time, the record of the collectives and, instead of a hang or an
// abort, the message of what went wrong.
//
//   runtime::RunReport report = runtime::runOnGrid({2, 4}, [&](int64_t device)
//   {
//     entry(arguments[device]);      // compiled code that calls Runtime.h
//   });
//   if (!report.ok)
//     errs() << report.error << "\n";
//
// A device that fails, or waits while another fails, leaves its function by
// longjmp: compiled code has nothing to unwind, and buffers that it owned are
// lost. A C++ function run this way must hold no object with a destructor
// across a call of the runtime that may fail.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RUNTIME_THREADS_H
#define SHARD_RUNTIME_THREADS_H

#include "shard/Runtime/Report.h"
#include "shard/Runtime/Symbols.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace shard {
namespace runtime {

struct RunOptions {
  /// How long a device may wait at one rendezvous, in seconds, and how long the
  /// others may go on after a failure. A last resort: mismatches and deadlocks
  /// are found at once. The environment's SHARD_RT_TIMEOUT sets the default.
  double timeoutSeconds = defaultTimeout();
  /// Of each device's thread.
  size_t stackBytes = size_t(64) << 20;
  /// Called several times a second by the thread that waits for the devices; once it
  /// returns false, the run fails: every device stops at its next collective. May be
  /// empty.
  std::function<bool()> mayGoOn;
  /// The physical device at each position of the grid; empty: position p is device p.
  /// Messages tell its number beside the position, and it is its rank for the functions
  /// of mpiSymbols().
  std::vector<int64_t> deviceIds;

  /// Whether the report has the calls and the time within them.
  bool keepsRecords = true;

  /// An artificial link: a collective takes a device so many seconds more, and the
  /// bytes that it sends by it. None if both are 0. The environment's SHARD_RT_LINK
  /// ("BYTES_PER_SECOND,SECONDS") sets the default.
  struct Link {
    double bandwidth = 0, latency = 0;
  };
  Link link = defaultLink();

  static double defaultTimeout();
  static Link defaultLink();
};

/// Runs `fn` on every device of a grid of `shape`, each in a thread of its own;
/// an empty shape has one device.
RunReport runOnGrid(const std::vector<int64_t> &shape,
                    const std::function<void(int64_t device)> &fn,
                    const RunOptions &options = RunOptions());

} // namespace runtime
} // namespace shard

#endif // SHARD_RUNTIME_THREADS_H
