//===- Processes.h - Devices as processes of an MPI program --- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a program that links the thread back end runs as a rank of an MPI program:
// it finds out that a launcher has started it, loads the library for the
// launcher's MPI, and calls it through this interface. Nothing here needs MPI to
// build.
//
//   if (processes = Processes::load(Processes::launcher(), error)) {
//     ... compile, with processes->symbols() ...
//     if (!processes->startTogether(problem))
//       return 1;      // a process has a problem: nobody runs
//     report = processes->run({2, 4}, [&](int64_t device) { ... });
//     results = processes->gather(bytes);
//   }
//
// All functions but those that say otherwise are to be called by all processes,
// in the same order, by one thread.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RUNTIME_PROCESSES_H
#define SHARD_RUNTIME_PROCESSES_H

#include "shard/Runtime/Report.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace shard {
namespace runtime {

class Processes {
public:
  virtual ~Processes() = default;

  /// "openmpi" or "mpich" if the environment says that a launcher of that MPI has
  /// started this process as one of several; else empty. Callable alone.
  static std::string launcher();

  /// Loads libshard_rt_`mpi`.so and begins its session; lives as long as the
  /// process. Looks for it in $SHARD_RT_LIBRARY (the path of the file), then in
  /// `folder` and in ../lib of it, then where the system looks. Null with
  /// `error` if that fails.
  static Processes *load(const std::string &mpi, const std::string &folder,
                         std::string &error);

  /// Callable alone: how many there are, which one this is, and where each runs.
  virtual int64_t count() const = 0;
  virtual int64_t number() const = 0;
  virtual std::string host(int64_t number) const = 0;
  /// Name and address of every function of Runtime.h. Callable alone.
  virtual std::vector<std::pair<const char *, void *>> symbols() const = 0;
  /// mpiSymbols() and mpiName() of Symbols.h. Callable alone.
  virtual std::vector<std::pair<const char *, void *>> mpiSymbols() const = 0;
  virtual std::string mpiName() const = 0;

  /// What tells this program from others (shard_rt_set_program). Callable alone.
  virtual void setProgram(const std::string &text) = 0;

  /// Places devices: the device at position i runs in process `processes[i]`; in
  /// process i if the list is empty. Holds from the next run on.
  virtual void place(const std::vector<int64_t> &processes) = 0;

  /// Runs `fn` for the device of this process. A failure during the run ends all
  /// processes. Process 0 gets the records of all devices.
  virtual RunReport run(const std::vector<int64_t> &shape,
                        const std::function<void(int64_t device)> &fn) = 0;

  /// The bytes of every process, by number; at process 0 only.
  virtual std::vector<std::string> gather(const std::string &bytes) = 0;
  /// The bytes of process 0.
  virtual std::string broadcast(const std::string &bytes) = 0;

  /// All processes are about to exit with the same code: nobody waits in vain.
  virtual void endTogether() = 0;
  /// Ends the session before the process ends, as its end would: for programs that
  /// finalize MPI themselves. No other function may be called after it.
  virtual void leave() = 0;
  /// Prints "error: " and `message`, with the name of this process, and ends all
  /// processes with exit code 1. Callable alone.
  [[noreturn]] virtual void fail(const std::string &message) = 0;

  /// Whether no process has a problem. Process 0's `problem` becomes the first
  /// one of another process, with its name, where it has none itself.
  bool startTogether(std::string &problem);
  /// Whether startTogether was called since the last `expectStart`.
  bool hasStarted() const { return started; }
  /// Another run is to follow.
  void expectStart() { started = false; }

private:
  bool started = false;
};

} // namespace runtime
} // namespace shard

#endif // SHARD_RUNTIME_PROCESSES_H
