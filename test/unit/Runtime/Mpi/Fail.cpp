//===- Fail.cpp - Ranks that go wrong -------------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mpirun -n N ShardMpiFail LIBRARY SCENARIO
//
// One way to go wrong a scenario; fail.py starts them and knows what has to
// come out.
//
//===----------------------------------------------------------------------===//

#include "Api.h"

#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

using namespace shard::test;

namespace {

/// A vector of f32 as a buffer of Runtime.h.
struct Vector {
  std::vector<float> values;
  std::vector<int64_t> words;

  explicit Vector(int64_t size) : values(size, 1) {
    words = {int64_t(reinterpret_cast<intptr_t>(values.data())), 0, 1, size, 1};
  }
  const int64_t *get() const { return words.data(); }
};

struct Test {
  Api api;
  int64_t ranks, rank;
  /// All devices, on one axis.
  std::vector<int64_t> all;
  /// Whether the ranks are at different calls in this run.
  bool isWrong = false;

  void allReduce(const char *place, int64_t size = 4, int64_t kind = 1) const {
    Vector in(size), out(size);
    api.all_reduce(place, all.data(), SHARD_RT_F32, in.get(), out.get(), kind);
  }
  void allGather(const char *place, int64_t in, int64_t out) const {
    Vector input(in), result(out);
    api.all_gather(place, all.data(), SHARD_RT_F32, input.get(), result.get(),
                   0);
  }
  void send(const char *place, int64_t to) const {
    Vector in(4);
    api.send(place, all.data(), SHARD_RT_F32, in.get(), &to);
  }
  void receive(const char *place, int64_t from, int64_t size = 4) const {
    Vector out(size);
    api.recv(place, all.data(), SHARD_RT_F32, out.get(), &from);
  }
  /// Every rank works for so long, then meets the others, again and again.
  void work(int64_t rounds) const {
    for (int64_t i = 0; i < rounds; ++i) {
      usleep(20000);
      allReduce("work.mlir:1:1");
    }
  }
};

/// Stops the supervisor beside rank 0: the process with this one's test token that neither
/// is a rank nor has their parent.
void stopSupervisor() {
  auto contentOf = [](const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  std::string token = getenv("SHARD_TEST_TOKEN");
  for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
    std::string folder = entry.path().string();
    pid_t process = atoi(entry.path().filename().c_str());
    if (process <= 0 ||
        contentOf(folder + "/environ").find(token) == std::string::npos)
      continue;
    // "... (name) state parent ..."
    std::string stat = contentOf(folder + "/stat");
    pid_t parent = 0;
    size_t end = stat.rfind(')');
    if (end == std::string::npos ||
        sscanf(&stat[end], ") %*c %d", &parent) != 1)
      continue;
    if (stat.find("(ShardMpiFail)") != std::string::npos &&
        process != getpid() && parent != getppid())
      kill(process, SIGSTOP);
  }
}

using Scenario = std::function<void(const Test &)>;

const std::map<std::string, Scenario> &scenarios() {
  static const std::map<std::string, Scenario> all = {
      {"none", [](const Test &t) { t.work(3); }},
      {"kind",
       [](const Test &t) {
         t.work(2);
         if (t.rank == 1)
           t.allGather("b.mlir:2:2", 2, 2 * t.ranks);
         else
           t.allReduce("a.mlir:1:1");
       }},
      {"place",
       [](const Test &t) {
         t.allReduce(t.rank == 1 ? "b.mlir:2:2" : "a.mlir:1:1");
       }},
      // Only a comparison of the calls finds this.
      {"check",
       [](const Test &t) {
         t.allReduce(t.isWrong && t.rank == 1 ? "b.mlir:2:2" : "a.mlir:1:1");
       }},
      {"size", [](const Test &t) { t.allReduce("a.mlir:1:1", 4 + t.rank); }},
      {"reduction",
       [](const Test &t) { t.allReduce("a.mlir:1:1", 4, 1 + t.rank); }},
      {"extents",
       [](const Test &t) { t.allGather("a.mlir:1:1", 2 + t.rank, 4); }},
      {"groups",
       [](const Test &t) {
         if (t.rank == 0)
           t.receive("a.mlir:1:1", 1);
         else
           t.allReduce("b.mlir:2:2");
       }},
      {"receive",
       [](const Test &t) { t.receive("a.mlir:1:1", (t.rank + 1) % t.ranks); }},
      {"ended",
       [](const Test &t) {
         if (t.rank != 1)
           t.allReduce("a.mlir:1:1");
       }},
      {"message",
       [](const Test &t) {
         if (t.rank == 0)
           t.send("a.mlir:1:1", 1);
         else if (t.rank == 1)
           t.receive("b.mlir:2:2", 0, 5);
       }},
      {"lost",
       [](const Test &t) {
         if (t.rank == 0)
           t.send("a.mlir:1:1", 1);
       }},
      {"fail",
       [](const Test &t) {
         t.work(2);
         if (t.rank == 1)
           t.api.fail("cannot read x.npy");
         t.allReduce("a.mlir:1:1");
       }},
      {"exit",
       [](const Test &t) {
         t.work(2);
         if (t.rank == 1)
           exit(3);
         t.allReduce("a.mlir:1:1");
       }},
      {"die",
       [](const Test &t) {
         t.work(20);
         if (t.rank == 1)
           raise(SIGKILL);
         t.work(1000);
       }},
      {"die0",
       [](const Test &t) {
         t.work(20);
         if (t.rank == 0)
           raise(SIGKILL);
         t.work(1000);
       }},
      {"stop",
       [](const Test &t) {
         t.work(20);
         if (t.rank == 1)
           raise(SIGSTOP);
         t.work(1000);
       }},
      {"stop0",
       [](const Test &t) {
         t.work(20);
         if (t.rank == 0)
           raise(SIGSTOP);
         t.work(1000);
       }},
      {"supervisor",
       [](const Test &t) {
         t.work(20);
         if (t.rank == 0)
           stopSupervisor();
         t.work(1000);
       }},
      {"supervisorAtEnd",
       [](const Test &t) {
         t.work(20);
         if (t.rank == 0)
           stopSupervisor();
       }},
      {"late",
       [](const Test &t) {
         if (t.rank == 1)
           sleep(60);
         t.allReduce("a.mlir:1:1");
       }},
  };
  return all;
}

const char *library = nullptr;
/// Stops in MPI_Finalize.
bool stopsAtEnd = false;
/// Stops when MPI and the runtime have been left.
bool stopsLast = false;
/// Stops after so many calls of MPI_Bcast: the last one of the start, behind which the
/// ranks connect to the supervisor, is the third.
int stopsAfterBroadcasts = 0;

template <typename Function>
Function *functionOfMpi(const char *name) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function *>(dlsym(handle, name));
}

bool isFirstForLauncher() {
  for (const char *variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char *rank = getenv(variable))
      return atoi(rank) == 0;
  return false;
}

} // namespace

/// The library finds these in place of MPI's. What is a number or a pointer, as an MPI
/// has it, is handed on as a word.
extern "C" int MPI_Finalize() {
  if (stopsAtEnd)
    raise(SIGSTOP);
  return functionOfMpi<int()>("PMPI_Finalize")();
}

extern "C" int MPI_Bcast(void *data, int count, intptr_t type, int root,
                         intptr_t comm) {
  int code = functionOfMpi<int(void *, int, intptr_t, int, intptr_t)>(
      "PMPI_Bcast")(data, count, type, root, comm);
  if (stopsAfterBroadcasts > 0 && --stopsAfterBroadcasts == 0)
    raise(SIGSTOP);
  return code;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  // Handlers run in the opposite order: after that of the runtime.
  atexit([] {
    if (stopsLast)
      raise(SIGSTOP);
  });
  Test test;
  library = argv[1];
  test.api = loadApi(library);
  std::string name = argv[2];
  if (name == "connect" && isFirstForLauncher())
    stopsAfterBroadcasts = 3;
  test.ranks = test.api.num_processes();
  test.rank = test.api.process();
  test.all = {1, test.ranks, 1, 0};
  std::vector<int64_t> shape = {test.ranks};
  if (name == "grid")
    shape = {test.ranks, 2};
  if (name == "program" && test.rank == 1)
    test.api.set_program("another one");
  if (name == "grids" && test.rank == 1)
    shape = {test.ranks, 1};
  if (name == "absent" && test.rank == 1)
    exit(4);
  stopsAtEnd = (name == "finalize" && test.rank == 1) ||
               (name == "finalize0" && test.rank == 0);
  stopsLast = name == "last" && test.rank == 1;
  if (name == "placement") {
    std::vector<int64_t> processes(test.ranks, 0);
    test.api.set_processes(processes.size(), processes.data());
  }
  // "check MODE", or "check, MODE" where the environment says the mode.
  bool checks = name.rfind("check", 0) == 0;
  for (auto [mode, number] : {std::pair{"first", SHARD_RT_CHECK_FIRST},
                              {"always", SHARD_RT_CHECK_ALWAYS},
                              {"never", SHARD_RT_CHECK_NEVER}})
    if (name == std::string("check ") + mode)
      test.api.set_checks(number);
  test.isWrong = name.find("never") != std::string::npos;
  auto scenario = scenarios().find(checks ? "check" : name);
  Scenario nothing = [](const Test &) {};
  struct Context {
    const Test &test;
    const Scenario &scenario;
  } context{test, scenario == scenarios().end() ? nothing : scenario->second};
  auto run = [&] {
    return test.api.run(
        shape.size(), shape.data(),
        [](void *argument, int64_t) {
          auto &context = *static_cast<Context *>(argument);
          context.scenario(context.test);
        },
        &context);
  };
  int code = run();
  if (code == 0 && checks) {
    test.isWrong = true;
    code = run();
  }
  if (code != 0) {
    if (test.rank == 0)
      fprintf(stderr, "error: %s\n", test.api.error());
    // In good order: all ranks know.
    return 1;
  }
  if (test.rank == 0)
    printf("done\n");
  return 0;
}
