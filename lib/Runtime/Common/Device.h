//===- Device.h - A device of a run, whatever the back end ---- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every back end keeps about a device, and the functions that each back end
// has to define: Calls.cpp decodes and checks the calls of Runtime.h, these
// functions move the data. A library contains one back end.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_COMMON_DEVICE_H
#define SHARD_LIB_RUNTIME_COMMON_DEVICE_H

#include "Call.h"
#include "Group.h"
#include "Halo.h"
#include "Record.h"
#include "Reduce.h"

#include <functional>
#include <memory>

namespace shard {
namespace runtime {

struct Collective;

struct Device {
  /// The row-major position in the grid that runs.
  int64_t index = 0;
  /// The grid that runs.
  const Grid *grid = nullptr;
  std::vector<std::unique_ptr<Group>> groups;
  /// Memory for packed inputs.
  std::vector<char> scratch;
  HaloPlans haloPlans;
  Recorder recorder;
  /// Whether somebody asks for the records; without them no call reads the clock.
  bool keepsRecords = true;
  /// The next call is to be started (shard_rt_start).
  bool startsNext = false;
};

/// A reduction of Runtime.h on the element type of the call.
struct Reduction {
  int64_t kind;
  ReduceKernel kernel;
};

/// The back end. Every function that moves data may end the run; none holds an
/// object with a destructor when it does.
namespace backend {

/// The device of the calling thread; null outside a run.
Device *currentDevice();

/// Makes `message` the run's error unless there is one already.
void setError(Device &device, const std::string &message);
/// Leaves the function that the device runs, after setError.
[[noreturn]] void escape(Device &device);

/// A group was made: sets its communicator, now or when it is needed.
void open(Device &device, Group &group);

/// Starts `move`, by which this device sends `bytes`, behind what it has started before;
/// false if this back end does not, and the caller has to run it.
bool start(const Collective &c, std::function<void(Collective &)> move,
           int64_t bytes);
/// Waits for the started calls whose result begins at `result`; for all if it is null.
void wait(Device &device, const void *result);
/// Takes the time that an artificial link needs for `bytes`, if there is one.
void delay(Collective &c, int64_t bytes);

void barrier(Collective &c);
void allGather(Collective &c, int64_t dim);
void gather(Collective &c, int64_t dim, int64_t root);
void scatter(Collective &c, int64_t dim, int64_t root);
void allToAll(Collective &c, int64_t splitDim, int64_t concatDim);
void broadcast(Collective &c, int64_t root);
void allReduce(Collective &c, const Reduction &reduction);
void reduce(Collective &c, const Reduction &reduction, int64_t root);
void reduceScatter(Collective &c, const Reduction &reduction, int64_t dim);
void send(Collective &c, int64_t to);
/// From the lowest position that has a message if `from` is -1.
void receive(Collective &c, int64_t from);
/// Every position sends its input to `to` and fills its result from `from`; -1
/// is no position, and the result is then zero.
void exchange(Collective &c, int64_t from, int64_t to);
/// Fills the boxes of `plan`. The result may be the input.
void moveBoxes(Collective &c, const HaloPlan &plan);

} // namespace backend
} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_COMMON_DEVICE_H
