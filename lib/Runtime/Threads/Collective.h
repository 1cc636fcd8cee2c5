//===- Collective.h - A collective on its way -------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the collectives of the thread back end have in common: from the words of
// Runtime.h to a checked call.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_THREADS_COLLECTIVE_H
#define SHARD_LIB_RUNTIME_THREADS_COLLECTIVE_H

#include "../Common/Reduce.h"
#include "Rendezvous.h"

#include <cstdio>

namespace shard {
namespace runtime {

/// The calling device; outside a run there is none to talk to.
inline Device &deviceFor(const char *location, Kind kind) {
  if (Device *device = currentDevice())
    return *device;
  char text[256];
  snprintf(text, sizeof(text), "%s at %s is called outside of a run",
           kindName(kind), location ? location : "unknown");
  shard_rt_fail(text);
  __builtin_unreachable();
}

/// A collective on its way: who, in which group, with what.
struct Collective {
  Device &device;
  Call call;
  Member *member = nullptr;

  Collective(Kind kind, const char *location)
      : device(deviceFor(location, kind)) {
    call.kind = kind;
    call.location = location;
  }

  void setType(int64_t type) {
    call.type = type;
    if (elementBytes(type) == 0)
      fail(device, call, "%lld is not the number of an element type",
           static_cast<long long>(type));
  }
  void setInput(const int64_t *buffer) {
    checkBuffer(buffer);
    call.input = viewOf(buffer, call.type);
    call.hasInput = true;
  }
  void setResult(const int64_t *buffer) {
    checkBuffer(buffer);
    call.result = viewOf(buffer, call.type);
    call.hasResult = true;
  }
  void join(const int64_t *group) { member = &memberOf(device, call, group); }

  void checkBuffer(const int64_t *buffer) {
    if (buffer[2] < 0 || buffer[2] > kMaxRank)
      fail(device, call, "tensors of more than %d dimensions are not supported",
           int(kMaxRank));
  }
  void checkDim(const char *name, int64_t dim) {
    call.add(name, dim);
    if (dim < 0 || dim >= call.input.rank)
      fail(device, call, "%s is out of range for a tensor of rank %d", name,
           int(call.input.rank));
  }
  /// Input and result agree, but for two dimensions that are checked apart.
  void checkShapes(int64_t exceptDim = -1, int64_t exceptDim2 = -1) {
    if (call.input.rank != call.result.rank)
      fail(device, call, "input and result differ in rank");
    for (int64_t i = 0; i < call.input.rank; ++i)
      if (i != exceptDim && i != exceptDim2 &&
          call.input.sizes[i] != call.result.sizes[i])
        fail(device, call, "input and result differ in dimension %d", int(i));
  }
  /// `part` is the extent of a block of `whole` cut over the group.
  void checkCut(int64_t dim, int64_t whole, int64_t part) {
    if (part != ceilDiv(whole, member->size))
      fail(device, call,
           "dimension %d: an extent of %lld over a group of %lld makes blocks "
           "of %lld, not of %lld",
           int(dim), static_cast<long long>(whole),
           static_cast<long long>(member->size),
           static_cast<long long>(ceilDiv(whole, member->size)),
           static_cast<long long>(part));
  }
  /// The position of the device at `coordinates` in the group.
  int64_t positionOf(const char *name, const int64_t *coordinates) {
    int64_t position = 0;
    for (size_t i = 0; i < member->sizes.size(); ++i) {
      if (coordinates[i] < 0 || coordinates[i] >= member->sizes[i])
        fail(device, call,
             "%s coordinate %lld is out of range on axis %d of extent %lld",
             name, static_cast<long long>(coordinates[i]), int(member->axes[i]),
             static_cast<long long>(member->sizes[i]));
      position = position * member->sizes[i] + coordinates[i];
    }
    call.add(name, position);
    return position;
  }
  ReduceKernel kernelFor(int64_t reduction) {
    call.add("reduction", reduction);
    ReduceKernel kernel = reduceKernel(reduction, call.type);
    if (!kernel)
      fail(device, call, "this reduction has no meaning on %s",
           typeName(call.type));
    if (!call.result.isContiguous())
      fail(device, call, "the result of a reduction has to be contiguous");
    return kernel;
  }
  /// Gives the call a contiguous input.
  void packInput() {
    if (call.input.isContiguous())
      return;
    device.scratch.resize(call.input.bytes());
    View packed = contiguousLike(call.input, device.scratch.data());
    copy(packed, call.input);
    call.input = packed;
  }
  void enter() { runtime::enter(device, *member, call); }
  void leave() { runtime::leave(device, *member); }
  void record(int64_t bytes) { runtime::record(device, *member, call, bytes); }
};

inline Collective begin(Kind kind, const char *location, const int64_t *group,
                        int64_t type, const int64_t *input,
                        const int64_t *result) {
  Collective c(kind, location);
  c.setType(type);
  if (input)
    c.setInput(input);
  if (result)
    c.setResult(result);
  c.join(group);
  return c;
}

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_THREADS_COLLECTIVE_H
