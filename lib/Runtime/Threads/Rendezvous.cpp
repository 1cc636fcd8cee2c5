//===- Rendezvous.cpp - Where devices of a group meet ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rendezvous.h"

#include "shard/Geometry/SeededFaults.h"

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <thread>

namespace shard {
namespace runtime {

namespace {

thread_local Device *current = nullptr;

using Lock = std::unique_lock<std::mutex>;

bool hasFinished(const Run &run, int64_t device) {
  return run.devices[device]->state == Device::State::Finished;
}

/// Fails the run if `waiting`, which has just blocked or lost a partner, can
/// never go on because a device that it needs has ended.
void checkPartners(Run &run, const Device &waiting) {
  if (run.finished == 0 || run.failed)
    return;
  const Communicator &group = *waiting.waitsIn;
  bool receives = waiting.state == Device::State::Receiving;
  for (size_t p = 0; p < group.devices.size(); ++p) {
    int64_t device = group.devices[p];
    if (!hasFinished(run, device))
      continue;
    if (receives && waiting.waitsFor != int64_t(p))
      continue;
    setError(run, "device " + std::to_string(waiting.index) + " waits in " +
                      describeCall(*waiting.waitsAt) + " for device " +
                      std::to_string(device) +
                      ", which has reached the end of the program");
    return;
  }
}

/// Fails the run if no device is left that could wake another.
void checkProgress(Run &run) {
  if (run.failed || run.blocked == 0)
    return;
  if (run.blocked + run.finished == int64_t(run.devices.size()))
    setError(run, describeDeadlock(run));
}

/// Waits on `condition` until `done()` or the run fails.
template <typename Done>
void blockUntil(Device &device, std::condition_variable &condition, Lock &lock,
                Done done) {
  Run &run = *device.run;
  ++run.blocked;
  checkPartners(run, device);
  checkProgress(run);
  auto deadline =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>(run.options.timeoutSeconds));
  while (!done() && !run.failed) {
    if (condition.wait_until(lock, deadline) == std::cv_status::timeout &&
        !done() && !run.failed)
      setError(run, "device " + std::to_string(device.index) +
                        " has waited for more than " +
                        std::to_string(int64_t(run.options.timeoutSeconds)) +
                        " seconds in " + describeCall(*device.waitsAt) + "; " +
                        describeDeadlock(run));
  }
}

/// Called by the device that ends another's wait.
void unblock(Device &device) {
  device.state = Device::State::Running;
  --device.run->blocked;
}

/// Whether the group met; if not, the run has failed.
bool meet(Device &device, Member &member, const Call &call) {
  Run &run = *device.run;
  Communicator &group = *member.communicator;
  while (SHARD_FAULT(DeviceNeverComes) && call.kind == Kind::AllGather &&
         member.position == 0)
    std::this_thread::sleep_for(std::chrono::seconds(1));
  Lock lock(run.mutex);
  if (run.failed)
    return false;
  group.calls[member.position] = &call;
  if (++group.arriving == member.size) {
    std::string problem = compareCalls(group);
    if (!problem.empty()) {
      setError(run, std::move(problem));
      return false;
    }
    group.arriving = 0;
    if (!SHARD_FAULT(MissedWakeup))
      ++group.entered;
    for (int64_t other : group.devices)
      if (other != device.index)
        unblock(*run.devices[other]);
    group.changed.notify_all();
    return true;
  }
  uint64_t round = group.entered;
  device.state = Device::State::Meeting;
  device.waitsIn = &group;
  device.waitsAt = &call;
  blockUntil(device, group.changed, lock,
             [&] { return group.entered != round; });
  // A group that met goes on even if the run has failed since: the others may
  // already read this device's call.
  return group.entered != round;
}

/// Takes the message off its queue into `call`'s result; the error, if it does
/// not fit.
std::string takeMessage(std::deque<Message> &queue, const Call &call) {
  const Message &message = queue.front();
  bool fits =
      message.type == call.type &&
      message.sizes.size() == size_t(call.result.rank) &&
      std::equal(message.sizes.begin(), message.sizes.end(), call.result.sizes);
  if (!fits) {
    Call sent;
    sent.kind = Kind::Send;
    sent.location = message.location;
    sent.type = message.type;
    sent.hasInput = true;
    sent.input.rank = message.sizes.size();
    std::copy(message.sizes.begin(), message.sizes.end(), sent.input.sizes);
    return "what " + describeCall(sent) + " has sent does not fit " +
           describeCall(call);
  }
  View source =
      contiguousLike(call.result, const_cast<char *>(message.data.data()));
  copy(call.result, source);
  queue.pop_front();
  return std::string();
}

/// The position of a device of which a message for `to` is there; -1: none.
int64_t findMessage(Communicator &group, int64_t from, int64_t to) {
  for (int64_t p = 0, e = group.devices.size(); p < e; ++p) {
    if (from >= 0 && p != from)
      continue;
    auto it = group.messages.find({p, to});
    if (it != group.messages.end() && !it->second.empty())
      return p;
  }
  return -1;
}

bool receive(Device &device, Member &member, const Call &call,
             int64_t position) {
  Run &run = *device.run;
  Communicator &group = *member.communicator;
  Lock lock(run.mutex);
  if (run.failed)
    return false;
  int64_t from = findMessage(group, position, member.position);
  if (from < 0) {
    device.state = Device::State::Receiving;
    device.waitsIn = &group;
    device.waitsAt = &call;
    device.waitsFor = position;
    blockUntil(device, device.received, lock, [&] {
      from = findMessage(group, position, member.position);
      return from >= 0;
    });
    if (run.failed)
      return false;
  }
  std::string problem =
      takeMessage(group.messages[{from, member.position}], call);
  if (problem.empty())
    return true;
  setError(run, std::move(problem));
  return false;
}

bool post(Device &device, Member &member, const Call &call, int64_t position) {
  Message message;
  message.type = call.type;
  message.location = call.location;
  message.sizes.assign(call.input.sizes, call.input.sizes + call.input.rank);
  message.data.resize(call.input.bytes());
  copy(contiguousLike(call.input, message.data.data()), call.input);

  Run &run = *device.run;
  Communicator &group = *member.communicator;
  Lock lock(run.mutex);
  if (run.failed)
    return false;
  group.messages[{member.position, position}].push_back(std::move(message));
  Device &target = *run.devices[group.devices[position]];
  if (target.state == Device::State::Receiving && target.waitsIn == &group &&
      (target.waitsFor == -1 || target.waitsFor == member.position)) {
    unblock(target);
    target.received.notify_one();
  }
  return true;
}

/// Makes the member for `words`, or returns what is wrong with them.
std::string makeMember(Device &device, const int64_t *words, size_t numWords,
                       Member &member) {
  Run &run = *device.run;
  int64_t gridRank = words[0];
  const int64_t *extents = words + 1;
  int64_t numAxes = words[1 + gridRank];
  const int64_t *axes = words + 2 + gridRank;
  member.words.assign(words, words + numWords);

  for (int64_t axis = 0; axis < gridRank; ++axis) {
    member.grid.shape.push_back(gridExtent(run.grid, gridRank, extents, axis));
    if (member.grid.shape.back() < 1)
      return "the program's grid has no extent for axis " +
             std::to_string(axis) + " on the grid that runs";
  }
  if (member.grid.numDevices() != run.grid.numDevices())
    return "the program's grid has " +
           std::to_string(member.grid.numDevices()) + " devices, the run has " +
           std::to_string(run.grid.numDevices());
  for (int64_t i = 0; i < numAxes; ++i) {
    if (axes[i] < 0 || axes[i] >= gridRank)
      return "grid axis " + std::to_string(axes[i]) +
             " is out of range for a grid of " + std::to_string(gridRank) +
             " axes";
    if (std::count(axes, axes + i, axes[i]))
      return "grid axis " + std::to_string(axes[i]) + " is listed twice";
    member.axes.push_back(GridAxis(axes[i]));
  }

  member.sizes = member.grid.sizes(member.axes);
  member.size = member.grid.groupSize(member.axes);
  member.position = member.grid.positionInGroup(device.index, member.axes);
  for (int64_t p = 0; p < member.size; ++p)
    member.coordinates.push_back(delinearize(p, member.sizes));
  std::vector<int64_t> devices =
      member.grid.groupMembers(device.index, member.axes);
  Lock lock(run.mutex);
  std::unique_ptr<Communicator> &group = run.communicators[devices];
  if (!group) {
    group = std::make_unique<Communicator>();
    group->calls.resize(devices.size());
    group->devices = std::move(devices);
  }
  member.communicator = group.get();
  return std::string();
}

Member *findOrMakeMember(Device &device, const Call &call,
                         const int64_t *words) {
  if (words[0] < 0 || words[0] > kMaxRank || words[1 + words[0]] < 0 ||
      words[1 + words[0]] > kMaxRank) {
    std::lock_guard<std::mutex> lock(device.run->mutex);
    setError(*device.run, describeCall(call) + ": grids of more than " +
                              std::to_string(kMaxRank) +
                              " axes are not supported");
    return nullptr;
  }
  size_t numWords = 2 + words[0] + words[1 + words[0]];
  for (std::unique_ptr<Member> &member : device.members)
    if (member->words.size() == numWords &&
        memcmp(member->words.data(), words, numWords * sizeof(int64_t)) == 0)
      return member.get();
  auto member = std::make_unique<Member>();
  std::string problem = makeMember(device, words, numWords, *member);
  if (!problem.empty()) {
    std::lock_guard<std::mutex> lock(device.run->mutex);
    setError(*device.run, describeCall(call) + ": " + problem);
    return nullptr;
  }
  device.members.push_back(std::move(member));
  return device.members.back().get();
}

} // namespace

int64_t gridExtent(const Grid &running, int64_t rank, const int64_t *extents,
                   int64_t axis) {
  if (extents[axis] != SHARD_RT_DYNAMIC)
    return extents[axis];
  int64_t known = 1, numUnknown = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (extents[i] == SHARD_RT_DYNAMIC)
      ++numUnknown;
    else
      known *= extents[i];
  }
  if (rank == running.rank())
    return running.shape[axis];
  bool divides = known > 0 && running.numDevices() % known == 0;
  return numUnknown == 1 && divides ? running.numDevices() / known : -1;
}

Device *currentDevice() { return current; }
void setCurrentDevice(Device *device) { current = device; }

void setError(Run &run, std::string message) {
  if (run.failed)
    return;
  run.failed = true;
  run.error = std::move(message);
  for (auto &entry : run.communicators)
    entry.second->changed.notify_all();
  for (std::unique_ptr<Device> &device : run.devices)
    device->received.notify_all();
  run.changed.notify_all();
}

void escape(Device &device) { _longjmp(device.exit, 1); }

void fail(Device &device, const Call &call, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  {
    std::lock_guard<std::mutex> lock(device.run->mutex);
    setError(*device.run, describeCall(call) + ": " + text);
  }
  escape(device);
}

Member &memberOf(Device &device, const Call &call, const int64_t *words) {
  Member *member = findOrMakeMember(device, call, words);
  if (!member)
    escape(device);
  return *member;
}

void enter(Device &device, Member &member, const Call &call) {
  if (!meet(device, member, call))
    escape(device);
}

void leave(Device &device, Member &member) {
  if (member.size == 1)
    return;
  Communicator &group = *member.communicator;
  Lock lock(device.run->mutex);
  if (++group.leaving == member.size) {
    group.leaving = 0;
    ++group.left;
    group.changed.notify_all();
    return;
  }
  // Everybody comes here without blocking on the way: no check for progress,
  // and no escape while others read this device's call.
  uint64_t round = group.left;
  group.changed.wait(lock, [&] { return group.left != round; });
}

void sendMessage(Device &device, Member &member, const Call &call,
                 int64_t position) {
  if (!post(device, member, call, position))
    escape(device);
}

void receiveMessage(Device &device, Member &member, const Call &call,
                    int64_t position) {
  if (!receive(device, member, call, position))
    escape(device);
}

void record(Device &device, const Member &member, const Call &call,
            int64_t bytes) {
  if (SHARD_FAULT(CallNotRecorded) && call.kind == Kind::AllToAll)
    return;
  auto [it, isNew] = device.recordIndex.try_emplace(
      RecordKey{call.kind, &member, call.location}, device.records.size());
  if (isNew) {
    CallRecord record;
    record.kind = kindName(call.kind);
    record.gridShape = member.grid.shape;
    record.axes.assign(member.axes.begin(), member.axes.end());
    record.location = call.location;
    device.records.push_back(std::move(record));
  }
  CallRecord &record = device.records[it->second];
  record.count += 1 + SHARD_FAULT(CallCountedTwice);
  record.bytes += bytes;
  if (call.hasInput)
    record.inputBytes += call.input.bytes();
}

void finish(Device &device) {
  Run &run = *device.run;
  std::lock_guard<std::mutex> lock(run.mutex);
  device.state = Device::State::Finished;
  ++run.finished;
  for (std::unique_ptr<Device> &other : run.devices)
    if (other->state == Device::State::Meeting ||
        other->state == Device::State::Receiving) {
      const std::vector<int64_t> &group = other->waitsIn->devices;
      if (std::find(group.begin(), group.end(), device.index) != group.end())
        checkPartners(run, *other);
    }
  checkProgress(run);
  run.changed.notify_all();
}

} // namespace runtime
} // namespace shard
