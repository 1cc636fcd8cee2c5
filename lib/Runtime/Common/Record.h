//===- Record.h - What a device's collectives cost ------------ -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_COMMON_RECORD_H
#define SHARD_LIB_RUNTIME_COMMON_RECORD_H

#include "Call.h"
#include "Group.h"
#include "shard/Runtime/Report.h"

#include <unordered_map>
#include <vector>

namespace shard {
namespace runtime {

/// The calls of one device, summed per kind, group and location.
class Recorder {
public:
  /// Notes a call by which the device sent `bytes`.
  void add(const Group &group, const Call &call, int64_t bytes, double seconds);

  const std::vector<CallRecord> &records() const { return calls; }
  /// Within all calls.
  double seconds() const;

private:
  size_t indexOf(const Group &group, const Call &call);

  struct Key {
    Kind kind;
    const Group *group;
    const char *location;
    bool operator==(const Key &other) const {
      return kind == other.kind && group == other.group &&
             location == other.location;
    }
  };
  struct KeyHash {
    size_t operator()(const Key &key) const {
      return std::hash<const void *>()(key.location) * 31 +
             std::hash<const void *>()(key.group) + size_t(key.kind);
    }
  };

  /// The key of a record, and the record that came after it when it was met last.
  struct Entry {
    Key key;
    size_t next;
  };

  std::unordered_map<Key, size_t, KeyHash> index;
  std::vector<CallRecord> calls;
  /// By the number of the record.
  std::vector<Entry> entries;
  /// The record of the last call.
  size_t last = 0;
};

/// The records of all devices, by device, as those of the run (Report.h).
std::vector<CallRecord>
mergeRecords(const std::vector<const std::vector<CallRecord> *> &devices);

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_COMMON_RECORD_H
