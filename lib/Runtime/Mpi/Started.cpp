//===- Started.cpp - Calls that run beside the device's function ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call that is started meets the group, posts what MPI can do by itself and returns.
// What needs the device again (unpacking, combining) is done at the wait. Calls end in
// the order in which they were started, which is the same on all devices of a group:
// so no two devices wait for one another at ends of different calls. What has no
// non-blocking form has ended when its start returns.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include <utility>

namespace shard {
namespace runtime {

namespace {

using Clock = Collective::Clock;

/// Ends the first call that was started.
void endFirst(RankDevice &device) {
  Session &s = session();
  StartedCall &call = *device.started.front();
  Clock::time_point begin = Clock::now();
  s.watch.resumeCall(call.c.call, *call.group, call.sequence);
  checkMpi(call.c, MPI_Waitall(int(call.requests.size()), call.requests.data(),
                               MPI_STATUSES_IGNORE));
  if (call.finish)
    call.finish(call.c);
  leave(call.c);
  // The time of a call is what the device spent in it.
  call.c.begin += begin - Clock::time_point();
  call.c.record(call.bytes);
  device.started.pop_front();
}

} // namespace

namespace backend {

bool start(const Collective &c, std::function<void(Collective &)> move,
           int64_t bytes) {
  RankDevice &device = rankOf(c.device);
  auto call = std::make_unique<StartedCall>(c, bytes);
  // MPI uses this memory when other calls use the device's.
  std::swap(device.scratch, call->scratch);
  std::swap(device.received, call->received);
  device.starting = call.get();
  move(call->c);
  device.starting = nullptr;
  std::swap(device.scratch, call->scratch);
  std::swap(device.received, call->received);
  if (call->requests.empty()) {
    call->c.record(bytes);
    return true;
  }
  // As a duration until the end.
  call->c.begin = Clock::time_point() + (call->c.begin - Clock::now());
  device.started.push_back(std::move(call));
  return true;
}

void wait(Device &base, const void *result) {
  RankDevice &device = rankOf(base);
  if (device.started.empty())
    return;
  size_t count = device.started.size();
  while (count > 0 && result &&
         device.started[count - 1]->c.call.result.data != result)
    --count;
  for (; count > 0; --count)
    endFirst(device);
}

} // namespace backend
} // namespace runtime
} // namespace shard
