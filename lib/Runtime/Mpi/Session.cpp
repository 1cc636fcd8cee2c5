//===- Session.cpp - This process as a rank of an MPI program -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "../Common/Environment.h"
#include "Limit.h"
#include "Supervisor.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sys/prctl.h>
#include <unistd.h>

namespace shard {
namespace runtime {

namespace {

/// Of texts that travel in pieces, because MPI counts with 32 bits.
constexpr uint64_t kPieceBytes = uint64_t(1) << 30;

/// What a launcher says that the number of this rank will be; -1 if there is none.
int64_t rankByLauncher() {
  for (const char *variable :
       {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char *rank = getenv(variable))
      return atol(rank);
  return -1;
}

/// Ends this process. One rank is enough to say why, where the launcher ends the others
/// at once.
void endStart(const std::string &why) {
  constexpr int64_t kApartMicroseconds = 300000;
  usleep(std::clamp<int64_t>(rankByLauncher(), 0, 10) * kApartMicroseconds);
  printError(why);
  _exit(1);
}

/// Ends this process if a call of MPI at the start has failed, as it does when another
/// rank has died. The launcher ends the other ranks.
void checkStart(int code) {
  if (code == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  endStart("rank " + std::to_string(rankByLauncher()) +
           " cannot start, another rank may have died: MPI fails: " + text);
}

std::vector<std::string> gatherHosts(const Session &s) {
  // Longer names are cut. They are for messages and reports only.
  constexpr int kLength = 64;
  char mine[kLength] = {};
  gethostname(mine, kLength - 1);
  std::vector<char> all(size_t(kLength) * s.size);
  checkStart(MPI_Allgather(mine, kLength, MPI_CHAR, all.data(), kLength,
                           MPI_CHAR, s.world));
  std::vector<std::string> hosts;
  for (int i = 0; i < s.size; ++i)
    hosts.push_back(all.data() + size_t(i) * kLength);
  return hosts;
}

/// What tells two programs apart when nobody has said more: the bytes of the
/// executable.
std::string hashOfExecutable() {
  uint64_t hash = 14695981039346656037u;
  FILE *file = fopen("/proc/self/exe", "rb");
  if (!file)
    return std::string();
  std::vector<char> buffer(1 << 16);
  while (size_t n = fread(buffer.data(), 1, buffer.size(), file))
    for (size_t i = 0; i < n; ++i)
      hash = (hash ^ uint8_t(buffer[i])) * 1099511628211u;
  fclose(file);
  return "executable " + std::to_string(hash);
}

bool isWatchWanted() {
  const char *off = getenv("SHARD_RT_WATCH");
  return !(off && strcmp(off, "0") == 0);
}

double silenceSeconds() { return secondsOf("SHARD_RT_SILENCE", 10); }

void startWatch(Session &s) {
  WatchOptions options;
  options.rank = s.rank;
  options.size = s.size;
  options.hosts = s.hosts;
  options.silenceSeconds = silenceSeconds();
  options.timeoutSeconds = secondsOf("SHARD_RT_TIMEOUT", 600);
  uint64_t token =
      std::chrono::high_resolution_clock::now().time_since_epoch().count() ^
      uint64_t(getpid()) << 40;
  checkStart(MPI_Bcast(&token, 1, MPI_UINT64_T, 0, s.world));
  options.token = token;
  std::string addresses;
  if (s.rank == 0 && s.size > 1 && isWatchWanted())
    addresses = s.watch.listen(options);
  s.watch.connect(broadcastText(s, addresses), options);
  // The supervisor judges the ranks that it has heard of. One that stops before that keeps
  // the others here, where their time is limited.
  checkStart(MPI_Barrier(s.world));
}

/// How many times as long as a rank may be silent MPI_Finalize may take. All ranks
/// come to it within milliseconds, but MPI closes its connections there.
constexpr double kFinalizeSilences = 3;

void leaveMpi(Session &s) {
  s.ended = true;
  s.watch.setActivity(Activity::AtEnd, deviceOfRank(s, s.size));
  for (auto &entry : s.communicators)
    if (entry.second->comm != MPI_COMM_NULL)
      MPI_Comm_free(&entry.second->comm);
  // Rank 0 goes last: it watches the others.
  MPI_Barrier(s.world);
  std::optional<Limit> limit;
  if (s.size > 1 && isWatchWanted())
    limit.emplace(s.rank, kFinalizeSilences * silenceSeconds(),
                  "for the other ranks to end in MPI_Finalize", s.watch);
  s.watch.finish();
  MPI_Comm_free(&s.messages);
  MPI_Comm_free(&s.world);
  if (!s.ownsMpi)
    return;
  // In MPI_Finalize the launcher hears that this process is done; then it may end while
  // this process is stopped.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  MPI_Finalize();
}

/// At the end of the process: leaves MPI in good order, or not at all.
void atExit(int status, void *argument) {
  Session &s = *static_cast<Session *>(argument);
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (s.ended || finalized)
    return;
  if (status != 0 && !s.refused) {
    // The others must not wait for this rank.
    if (s.size > 1)
      s.watch.fail("rank " + std::to_string(s.rank) + " on " + s.host +
                   " has ended with exit code " + std::to_string(status));
    return;
  }
  leaveMpi(s);
}

Session *makeSession() {
  if (std::string problem = problemOfEnvironment(); !problem.empty())
    endStart(problem);
  auto *s = new Session();
  std::optional<Limit> limit;
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (!initialized) {
    if (isWatchWanted() && rankByLauncher() == 0)
      s->watch.prepare();
    if (rankByLauncher() >= 0)
      limit.emplace(rankByLauncher(), secondsOf("SHARD_RT_TIMEOUT", 600),
                    "for the other ranks to start", s->watch);
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) !=
        MPI_SUCCESS) {
      printError("MPI does not start");
      _exit(1);
    }
    s->ownsMpi = true;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  checkStart(MPI_Comm_dup(MPI_COMM_WORLD, &s->world));
  checkStart(MPI_Comm_dup(MPI_COMM_WORLD, &s->messages));
  if (s->ownsMpi)
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(s->world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(s->messages, MPI_ERRORS_RETURN);
  MPI_Comm_rank(s->world, &s->rank);
  MPI_Comm_size(s->world, &s->size);
  s->hosts = gatherHosts(*s);
  s->host = s->hosts[s->rank];
  s->program = hashOfExecutable();
  s->exchange.id = kExchangeGroup;
  for (int i = 0; i < s->size; ++i)
    s->exchange.devices.push_back(i);
  if (const char *mode = getenv("SHARD_RT_CHECK")) {
    if (strcmp(mode, "always") == 0)
      s->checks = Checks::Always;
    else if (strcmp(mode, "never") == 0)
      s->checks = Checks::Never;
  }
  startWatch(*s);
  on_exit(atExit, s);
  return s;
}

} // namespace

Session &session() {
  static Session *const s = makeSession();
  return *s;
}

void endSession() {
  if (!session().ended)
    leaveMpi(session());
}

std::vector<std::string> gatherTexts(const Session &s,
                                     const std::string &text) {
  uint64_t size = text.size();
  std::vector<uint64_t> sizes(s.size);
  MPI_Gather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, s.world);
  std::vector<std::string> texts(s.rank == 0 ? s.size : 0);
  if (s.rank == 0)
    texts[0] = text;
  for (int i = 1; i < s.size; ++i) {
    if (s.rank == 0)
      texts[i].resize(sizes[i]);
    else if (s.rank != i)
      continue;
    uint64_t end = s.rank == 0 ? sizes[i] : size;
    for (uint64_t at = 0; at < end; at += kPieceBytes) {
      int count = int(std::min(kPieceBytes, end - at));
      if (s.rank == 0)
        MPI_Recv(&texts[i][at], count, MPI_CHAR, i, 0, s.world,
                 MPI_STATUS_IGNORE);
      else
        MPI_Send(text.data() + at, count, MPI_CHAR, 0, 0, s.world);
    }
  }
  return texts;
}

std::string broadcastText(const Session &s, std::string text) {
  uint64_t size = text.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, s.world);
  text.resize(size);
  for (uint64_t at = 0; at < size; at += kPieceBytes)
    MPI_Bcast(&text[at], int(std::min(kPieceBytes, size - at)), MPI_CHAR, 0,
              s.world);
  return text;
}

int64_t deviceOfRank(const Session &s, int64_t numDevices) {
  for (int64_t device = 0; device < numDevices; ++device)
    if (s.rankOf(device) == s.rank)
      return device;
  return -1;
}

void endAllRanks(const std::string &message) {
  Session &s = session();
  s.watch.fail(message);
  printError(message);
  // MPI waits for nobody here.
  MPI_Abort(s.world, 1);
  _exit(1);
}

void checkMpi(Collective &c, int code) {
  if (code == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail(c.device, c.call, "MPI fails: %s", text);
}

} // namespace runtime
} // namespace shard
