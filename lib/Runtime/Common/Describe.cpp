//===- Describe.cpp - The texts of the runtime's reports ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Reduce.h"
#include "shard/Geometry/BlockLayout.h"

#include <cstring>

namespace shard {
namespace runtime {

namespace {

std::string describeShape(const View &view, int64_t type) {
  std::string text;
  for (int64_t i = 0; i < view.rank; ++i)
    text += std::to_string(view.sizes[i]) + "x";
  return text + typeName(type);
}

bool sameSizes(const View &a, const View &b, int64_t freeDim) {
  if (a.rank != b.rank)
    return false;
  for (int64_t i = 0; i < a.rank; ++i)
    if (i != freeDim && a.sizes[i] != b.sizes[i])
      return false;
  return true;
}

bool sameCall(const Call &a, const Call &b) {
  if (a.kind != b.kind || a.type != b.type || a.hasInput != b.hasInput ||
      a.hasResult != b.hasResult || a.numParameters != b.numParameters)
    return false;
  if (a.hasInput && !sameSizes(a.input, b.input, a.freeDim))
    return false;
  if (a.hasResult && !sameSizes(a.result, b.result, -1))
    return false;
  if (a.location != b.location && a.location && b.location &&
      strcmp(a.location, b.location) != 0)
    return false;
  for (int64_t i = 0; i < a.numParameters; ++i)
    if (a.parameters[i].value != b.parameters[i].value ||
        strcmp(a.parameters[i].name, b.parameters[i].name) != 0)
      return false;
  return true;
}

/// Whether the extents of the inputs of a gather make up the result's.
bool extentsFit(const std::vector<const Call *> &calls, int64_t dim) {
  int64_t size = calls.size(), total = 0;
  int64_t extent = calls[0]->result.sizes[dim];
  bool blocks = true;
  for (const Call *call : calls) {
    total += call->input.sizes[dim];
    blocks &= call->input.sizes[dim] == ceilDiv(extent, size);
  }
  return blocks || total == extent;
}

} // namespace

const char *kindName(Kind kind) {
  static const char *const names[] = {
      "barrier",    "all_gather",     "all_reduce", "all_slice",
      "all_to_all", "broadcast",      "gather",     "scatter",
      "reduce",     "reduce_scatter", "send",       "recv",
      "shift",      "update_halo",    "permute",    "redistribute"};
  return names[static_cast<int>(kind)];
}

std::string describeDevices(const std::vector<int64_t> &devices) {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < devices.size() && i < kShown; ++i)
    text += (i ? ", " : "") + std::to_string(devices[i]);
  return devices.size() > kShown ? text + ", ..." : text;
}

std::string describeCall(const Call &call) {
  std::string text = kindName(call.kind);
  if (call.hasInput || call.hasResult || call.numParameters) {
    text += " (";
    if (call.hasInput)
      text += describeShape(call.input, call.type);
    if (call.hasResult)
      text += (call.hasInput ? " -> " : "-> ") +
              describeShape(call.result, call.type);
    for (int64_t i = 0; i < call.numParameters; ++i) {
      const Parameter &parameter = call.parameters[i];
      text += std::string(i || call.hasInput || call.hasResult ? ", " : "") +
              parameter.name + " = ";
      text += strcmp(parameter.name, "reduction") == 0
                  ? reductionName(parameter.value)
                  : std::to_string(parameter.value);
    }
    text += ")";
  }
  return text + " at " + (call.location ? call.location : "unknown");
}

std::string compareCalls(const std::vector<int64_t> &devices,
                         const std::vector<const Call *> &calls,
                         uint64_t sequence) {
  const Call &first = *calls[0];
  for (size_t p = 1; p < calls.size(); ++p) {
    if (sameCall(first, *calls[p]))
      continue;
    return "collective mismatch in call " + std::to_string(sequence) +
           " of the group of devices " + describeDevices(devices) +
           ": device " + std::to_string(devices[0]) + " is in " +
           describeCall(first) + ", device " + std::to_string(devices[p]) +
           " is in " + describeCall(*calls[p]);
  }
  if (first.freeDim < 0 || extentsFit(calls, first.freeDim))
    return std::string();
  std::string text = describeCall(first) + ": extents";
  for (const Call *call : calls)
    text += " " + std::to_string(call->input.sizes[first.freeDim]);
  return text + " of dimension " + std::to_string(first.freeDim) +
         " do not make up the result's " +
         std::to_string(first.result.sizes[first.freeDim]) + ": expected " +
         std::to_string(calls.size()) + " blocks of " +
         std::to_string(
             ceilDiv(first.result.sizes[first.freeDim], calls.size())) +
         ", or blocks that add up to it";
}

} // namespace runtime
} // namespace shard
