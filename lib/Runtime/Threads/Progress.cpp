//===- Progress.cpp - Collectives beside a device's function --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that starts a collective arrives at its rendezvous at once, or when what it has
// started before has ended, and goes on. When the others have arrived, a second thread of
// each device moves its part of the data. The device's own thread takes part in a
// collective only when nothing is started, so that for the other devices a device is at
// one collective at a time, in the order of its program: what blocks is found as without
// overlap.
//
// Where the functions of the devices keep all processors busy, a thread that is woken waits
// for one for milliseconds. So a second thread is woken once for each collective: own
// threads arrive, the last second thread that has moved its part ends the collective for
// all, and the time of an artificial link is slept by the thread that waits.
//
//===----------------------------------------------------------------------===//

#include "../Common/Environment.h"
#include "Rendezvous.h"

#include <algorithm>
#include <cstdlib>
#include <pthread.h>
#include <thread>

namespace shard {
namespace runtime {

using Clock = Collective::Clock;

struct Task {
  /// Queued: behind others. Arrived: waits for the other devices. Met: the data can be
  /// moved. Left: this device's part has been moved. Ended: everybody's part.
  enum class State { Queued, Arrived, Met, Left, Ended };

  Collective c;
  std::function<void(Collective &)> move;
  int64_t bytes;
  /// The input, if it had to be packed.
  std::vector<char> packed;
  State state = State::Queued;
  /// When the result may be used.
  Clock::time_point end = {};
};

/// Guarded by the run's mutex, but for `thread` and the data of a task that moves it.
struct Progress {
  ThreadDevice *device;
  pthread_t thread;
  /// A task has met, or the thread is to end.
  std::condition_variable ready;
  /// A task has ended, or the run has failed.
  std::condition_variable changed;
  /// In the order of their starts, until the device has waited for them.
  std::deque<Task> tasks;
  /// When the artificial link has sent what was started.
  Clock::time_point linkFree;
  bool ending = false;

  /// The first task that has not ended; null if all have.
  Task *current() {
    auto it = std::find_if(tasks.begin(), tasks.end(), [](const Task &task) {
      return task.state != Task::State::Ended;
    });
    return it == tasks.end() ? nullptr : &*it;
  }
};

namespace {

using Lock = std::unique_lock<std::mutex>;

/// Of a thread that moves what was started.
thread_local Progress *own = nullptr;

/// What the artificial link takes to send `bytes` by the call.
Clock::duration linkTime(const Collective &c, int64_t bytes) {
  const RunOptions::Link &link = threadOf(c.device).run->options.link;
  if (c.group->size < 2 || c.call.kind == Kind::AllSlice)
    return Clock::duration::zero();
  double seconds = link.latency;
  if (link.bandwidth > 0)
    seconds += double(bytes) / link.bandwidth;
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(seconds));
}

/// The task of `device` that is at its rendezvous in `group`; null if there is none.
Task *taskAt(ThreadDevice &device, const Communicator &group,
             int64_t position) {
  Task *task = device.progress ? device.progress->current() : nullptr;
  return task && &task->c.call == group.calls[position] ? task : nullptr;
}

/// Lets the device arrive with what it has to do next, if it has not yet.
void arriveNext(ThreadDevice &device) {
  Task *task = device.progress ? device.progress->current() : nullptr;
  if (!task || task->state != Task::State::Queued || device.run->failed)
    return;
  task->state = Task::State::Arrived;
  task->c.begin = Clock::now();
  arrive(device, *task->c.group, task->c.call);
}

void carryOut(Progress &progress) {
  Lock lock(progress.device->run->mutex);
  Task *task = nullptr;
  auto hasMet = [&] {
    task = progress.current();
    return task && task->state == Task::State::Met;
  };
  while (true) {
    progress.ready.wait(lock, [&] { return progress.ending || hasMet(); });
    if (!hasMet())
      return;
    // `leave` sets the next state.
    lock.unlock();
    task->move(task->c);
    lock.lock();
  }
}

void *progressMain(void *argument) {
  own = static_cast<Progress *>(argument);
  setCurrentDevice(own->device);
  carryOut(*own);
  return nullptr;
}

/// The thread of `device`, which this starts if need be; null if it cannot.
Progress *progressOf(ThreadDevice &device) {
  if (device.progress)
    return device.progress.get();
  auto progress = std::make_unique<Progress>();
  progress->device = &device;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, device.run->options.stackBytes);
  int code = pthread_create(&progress->thread, &attributes, progressMain,
                            progress.get());
  pthread_attr_destroy(&attributes);
  if (code != 0)
    return nullptr;
  Lock lock(device.run->mutex);
  device.progress = std::move(progress);
  return device.progress.get();
}

/// Takes the first `count` tasks, which have ended, off the device's list and records them.
/// When the last of them has ended.
Clock::time_point takeEnded(Progress &progress, size_t count) {
  Clock::time_point last;
  for (; count > 0; --count) {
    Task &task = progress.tasks.front();
    last = std::max(last, task.end);
    if (progress.device->keepsRecords)
      progress.device->recorder.add(
          *task.c.group, task.c.call, task.bytes,
          std::chrono::duration<double>(task.end - task.c.begin).count());
    progress.tasks.pop_front();
  }
  return last;
}

/// Waits until nothing that is started writes to `result`; to anything, if it is null.
/// False if the run fails before.
bool waitForTasks(Progress &progress, const void *result) {
  auto writes = [&](const Task &task) {
    return !result || task.c.call.result.data == result;
  };
  ThreadDevice &device = *progress.device;
  Lock lock(device.run->mutex);
  size_t count = progress.tasks.size();
  while (count > 0 && !writes(progress.tasks[count - 1]))
    --count;
  if (count == 0)
    return true;
  bool ended = waitOrFail(device, progress.changed, lock, [&] {
    return progress.tasks[count - 1].state == Task::State::Ended;
  });
  if (!ended)
    return false;
  Clock::time_point end = takeEnded(progress, count);
  lock.unlock();
  std::this_thread::sleep_until(end);
  return true;
}

} // namespace

ThreadDevice::ThreadDevice() = default;
ThreadDevice::~ThreadDevice() = default;

bool isProgressThread() { return own; }

void noteMet(Run &run, Communicator &group) {
  Clock::time_point begin = Clock::now();
  for (size_t p = 0; p < group.devices.size(); ++p)
    if (ThreadDevice &device = *run.devices[group.devices[p]];
        taskAt(device, group, p))
      begin = std::max(begin, device.progress->linkFree);
  for (size_t p = 0; p < group.devices.size(); ++p) {
    ThreadDevice &device = *run.devices[group.devices[p]];
    Task *task = taskAt(device, group, p);
    if (!task)
      continue;
    task->state = Task::State::Met;
    task->end = begin + linkTime(task->c, task->bytes);
    device.progress->linkFree = task->end;
    device.progress->ready.notify_all();
  }
}

void noteLeft(ThreadDevice &device) {
  device.progress->current()->state = Task::State::Left;
}

void noteEnded(Run &run, Communicator &group) {
  for (size_t p = 0; p < group.devices.size(); ++p) {
    ThreadDevice &device = *run.devices[group.devices[p]];
    Task *task = taskAt(device, group, p);
    if (!task)
      continue;
    task->state = Task::State::Ended;
    task->end = std::max(task->end, Clock::now());
    device.progress->changed.notify_all();
  }
  for (int64_t device : group.devices)
    arriveNext(*run.devices[device]);
}

void noteFailed(ThreadDevice &device) {
  if (device.progress)
    device.progress->changed.notify_all();
}

void endProgress(ThreadDevice &device) {
  Progress *progress = device.progress.get();
  if (!progress)
    return;
  waitForTasks(*progress, nullptr);
  {
    // The others may read what this device has brought, even if the run has failed.
    Lock lock(device.run->mutex);
    progress->changed.wait(lock, [&] {
      Task *task = progress->current();
      return !task || (task->state != Task::State::Met &&
                       task->state != Task::State::Left);
    });
    progress->ending = true;
    progress->ready.notify_all();
  }
  pthread_join(progress->thread, nullptr);
}

RunOptions::Link RunOptions::defaultLink() {
  auto given = linkOfVariable();
  return given ? Link{given->first, given->second} : Link();
}

namespace backend {

void escape(Device &device) { _longjmp(threadOf(device).exit, 1); }

bool start(const Collective &c, std::function<void(Collective &)> move,
           int64_t bytes) {
  ThreadDevice &device = threadOf(c.device);
  Progress *progress = progressOf(device);
  if (!progress) {
    wait(c.device, nullptr);
    return false;
  }
  Task task{c, std::move(move), bytes, {}};
  // What packs its input in front of the rendezvous finds it packed.
  Call &call = task.c.call;
  if (call.hasInput && !call.input.isContiguous() &&
      (call.kind == Kind::AllReduce || call.kind == Kind::ReduceScatter)) {
    task.packed.resize(call.input.bytes());
    View packed = contiguousLike(call.input, task.packed.data());
    copy(packed, call.input);
    call.input = packed;
  }
  Lock lock(device.run->mutex);
  progress->tasks.push_back(std::move(task));
  arriveNext(device);
  return true;
}

void wait(Device &device, const void *result) {
  Progress *progress = threadOf(device).progress.get();
  if (progress && progress != own && !waitForTasks(*progress, result))
    escape(device);
}

void delay(Collective &c, int64_t bytes) {
  std::this_thread::sleep_for(linkTime(c, bytes));
}

} // namespace backend

} // namespace runtime
} // namespace shard
