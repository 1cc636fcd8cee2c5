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

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
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

  static double defaultTimeout();
};

/// The calls of one collective op, summed over the run.
struct CallRecord {
  /// The name of the op without dialect, "all_gather".
  std::string kind;
  std::vector<int64_t> gridShape;
  std::vector<int64_t> axes;
  std::string location;
  /// Calls per device: the largest number of any device.
  int64_t count = 0;
  /// Bytes sent per device: the largest sum of any device, over all its calls.
  /// A group of k sends, per device and call with n input bytes: all_gather
  /// (k-1) n; reduce_scatter and all_to_all (k-1)/k n; all_reduce 2(k-1)/k n;
  /// reduce (k-1)/k n; gather n off the root; scatter (k-1)/k n at the root;
  /// broadcast n at the root; send, shift and permute n to another device;
  /// update_halo what its neighbours take; all_slice 0.
  int64_t bytes = 0;
  /// Bytes of the inputs per device: the largest sum of any device.
  int64_t inputBytes = 0;
};

struct RunReport {
  bool ok = true;
  /// Empty if `ok`.
  std::string error;
  /// From the moment when all threads are ready until the last one is done.
  double seconds = 0;
  /// In the order in which device 0 met them, then those it did not meet.
  std::vector<CallRecord> calls;
};

/// Runs `fn` on every device of a grid of `shape`, each in a thread of its own;
/// an empty shape has one device.
RunReport runOnGrid(const std::vector<int64_t> &shape,
                    const std::function<void(int64_t device)> &fn,
                    const RunOptions &options = RunOptions());

/// Name and address of every function of Runtime.h that compiled code calls,
/// for a JIT's symbol table.
std::vector<std::pair<const char *, void *>> runtimeSymbols();

} // namespace runtime
} // namespace shard

#endif // SHARD_RUNTIME_THREADS_H
