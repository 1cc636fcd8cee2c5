//===- Processes.cpp - The session for a program that loads this library --===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Processes.h"

#include "Session.h"

#include "shard/Runtime/Runtime.h"
#include "shard/Runtime/Symbols.h"

#include <pthread.h>

using namespace shard;
using namespace shard::runtime;

namespace {

/// What compiled code may take, as in the thread back end.
constexpr size_t kStackBytes = size_t(64) << 20;

struct Start {
  const std::function<void(int64_t)> &fn;
  int64_t device;
};

/// Calls fn(device) in a thread of its own, if MPI may be called from there.
void runOnLargeStack(const std::function<void(int64_t)> &fn, int64_t device) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  Start start{fn, device};
  pthread_t thread;
  auto call = [](void *argument) -> void * {
    auto &start = *static_cast<Start *>(argument);
    start.fn(start.device);
    return nullptr;
  };
  bool runs = level >= MPI_THREAD_SERIALIZED &&
              pthread_create(&thread, &attributes, call, &start) == 0;
  pthread_attr_destroy(&attributes);
  if (runs)
    pthread_join(thread, nullptr);
  else
    fn(device);
}

/// Calls `fn`, in which all ranks meet. A rank that has ended instead is noticed.
template <typename Fn>
auto exchange(Fn fn) {
  Session &s = session();
  Call call;
  call.kind = Kind::Barrier;
  call.location = "an exchange of all processes";
  s.watch.setActivity(Activity::Running, deviceOfRank(s, s.size));
  s.watch.beginCall(call, s.exchange);
  auto result = fn(s);
  s.watch.endCall();
  s.watch.setActivity(Activity::Outside, -1);
  return result;
}

class MpiProcesses : public Processes {
public:
  int64_t count() const override { return session().size; }
  int64_t number() const override { return session().rank; }
  std::string host(int64_t number) const override {
    return session().hosts[number];
  }
  std::vector<std::pair<const char *, void *>> symbols() const override {
    return runtimeSymbols();
  }
  std::vector<std::pair<const char *, void *>> mpiSymbols() const override {
    return runtime::mpiSymbols();
  }
  std::string mpiName() const override { return runtime::mpiName(); }
  void setProgram(const std::string &text) override {
    session().program = text;
  }
  void place(const std::vector<int64_t> &processes) override {
    if (session().ranks != processes)
      shard_rt_set_processes(static_cast<int64_t>(processes.size()),
                             processes.data());
  }
  RunReport run(const std::vector<int64_t> &shape,
                const std::function<void(int64_t)> &fn) override {
    return runOnRanks(
        shape, [&](int64_t device) { runOnLargeStack(fn, device); },
        /*keepsRecords=*/true);
  }
  std::vector<std::string> gather(const std::string &bytes) override {
    return exchange([&](Session &s) { return gatherTexts(s, bytes); });
  }
  std::string broadcast(const std::string &bytes) override {
    return exchange([&](Session &s) { return broadcastText(s, bytes); });
  }
  void endTogether() override { session().refused = true; }
  void leave() override { endSession(); }
  [[noreturn]] void fail(const std::string &message) override {
    const Session &s = session();
    endAllRanks("rank " + std::to_string(s.rank) + " on " + s.host + ": " +
                message);
  }
};

} // namespace

extern "C" Processes *shard_rt_processes(void) {
  // So that the session is known to have begun.
  shard_rt_process();
  static MpiProcesses processes;
  return &processes;
}
