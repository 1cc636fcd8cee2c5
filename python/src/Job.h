//===- Job.h - Long calls that Ctrl-C stops ---------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A long call runs on a thread of its own, without the interpreter lock. The thread of
// Python that made it waits, looks for signals, and calls the user's callback.
//
// If a signal or the callback raises an exception, the work is asked to stop. It stops
// before the next pass, or when every device comes to its next collective. If that takes
// longer than kPatience, the exception is raised all the same, and the work goes on
// until then by itself: it owns everything that it uses. The next call about the same
// program waits for it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PYTHON_JOB_H
#define SHARD_PYTHON_JOB_H

#include "shard-c/Program.h"

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace shard::python {

constexpr std::chrono::milliseconds kPatience(2000), kPoll(50);

class Job {
public:
  /// The threads that are at work, those that nobody waits for included.
  static std::atomic<int> &running() {
    static std::atomic<int> count{0};
    return count;
  }

  /// Runs `work` while `busy` is locked. `progress` is None or a function that takes
  /// the work and the step, as ShardMonitor does. `work` may be destroyed on any
  /// thread, without the interpreter lock.
  static void perform(std::shared_ptr<std::mutex> busy,
                      nanobind::object progress,
                      std::function<void(ShardMonitor)> work) {
    auto job = std::make_shared<Job>();
    job->reported = !progress.is_none();
    ++running();
    std::thread([job, busy, work = std::move(work)]() mutable {
      {
        std::lock_guard<std::mutex> lock(*busy);
        work({&Job::step, job.get()});
      }
      // What the call shares with this thread is the call's alone from here on.
      work = nullptr;
      --running();
      std::lock_guard<std::mutex> lock(job->mutex);
      job->done = true;
      job->changed.notify_all();
    }).detach();
    try {
      while (!job->look(progress))
        if (PyErr_CheckSignals() != 0)
          throw nanobind::python_error();
    } catch (...) {
      job->stop = true;
      nanobind::gil_scoped_release release;
      std::unique_lock<std::mutex> lock(job->mutex);
      job->changed.wait_for(lock, kPatience, [&] { return job->done; });
      throw;
    }
  }

private:
  static bool step(MlirStringRef work, MlirStringRef step, void *self) {
    Job &job = *static_cast<Job *>(self);
    if (job.reported) {
      std::pair<std::string, std::string> report{
          std::string(work.data, work.length),
          std::string(step.data, step.length)};
      std::lock_guard<std::mutex> lock(job.mutex);
      if (job.last != report) {
        job.last = report;
        job.reports.push_back(std::move(report));
        job.changed.notify_all();
      }
    }
    return !job.stop;
  }

  /// Waits for news for a while, and hands them on; whether the work is done.
  bool look(const nanobind::object &progress) {
    std::vector<std::pair<std::string, std::string>> news;
    bool isDone;
    {
      nanobind::gil_scoped_release release;
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait_for(lock, kPoll, [&] { return done || !reports.empty(); });
      news.swap(reports);
      isDone = done;
    }
    for (const auto &[work, step] : news)
      progress(work, step);
    return isDone;
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool done = false, reported = false;
  std::atomic<bool> stop{false};
  std::vector<std::pair<std::string, std::string>> reports;
  std::pair<std::string, std::string> last;
};

} // namespace shard::python

#endif // SHARD_PYTHON_JOB_H
