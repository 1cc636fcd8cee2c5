//===- Progress.cpp - Collectives beside a device's function --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second thread for each device that starts collectives carries them out one after
// another. The device's own thread takes part in a collective only when nothing is
// started, so that for the other devices a device is at one collective at a time, in
// the order of its program: what blocks is found as without it.
//
//===----------------------------------------------------------------------===//

#include "Rendezvous.h"

#include <algorithm>
#include <cstdlib>
#include <pthread.h>
#include <thread>

namespace shard {
namespace runtime {

struct Task {
  Collective c;
  std::function<void(Collective &)> move;
  int64_t bytes;
};

struct Progress {
  ThreadDevice *device;
  pthread_t thread;
  jmp_buf exit;

  std::mutex mutex;
  std::condition_variable changed;
  // Guarded by the mutex. The first task is the one that is carried out.
  std::deque<Task> tasks;
  bool ending = false;
  /// A task has left by backend::escape: the run has failed.
  bool escaped = false;
};

namespace {

/// Of a thread that carries out what was started.
thread_local Progress *own = nullptr;

/// The task to carry out next; null at the end.
Task *nextTask(Progress &progress) {
  std::unique_lock<std::mutex> lock(progress.mutex);
  progress.changed.wait(
      lock, [&] { return progress.ending || !progress.tasks.empty(); });
  return progress.tasks.empty() ? nullptr : &progress.tasks.front();
}

void endTask(Progress &progress) {
  std::lock_guard<std::mutex> lock(progress.mutex);
  progress.tasks.pop_front();
  progress.changed.notify_all();
}

void noteEscape(Progress &progress) {
  std::lock_guard<std::mutex> lock(progress.mutex);
  progress.escaped = true;
  progress.changed.notify_all();
}

/// Holds nothing with a destructor while a task runs, which may leave by longjmp.
void carryOut(Progress &progress) {
  while (Task *task = nextTask(progress)) {
    task->c.begin = Collective::Clock::now();
    task->move(task->c);
    task->c.record(task->bytes);
    endTask(progress);
  }
}

void *progressMain(void *argument) {
  own = static_cast<Progress *>(argument);
  setCurrentDevice(own->device);
  if (_setjmp(own->exit) == 0)
    carryOut(*own);
  else
    noteEscape(*own);
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
  device.progress = std::move(progress);
  return device.progress.get();
}

/// Whether nothing that is started writes to `result`; to anything, if it is null.
bool hasEnded(Progress &progress, const void *result) {
  std::unique_lock<std::mutex> lock(progress.mutex);
  auto writes = [&](const Task &task) {
    return !result || task.c.call.result.data == result;
  };
  progress.changed.wait(lock, [&] {
    return progress.escaped ||
           std::none_of(progress.tasks.begin(), progress.tasks.end(), writes);
  });
  return !progress.escaped;
}

} // namespace

ThreadDevice::ThreadDevice() = default;
ThreadDevice::~ThreadDevice() = default;

void endProgress(ThreadDevice &device) {
  if (!device.progress)
    return;
  {
    std::lock_guard<std::mutex> lock(device.progress->mutex);
    device.progress->ending = true;
    device.progress->changed.notify_all();
  }
  pthread_join(device.progress->thread, nullptr);
}

RunOptions::Link RunOptions::defaultLink() {
  Link link;
  const char *text = getenv("SHARD_RT_LINK");
  if (!text)
    return link;
  char *end = nullptr;
  double bandwidth = strtod(text, &end);
  if (end == text || *end != ',')
    return link;
  const char *second = end + 1;
  double latency = strtod(second, &end);
  bool isGood = end != second && *end == '\0' && bandwidth >= 0 &&
                latency >= 0 && latency < 1e3;
  return isGood ? Link{bandwidth, latency} : link;
}

namespace backend {

void escape(Device &device) {
  _longjmp(own ? own->exit : threadOf(device).exit, 1);
}

bool start(const Collective &c, std::function<void(Collective &)> move,
           int64_t bytes) {
  Progress *progress = progressOf(threadOf(c.device));
  if (!progress) {
    wait(c.device, nullptr);
    return false;
  }
  std::lock_guard<std::mutex> lock(progress->mutex);
  progress->tasks.push_back({c, std::move(move), bytes});
  progress->changed.notify_all();
  return true;
}

void wait(Device &device, const void *result) {
  Progress *progress = threadOf(device).progress.get();
  if (progress && progress != own && !hasEnded(*progress, result))
    escape(device);
}

void delay(Collective &c, int64_t bytes) {
  const RunOptions::Link &link = threadOf(c.device).run->options.link;
  if (c.group->size < 2 || c.call.kind == Kind::AllSlice ||
      (link.bandwidth <= 0 && link.latency <= 0))
    return;
  double seconds = link.latency;
  if (link.bandwidth > 0)
    seconds += double(bytes) / link.bandwidth;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

} // namespace backend

} // namespace runtime
} // namespace shard
