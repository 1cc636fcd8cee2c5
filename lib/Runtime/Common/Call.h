//===- Call.h - What a device brings to a collective ---------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call of a function of Runtime.h with its arguments decoded, and the texts
// and comparisons of messages. Plain data: a device may leave any function by
// longjmp.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_COMMON_CALL_H
#define SHARD_LIB_RUNTIME_COMMON_CALL_H

#include "View.h"

#include <string>
#include <vector>

namespace shard {
namespace runtime {

enum class Kind {
  Barrier,
  AllGather,
  AllReduce,
  AllSlice,
  AllToAll,
  Broadcast,
  Gather,
  Scatter,
  Reduce,
  ReduceScatter,
  Send,
  Recv,
  Shift,
  UpdateHalo,
  Permute,
  Redistribute,
};

const char *kindName(Kind kind);

/// A number that all devices of a group have to agree on.
struct Parameter {
  const char *name;
  int64_t value;
};

constexpr int64_t kMaxParameters = 9 * kMaxRank + 4;

/// What a device brings to a collective. Lives on the device's stack.
struct Call {
  Kind kind;
  const char *location;
  int64_t type = 0;
  bool hasInput = false;
  bool hasResult = false;
  View input;
  View result;
  /// The dimension of the input whose extents may differ; -1: none.
  int64_t freeDim = -1;
  int64_t numParameters = 0;
  Parameter parameters[kMaxParameters];

  void add(const char *name, int64_t value) {
    parameters[numParameters++] = {name, value};
  }
};

/// "all_gather (4x2xf32 -> 8x2xf32, dimension = 0) at f.mlir:3:8"
std::string describeCall(const Call &call);

/// "0, 1, 2"; long lists are cut.
std::string describeDevices(const std::vector<int64_t> &devices);

/// Why `calls`, those of the devices of a group at the group's rendezvous
/// number `sequence`, do not fit; empty if they do.
std::string compareCalls(const std::vector<int64_t> &devices,
                         const std::vector<const Call *> &calls,
                         uint64_t sequence);

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_COMMON_CALL_H
