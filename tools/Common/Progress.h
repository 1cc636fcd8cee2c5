//===- Progress.h - What a tool does, on a terminal -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_COMMON_PROGRESS_H
#define SHARD_TOOLS_COMMON_PROGRESS_H

#include "shard/Codegen/Monitor.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace shard {

/// One line on the terminal that says what is being done and for how many seconds, as
/// soon as it takes two. Nothing where standard error is no terminal, where that has no
/// control sequences (TERM is unset or `dumb`), or where the tool runs in the background.
/// A process that mpirun has started writes to mpirun's terminal.
class Progress {
public:
  /// Nothing is ever shown unless `shows`.
  Progress(llvm::StringRef tool, bool shows);
  ~Progress();
  Progress(const Progress &) = delete;

  /// Tells the next step; empty where nothing is shown, so that work that nobody watches
  /// is not slower.
  Monitor monitor();

  /// Takes the line away, until the next step: something else is to be written.
  void hide();
  /// Takes it away for each diagnostic of `context`, which is told by the handler that is
  /// registered now. This object lives as long as `context` emits diagnostics.
  void hideForDiagnostics(mlir::MLIRContext &context);

private:
  using Clock = std::chrono::steady_clock;

  void show(llvm::StringRef work, llvm::StringRef step);
  /// Draws, as long as the tool runs.
  void draw();
  void write(llvm::StringRef text);

  std::string tool;
  /// The terminal; -1: there is none.
  int terminal = -1;
  /// The process group of who owns the terminal is in the foreground if this process has
  /// it: the launcher, or this one.
  int owner = 0;

  std::mutex mutex;
  std::condition_variable ended;
  bool ending = false;
  /// What to show; empty: nothing.
  std::string text, work;
  Clock::time_point workBegin;
  /// What is on the terminal.
  std::string drawn;
  std::thread thread;
};

} // namespace shard

#endif // SHARD_TOOLS_COMMON_PROGRESS_H
