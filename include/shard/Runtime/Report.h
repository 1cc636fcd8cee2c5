//===- Report.h - What a run tells ------------------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report of a run, the same for every back end.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RUNTIME_REPORT_H
#define SHARD_RUNTIME_REPORT_H

#include <cstdint>
#include <string>
#include <vector>

namespace shard {
namespace runtime {

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
  /// Seconds within the calls, waiting for others included: the largest sum of
  /// any device.
  double seconds = 0;
};

struct RunReport {
  bool ok = true;
  /// Empty if `ok`.
  std::string error;
  /// From the moment when all devices are ready until the last one is done.
  double seconds = 0;
  /// The same for this process's devices only, and the part of it within the
  /// calls of one of them: the largest of any.
  double secondsHere = 0;
  double secondsInCalls = 0;
  /// In the order in which device 0 met them, then those it did not meet.
  std::vector<CallRecord> calls;
};

} // namespace runtime
} // namespace shard

#endif // SHARD_RUNTIME_REPORT_H
