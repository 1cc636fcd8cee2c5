//===- Collective.cpp - A collective on its way ---------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Collective.h"

#include <cstdarg>

namespace shard {
namespace runtime {

namespace {

Group *findOrMakeGroup(Device &device, const Call &call, const int64_t *words) {
  int64_t numWords = numGroupWords(words);
  for (std::unique_ptr<Group> &group : device.groups)
    if (int64_t(group->words.size()) == numWords &&
        sameWords(group->words.data(), words, numWords))
      return group.get();
  auto group = std::make_unique<Group>();
  std::string problem = makeGroup(*device.grid, device.index, words, *group);
  if (!problem.empty()) {
    backend::setError(device, describeCall(call) + ": " + problem);
    return nullptr;
  }
  backend::open(device, *group);
  device.groups.push_back(std::move(group));
  return device.groups.back().get();
}

/// Whether calls of `kind` may be started.
bool canStart(Kind kind) {
  switch (kind) {
  case Kind::AllGather:
  case Kind::AllReduce:
  case Kind::AllToAll:
  case Kind::Broadcast:
  case Kind::Permute:
  case Kind::ReduceScatter:
  case Kind::Shift:
    return true;
  default:
    return false;
  }
}

} // namespace

void settle(Device &device, Kind kind) {
  if (!canStart(kind))
    device.startsNext = false;
  if (!device.startsNext && kind != Kind::AllSlice)
    backend::wait(device, nullptr);
}

Device &deviceFor(const char *location, Kind kind) {
  if (Device *device = backend::currentDevice())
    return *device;
  char text[kMessageBytes];
  snprintf(text, sizeof(text), "%s at %s is called outside of a run",
           kindName(kind), location ? location : "unknown");
  shard_rt_fail(text);
  __builtin_unreachable();
}

void fail(Device &device, const Call &call, const char *format, ...) {
  char text[kMessageBytes];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  backend::setError(device, describeCall(call) + ": " + text);
  backend::escape(device);
}

Group &groupOf(Device &device, const Call &call, const int64_t *words) {
  Group *group = findOrMakeGroup(device, call, words);
  if (!group)
    backend::escape(device);
  return *group;
}

void Collective::checkShapes(int64_t exceptDim, int64_t exceptDim2) {
  if (call.input.rank != call.result.rank)
    fail(device, call, "input and result differ in rank");
  for (int64_t i = 0; i < call.input.rank; ++i)
    if (i != exceptDim && i != exceptDim2 &&
        call.input.sizes[i] != call.result.sizes[i])
      fail(device, call, "input and result differ in dimension %d", int(i));
}

void Collective::checkCut(int64_t dim, int64_t whole, int64_t part) {
  if (part != ceilDiv(whole, group->size))
    fail(device, call,
         "dimension %d: an extent of %lld over a group of %lld makes blocks "
         "of %lld, not of %lld",
         int(dim), static_cast<long long>(whole),
         static_cast<long long>(group->size),
         static_cast<long long>(ceilDiv(whole, group->size)),
         static_cast<long long>(part));
}

int64_t Collective::positionOf(const char *name, const int64_t *coordinates) {
  int64_t position = 0;
  for (size_t i = 0; i < group->sizes.size(); ++i) {
    if (coordinates[i] < 0 || coordinates[i] >= group->sizes[i])
      fail(device, call,
           "%s coordinate %lld is out of range on axis %d of extent %lld", name,
           static_cast<long long>(coordinates[i]), int(group->axes[i]),
           static_cast<long long>(group->sizes[i]));
    position = position * group->sizes[i] + coordinates[i];
  }
  call.add(name, position);
  return position;
}

Reduction Collective::reductionOf(int64_t kind) {
  call.add("reduction", kind);
  ReduceKernel kernel = reduceKernel(kind, call.type);
  if (!kernel)
    fail(device, call, "this reduction has no meaning on %s",
         typeName(call.type));
  if (!call.result.isContiguous())
    fail(device, call, "the result of a reduction has to be contiguous");
  return {kind, kernel};
}

void Collective::packInput() {
  if (call.input.isContiguous())
    return;
  device.scratch.resize(call.input.bytes());
  View packed = contiguousLike(call.input, device.scratch.data());
  copy(packed, call.input);
  call.input = packed;
}

} // namespace runtime
} // namespace shard
