//===- Run.cpp - Running a function on all devices ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/Environment.h"
#include "Rendezvous.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <thread>
#include <unistd.h>

using namespace shard;
using namespace shard::runtime;

namespace {

using Clock = std::chrono::steady_clock;

thread_local std::string lastError;

/// What a thread is started with.
struct Start {
  Run *run;
  ThreadDevice *device;
  const std::function<void(int64_t)> *fn;
};

/// Waits until all devices are there; false if the run failed before.
bool passGate(Run &run) {
  std::unique_lock<std::mutex> lock(run.mutex);
  ++run.ready;
  run.changed.notify_all();
  run.changed.wait(lock, [&] {
    return run.failed || run.ready > int64_t(run.devices.size());
  });
  return !run.failed;
}

void *deviceMain(void *argument) {
  Start &start = *static_cast<Start *>(argument);
  setCurrentDevice(start.device);
  if (passGate(*start.run) && _setjmp(start.device->exit) == 0)
    (*start.fn)(start.device->index);
  endProgress(*start.device);
  finish(*start.device);
  setCurrentDevice(nullptr);
  return nullptr;
}

std::string startThread(pthread_t &thread, Start &start) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, start.run->options.stackBytes);
  int code = pthread_create(&thread, &attributes, deviceMain, &start);
  pthread_attr_destroy(&attributes);
  if (code == 0)
    return std::string();
  return "cannot start the thread of device " +
         std::to_string(start.device->index) + ": " + strerror(code);
}

/// Messages that were sent and not received.
std::string findLostMessage(const Run &run) {
  for (const auto &entry : run.communicators)
    for (const auto &[ends, queue] : entry.second->messages)
      if (!queue.empty())
        return "what device " + std::to_string(entry.first[ends.first]) +
               " has sent at " + queue.front().location + " to device " +
               std::to_string(entry.first[ends.second]) + " was never received";
  return std::string();
}

/// Waits until `ended`; lets the run fail where its options say that it must not go on.
void waitOrStop(Run &run, std::unique_lock<std::mutex> &lock,
                const std::function<bool()> &ended) {
  if (!run.options.mayGoOn) {
    run.changed.wait(lock, ended);
    return;
  }
  while (!run.changed.wait_for(lock, std::chrono::milliseconds(50), ended)) {
    // The devices go on meanwhile.
    lock.unlock();
    bool mayGoOn = run.options.mayGoOn();
    lock.lock();
    if (!mayGoOn)
      setRunError(run, "stopped on request");
  }
}

/// Opens the gate and waits for the devices; the seconds they took.
double waitForDevices(Run &run, int64_t numStarted) {
  std::unique_lock<std::mutex> lock(run.mutex);
  run.changed.wait(lock, [&] { return run.failed || run.ready == numStarted; });
  ++run.ready;
  run.changed.notify_all();
  Clock::time_point begin = Clock::now();
  // Threads that were never started count as finished.
  run.finished += int64_t(run.devices.size()) - numStarted;
  auto done = [&] { return run.finished == int64_t(run.devices.size()); };
  waitOrStop(run, lock, [&] { return run.failed || done(); });
  double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::chrono::duration<double> grace(run.options.timeoutSeconds);
  if (!run.changed.wait_for(lock, grace, done)) {
    // A device that never comes to a collective can neither be cancelled nor
    // left alone: its memory is about to go.
    fprintf(stderr, "error: %s\n", run.error.c_str());
    fprintf(stderr, "note: a device did not stop within %g seconds\n",
            run.options.timeoutSeconds);
    _exit(1);
  }
  return seconds;
}

std::string checkShape(const std::vector<int64_t> &shape) {
  constexpr int64_t kMaxDevices = 4096;
  int64_t devices = 1;
  for (int64_t extent : shape) {
    if (extent < 1)
      return "a grid axis of extent " + std::to_string(extent) +
             " cannot be run";
    if (extent > kMaxDevices / devices)
      return "a grid of more than " + std::to_string(kMaxDevices) +
             " devices cannot be run as threads";
    devices *= extent;
  }
  if (int64_t(shape.size()) > kMaxRank)
    return "grids of more than " + std::to_string(kMaxRank) +
           " axes are not supported";
  return std::string();
}

/// What is wrong with the physical devices of `numDevices`, or nothing.
std::string checkDeviceIds(const std::vector<int64_t> &ids,
                           int64_t numDevices) {
  if (ids.empty())
    return std::string();
  if (int64_t(ids.size()) != numDevices)
    return std::to_string(ids.size()) + " device ids for a grid of " +
           std::to_string(numDevices) + " devices";
  // A single device may have any.
  std::vector<bool> seen(numDevices);
  for (int64_t id : ids) {
    if (numDevices > 1 && (id < 0 || id >= numDevices || seen[id]))
      return "device ids have to name every device once, but " +
             std::to_string(id) + " does not";
    if (numDevices > 1)
      seen[id] = true;
  }
  return std::string();
}

} // namespace

double RunOptions::defaultTimeout() {
  return secondsOfVariable("SHARD_RT_TIMEOUT").value_or(600);
}

RunReport shard::runtime::runOnGrid(const std::vector<int64_t> &shape,
                                    const std::function<void(int64_t)> &fn,
                                    const RunOptions &options) {
  RunReport report;
  report.error = checkShape(shape);
  if (report.error.empty())
    report.error = problemOfEnvironment();
  if (!report.error.empty()) {
    report.ok = false;
    return report;
  }

  Run run;
  run.grid.shape = shape;
  run.options = options;
  int64_t numDevices = run.grid.numDevices();
  const std::vector<int64_t> &ids = options.deviceIds;
  report.error = checkDeviceIds(ids, numDevices);
  if (!report.error.empty()) {
    report.ok = false;
    return report;
  }
  run.spins = numDevices <= int64_t(std::thread::hardware_concurrency());
  run.positions.resize(numDevices);
  for (int64_t i = 0; i < numDevices; ++i) {
    int64_t id = ids.empty() ? i : ids[i];
    run.positions[numDevices > 1 ? id : 0] = i;
    run.devices.push_back(std::make_unique<ThreadDevice>());
    run.devices.back()->run = &run;
    run.devices.back()->index = i;
    run.devices.back()->id = id;
    run.devices.back()->grid = &run.grid;
    run.devices.back()->keepsRecords = options.keepsRecords;
  }

  std::vector<Start> starts;
  for (std::unique_ptr<ThreadDevice> &device : run.devices)
    starts.push_back({&run, device.get(), &fn});
  std::vector<pthread_t> threads;
  for (Start &start : starts) {
    pthread_t thread;
    std::string problem = startThread(thread, start);
    if (!problem.empty()) {
      std::lock_guard<std::mutex> lock(run.mutex);
      setRunError(run, std::move(problem));
      break;
    }
    threads.push_back(thread);
  }
  report.seconds = report.secondsHere = waitForDevices(run, threads.size());
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);

  if (!run.failed) {
    std::string lost = findLostMessage(run);
    if (!lost.empty())
      setRunError(run, std::move(lost));
  }
  report.ok = !run.failed;
  report.error = run.error;
  std::vector<const std::vector<CallRecord> *> records;
  for (const std::unique_ptr<ThreadDevice> &device : run.devices) {
    records.push_back(&device->recorder.records());
    report.secondsInCalls =
        std::max(report.secondsInCalls, device->recorder.seconds());
  }
  report.calls = mergeRecords(records);
  return report;
}

int shard_rt_run(int64_t rank, const int64_t *shape,
                 void (*fn)(void *context, int64_t device), void *context) {
  RunOptions options;
  // There is no function to ask for them.
  options.keepsRecords = false;
  RunReport report = runOnGrid(
      std::vector<int64_t>(shape, shape + rank),
      [=](int64_t device) { fn(context, device); }, options);
  lastError = report.error;
  return report.ok ? 0 : 1;
}

const char *shard_rt_error(void) { return lastError.c_str(); }

void shard_rt_fail(const char *message) {
  Device *device = backend::currentDevice();
  if (!device) {
    fprintf(stderr, "error: %s\n", message);
    exit(1);
  }
  std::string name = "device " + std::to_string(device->index);
  if (int64_t id = threadOf(*device).id; id != device->index)
    name += " (physical device " + std::to_string(id) + ")";
  backend::setError(*device, name + ": " + message);
  backend::escape(*device);
}

int64_t shard_rt_num_processes(void) { return 1; }

int64_t shard_rt_process(void) { return 0; }

void shard_rt_set_processes(int64_t, const int64_t *) {}

void shard_rt_set_program(const char *) {}

void shard_rt_set_checks(int64_t) {}
