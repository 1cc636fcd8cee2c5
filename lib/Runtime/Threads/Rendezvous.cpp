//===- Rendezvous.cpp - Where devices of a group meet ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rendezvous.h"

#include <chrono>
#include <thread>

namespace shard {
namespace runtime {

namespace {

thread_local ThreadDevice *current = nullptr;

using Lock = std::unique_lock<std::mutex>;

bool hasFinished(const Run &run, int64_t device) {
  return run.devices[device]->state == ThreadDevice::State::Finished;
}

/// Fails the run if `waiting`, which has just blocked or lost a partner, can
/// never go on because a device that it needs has ended.
void checkPartners(Run &run, const ThreadDevice &waiting) {
  if (run.finished == 0 || run.failed)
    return;
  const Communicator &group = *waiting.waitsIn;
  bool receives = waiting.state == ThreadDevice::State::Receiving;
  for (size_t p = 0; p < group.devices.size(); ++p) {
    int64_t device = group.devices[p];
    if (!hasFinished(run, device))
      continue;
    if (receives && waiting.waitsFor != int64_t(p))
      continue;
    setRunError(run, "device " + std::to_string(waiting.index) + " waits in " +
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
    setRunError(run, describeDeadlock(run));
}

/// How long a device looks whether the others have come before it sleeps. Waking a thread
/// takes longer than most of them are late at a small collective.
constexpr std::chrono::microseconds kSpin{30};

/// Returns when `completed` is another number than `round`, or after kSpin. Not for devices
/// that carry out collectives beside ops: what they started may take long, and the ops
/// need the processors.
void spinWhile(const ThreadDevice &device, Lock &lock,
               const std::atomic<uint64_t> &completed, uint64_t round) {
  if (!device.run->spins || device.progress)
    return;
  lock.unlock();
  auto end = std::chrono::steady_clock::now() + kSpin;
  while (completed.load(std::memory_order_acquire) == round &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  lock.lock();
}

/// The device, whose state says where, cannot go on alone.
void block(ThreadDevice &device) {
  ++device.run->blocked;
  checkPartners(*device.run, device);
  checkProgress(*device.run);
}

/// Called by the device that ends another's wait.
void unblock(ThreadDevice &device) {
  device.state = ThreadDevice::State::Running;
  --device.run->blocked;
}

/// Whether the group met; if not, the run has failed.
bool meet(ThreadDevice &device, const Group &member, const Call &call) {
  Run &run = *device.run;
  Communicator &group = *member.communicator;
  Lock lock(run.mutex);
  if (run.failed)
    return false;
  uint64_t round = group.entered;
  if (arrive(device, member, call))
    return group.entered != round;
  spinWhile(device, lock, group.entered, round);
  waitOrFail(device, group.changed, lock,
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

bool receive(ThreadDevice &device, const Group &member, const Call &call,
             int64_t position) {
  Run &run = *device.run;
  Communicator &group = *member.communicator;
  Lock lock(run.mutex);
  if (run.failed)
    return false;
  int64_t from = findMessage(group, position, member.position);
  if (from < 0) {
    device.state = ThreadDevice::State::Receiving;
    device.waitsIn = &group;
    device.waitsAt = &call;
    device.waitsFor = position;
    block(device);
    waitOrFail(device, device.received, lock, [&] {
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
  setRunError(run, std::move(problem));
  return false;
}

bool post(ThreadDevice &device, const Group &member, const Call &call,
          int64_t position) {
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
  ThreadDevice &target = *run.devices[group.devices[position]];
  if (target.state == ThreadDevice::State::Receiving &&
      target.waitsIn == &group &&
      (target.waitsFor == -1 || target.waitsFor == member.position)) {
    unblock(target);
    target.received.notify_one();
  }
  return true;
}

} // namespace

void setCurrentDevice(ThreadDevice *device) { current = device; }

void setRunError(Run &run, std::string message) {
  if (run.failed)
    return;
  run.failed = true;
  run.error = std::move(message);
  for (auto &entry : run.communicators)
    entry.second->changed.notify_all();
  for (std::unique_ptr<ThreadDevice> &device : run.devices) {
    device->received.notify_all();
    noteFailed(*device);
  }
  run.changed.notify_all();
}

bool arrive(ThreadDevice &device, const Group &member, const Call &call) {
  Run &run = *device.run;
  Communicator &group = *member.communicator;
  group.calls[member.position] = &call;
  device.waitsIn = &group;
  device.waitsAt = &call;
  if (++group.arriving < member.size) {
    device.state = ThreadDevice::State::Meeting;
    block(device);
    return run.failed;
  }
  std::string problem = compareCalls(group.devices, group.calls, group.entered);
  if (!problem.empty()) {
    setRunError(run, std::move(problem));
    return true;
  }
  group.arriving = 0;
  ++group.entered;
  for (int64_t other : group.devices)
    if (other != device.index)
      unblock(*run.devices[other]);
  noteMet(run, group);
  group.changed.notify_all();
  return true;
}

bool waitOrFail(ThreadDevice &device, std::condition_variable &condition,
                Lock &lock, const std::function<bool()> &done) {
  Run &run = *device.run;
  auto deadline =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>(run.options.timeoutSeconds));
  while (!done() && !run.failed) {
    if (condition.wait_until(lock, deadline) == std::cv_status::timeout &&
        !done() && !run.failed)
      setRunError(run, "device " + std::to_string(device.index) +
                           " has waited for more than " +
                           std::to_string(int64_t(run.options.timeoutSeconds)) +
                           " seconds in " + describeCall(*device.waitsAt) +
                           "; " + describeDeadlock(run));
  }
  return done();
}

void enter(Collective &c) {
  // What was started has met.
  if (isProgressThread())
    return;
  if (!meet(threadOf(c.device), *c.group, c.call))
    backend::escape(c.device);
}

void leave(Collective &c) {
  const Group &member = *c.group;
  bool isStarted = isProgressThread();
  if (member.size == 1 && !isStarted)
    return;
  Communicator &group = *member.communicator;
  Run &run = *threadOf(c.device).run;
  Lock lock(run.mutex);
  if (isStarted)
    noteLeft(threadOf(c.device));
  if (++group.leaving == member.size) {
    group.leaving = 0;
    ++group.left;
    group.changed.notify_all();
    noteEnded(run, group);
    return;
  }
  // The last one to leave ends what was started.
  if (isStarted)
    return;
  // Everybody comes here without blocking on the way: no check for progress,
  // and no escape while others read this device's call.
  uint64_t round = group.left;
  spinWhile(threadOf(c.device), lock, group.left, round);
  group.changed.wait(lock, [&] { return group.left != round; });
}

void finish(ThreadDevice &device) {
  Run &run = *device.run;
  std::lock_guard<std::mutex> lock(run.mutex);
  device.state = ThreadDevice::State::Finished;
  ++run.finished;
  for (std::unique_ptr<ThreadDevice> &other : run.devices)
    if (other->state == ThreadDevice::State::Meeting ||
        other->state == ThreadDevice::State::Receiving)
      checkPartners(run, *other);
  checkProgress(run);
  run.changed.notify_all();
}

std::string describeDeadlock(const Run &run) {
  constexpr int kShown = 8;
  std::string text = "no device can go on:";
  if (run.blocked + run.finished != int64_t(run.devices.size()))
    text = "meanwhile:";
  int shown = 0;
  for (const std::unique_ptr<ThreadDevice> &device : run.devices) {
    if (device->state == ThreadDevice::State::Running)
      continue;
    if (shown == kShown) {
      text += " ...";
      break;
    }
    text += std::string(shown++ ? ";" : "") + " device " +
            std::to_string(device->index);
    if (device->state == ThreadDevice::State::Finished) {
      text += " has reached the end of the program";
      continue;
    }
    text += " waits in " + describeCall(*device->waitsAt);
    if (device->state == ThreadDevice::State::Meeting)
      text += " for the group of devices " +
              describeDevices(device->waitsIn->devices);
    else if (device->waitsFor >= 0)
      text += " for device " +
              std::to_string(device->waitsIn->devices[device->waitsFor]);
    else
      text +=
          " for any of devices " + describeDevices(device->waitsIn->devices);
  }
  return text;
}

namespace backend {

Device *currentDevice() { return current; }

void setError(Device &device, const std::string &message) {
  Run &run = *threadOf(device).run;
  Lock lock(run.mutex);
  setRunError(run, message);
}

void open(Device &device, Group &group) {
  Run &run = *threadOf(device).run;
  Lock lock(run.mutex);
  std::unique_ptr<Communicator> &shared = run.communicators[group.devices];
  if (!shared) {
    shared = std::make_unique<Communicator>();
    shared->calls.resize(group.devices.size());
    shared->devices = group.devices;
  }
  group.communicator = shared.get();
}

void send(Collective &c, int64_t to) {
  if (!post(threadOf(c.device), *c.group, c.call, to))
    escape(c.device);
}

void receive(Collective &c, int64_t from) {
  if (!runtime::receive(threadOf(c.device), *c.group, c.call, from))
    escape(c.device);
}

} // namespace backend

} // namespace runtime
} // namespace shard
