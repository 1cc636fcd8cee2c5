//===- Record.cpp - What a device's collectives cost ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Record.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace shard {
namespace runtime {

size_t Recorder::indexOf(const Group &group, const Call &call) {
  Key key{call.kind, &group, call.location};
  // Programs repeat their calls in one order, and this is on the way of each.
  if (!entries.empty() && entries[entries[last].next].key == key)
    return entries[last].next;
  auto [it, isNew] = index.try_emplace(key, calls.size());
  if (isNew) {
    CallRecord record;
    record.kind = kindName(call.kind);
    record.gridShape = group.grid.shape;
    record.axes.assign(group.axes.begin(), group.axes.end());
    record.location = call.location;
    calls.push_back(std::move(record));
    entries.push_back({key, it->second});
  }
  return entries[last].next = it->second;
}

void Recorder::add(const Group &group, const Call &call, int64_t bytes,
                   double seconds) {
  last = indexOf(group, call);
  CallRecord &record = calls[last];
  ++record.count;
  record.bytes += bytes;
  record.seconds += seconds;
  if (call.hasInput)
    record.inputBytes += call.input.bytes();
}

double Recorder::seconds() const {
  double sum = 0;
  for (const CallRecord &call : calls)
    sum += call.seconds;
  return sum;
}

std::vector<CallRecord>
mergeRecords(const std::vector<const std::vector<CallRecord> *> &devices) {
  using Key = std::tuple<std::string, std::vector<int64_t>,
                         std::vector<int64_t>, std::string>;
  std::vector<CallRecord> calls;
  std::map<Key, size_t> indices;
  for (const std::vector<CallRecord> *records : devices) {
    // Two strings of one location, or two names of one group, are one op.
    std::map<size_t, CallRecord> sums;
    for (const CallRecord &record : *records) {
      auto [it, isNew] = indices.try_emplace(
          Key(record.kind, record.gridShape, record.axes, record.location),
          calls.size());
      if (isNew) {
        CallRecord merged;
        merged.kind = record.kind;
        merged.gridShape = record.gridShape;
        merged.axes = record.axes;
        merged.location = record.location;
        calls.push_back(std::move(merged));
      }
      CallRecord &sum = sums[it->second];
      sum.count += record.count;
      sum.bytes += record.bytes;
      sum.inputBytes += record.inputBytes;
      sum.seconds += record.seconds;
    }
    for (const auto &[index, sum] : sums) {
      CallRecord &merged = calls[index];
      merged.count = std::max(merged.count, sum.count);
      merged.bytes = std::max(merged.bytes, sum.bytes);
      merged.inputBytes = std::max(merged.inputBytes, sum.inputBytes);
      merged.seconds = std::max(merged.seconds, sum.seconds);
    }
  }
  return calls;
}

} // namespace runtime
} // namespace shard
