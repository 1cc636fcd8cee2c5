//===- Run.cpp - Running a function on the ranks --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Supervisor.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace shard;
using namespace shard::runtime;

namespace {

/// Changes when ranks built from different sources cannot work together.
constexpr uint64_t kVersion = 2;

std::string lastError;
/// Set by the program before a session begins.
bool sessionBegun = false;

Session &begunSession() {
  sessionBegun = true;
  return session();
}

uint64_t hashOf(const void *data, size_t size) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<const uint8_t *>(data)[i]) * 1099511628211u;
  return hash;
}

std::string describeShape(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "without axes" : text;
}

std::string nameOf(const Session &s, int64_t rank) {
  return "rank " + std::to_string(rank) + " on " + s.hosts[rank];
}

/// What all ranks have to agree on before a run.
struct Agreement {
  uint64_t version, program, shape, devices;
  /// The number of Checks, and kRecords where the rank keeps records.
  uint64_t checks;
  static constexpr uint64_t kRecords = 16;
};

/// What the ranks do not agree on; empty if they agree. All ranks get the same
/// answer.
std::string compareRanks(Session &s, const std::vector<int64_t> &shape,
                         bool keepsRecords) {
  Agreement mine = {kVersion, hashOf(s.program.data(), s.program.size()),
                    hashOf(shape.data(), shape.size() * sizeof(int64_t)),
                    hashOf(s.ranks.data(), s.ranks.size() * sizeof(int64_t)),
                    uint64_t(s.checks) +
                        (keepsRecords ? Agreement::kRecords : 0)};
  constexpr int kWords = sizeof(Agreement) / sizeof(uint64_t);
  std::vector<Agreement> all(s.size);
  MPI_Allgather(&mine, kWords, MPI_UINT64_T, all.data(), kWords, MPI_UINT64_T,
                s.world);
  for (int64_t i = 1; i < s.size; ++i) {
    const Agreement &first = all[0], &other = all[i];
    const char *what =
        first.version != other.version   ? "another version"
        : first.program != other.program ? "another program"
        : first.shape != other.shape     ? "another grid"
        : first.devices != other.devices ? "another placement of devices"
        : first.checks % Agreement::kRecords !=
                other.checks % Agreement::kRecords
            ? "another check mode"
        : first.checks != other.checks ? "another function of the runtime"
                                       : nullptr;
    if (what)
      return nameOf(s, i) + " runs with " + what + " than " + nameOf(s, 0);
  }
  return std::string();
}

std::string checkShape(const Session &s, const std::vector<int64_t> &shape) {
  int64_t devices = 1;
  for (int64_t extent : shape) {
    if (extent < 1)
      return "a grid axis of extent " + std::to_string(extent) +
             " cannot be run";
    if (extent > INT32_MAX / devices)
      return "the grid " + describeShape(shape) + " is too large";
    devices *= extent;
  }
  if (int64_t(shape.size()) > kMaxRank)
    return "grids of more than " + std::to_string(kMaxRank) +
           " axes are not supported";
  if (devices != s.size)
    return "the grid " + describeShape(shape) + " has " +
           std::to_string(devices) + " devices, but there are " +
           std::to_string(s.size) + " ranks: start " + std::to_string(devices) +
           " (mpirun -n " + std::to_string(devices) + ")";
  if (!s.ranks.empty() && int64_t(s.ranks.size()) != devices)
    return std::to_string(s.ranks.size()) + " device ids for a grid of " +
           std::to_string(devices) + " devices";
  std::vector<int64_t> count(s.size);
  for (int64_t each : s.ranks)
    if (each >= 0 && each < s.size)
      ++count[each];
  for (int64_t rank = 0; rank < s.size && !s.ranks.empty(); ++rank)
    if (count[rank] != 1)
      return "device ids have to name every rank once, but rank " +
             std::to_string(rank) + " is named " + std::to_string(count[rank]) +
             " times";
  return std::string();
}

/// Messages that were sent and not received; all ranks come here.
std::string findLostMessage(Session &s) {
  RankDevice &device = *s.device;
  int64_t balance = 0;
  for (int64_t i = 0; i < s.size; ++i)
    balance += device.sent[i] - device.receivedFrom[i];
  MPI_Allreduce(MPI_IN_PLACE, &balance, 1, MPI_INT64_T, MPI_SUM, s.world);
  if (balance == 0)
    return std::string();
  // What every device has received from this one, by device.
  std::vector<int64_t> byRank(s.size), taken(s.size);
  for (int64_t i = 0; i < s.size; ++i)
    byRank[s.rankOf(i)] = device.receivedFrom[i];
  MPI_Alltoall(byRank.data(), 1, MPI_INT64_T, taken.data(), 1, MPI_INT64_T,
               s.world);
  std::string text;
  for (int64_t i = 0; i < s.size && text.empty(); ++i)
    if (device.sent[i] > taken[s.rankOf(i)])
      text = "what device " + std::to_string(device.index) + " has sent at " +
             device.sentAt[i] + " to device " + std::to_string(i) +
             " was never received";
  for (const std::string &each : gatherTexts(s, text))
    if (!each.empty())
      return each;
  return text.empty() ? "a message was never received" : text;
}

std::string encodeRecords(const std::vector<CallRecord> &records) {
  Writer writer;
  writer.number(records.size());
  for (const CallRecord &record : records) {
    writer.text(record.kind).text(record.location);
    writer.number(record.gridShape.size());
    for (int64_t extent : record.gridShape)
      writer.number(extent);
    writer.number(record.axes.size());
    for (int64_t axis : record.axes)
      writer.number(axis);
    uint64_t seconds;
    memcpy(&seconds, &record.seconds, sizeof(seconds));
    writer.number(record.count).number(record.bytes);
    writer.number(record.inputBytes).number(seconds);
  }
  return writer.bytes();
}

std::vector<CallRecord> decodeRecords(const std::string &text) {
  Reader reader(text);
  std::vector<CallRecord> records(reader.number());
  for (CallRecord &record : records) {
    record.kind = reader.text();
    record.location = reader.text();
    record.gridShape.resize(reader.number());
    for (int64_t &extent : record.gridShape)
      extent = reader.number();
    record.axes.resize(reader.number());
    for (int64_t &axis : record.axes)
      axis = reader.number();
    record.count = reader.number();
    record.bytes = reader.number();
    record.inputBytes = reader.number();
    uint64_t seconds = reader.number();
    memcpy(&record.seconds, &seconds, sizeof(seconds));
  }
  return records;
}

/// Rank 0's records are those of the run.
std::vector<CallRecord> collectRecords(Session &s) {
  const std::vector<CallRecord> &own = s.device->recorder.records();
  std::vector<std::vector<CallRecord>> byDevice(s.size);
  std::vector<std::string> texts = gatherTexts(s, encodeRecords(own));
  if (s.rank != 0)
    return mergeRecords({&own});
  std::vector<const std::vector<CallRecord> *> pointers;
  for (int64_t device = 0; device < s.size; ++device) {
    byDevice[device] = decodeRecords(texts[s.rankOf(device)]);
    pointers.push_back(&byDevice[device]);
  }
  return mergeRecords(pointers);
}

/// Makes the device of this rank ready; what is wrong with the grid, if it is.
std::string beginRun(Session &s, const std::vector<int64_t> &shape,
                     bool keepsRecords) {
  Call start;
  start.kind = Kind::Barrier;
  start.location = "the start of the run";
  int64_t index = deviceOfRank(s, s.size);
  s.watch.setActivity(Activity::Running, index);
  s.watch.beginCall(start, s.everybody);
  std::string problem = compareRanks(s, shape, keepsRecords);
  s.watch.endCall();
  if (problem.empty())
    problem = checkShape(s, shape);
  if (!problem.empty())
    return problem;

  // Communicators stay: devices keep their ranks on every grid.
  s.grid.shape = shape;
  for (auto &entry : s.communicators)
    entry.second->blockGathers.clear();
  s.device = std::make_unique<RankDevice>();
  RankDevice &device = *s.device;
  device.index = index;
  device.grid = &s.grid;
  device.keepsRecords = keepsRecords;
  device.sent.resize(s.size);
  device.receivedFrom.resize(s.size);
  device.sentAt.resize(s.size);
  s.comparing = s.checks == Checks::Always ||
                (s.checks == Checks::First && s.checkedProgram != s.program);
  return std::string();
}

} // namespace

RunReport shard::runtime::runOnRanks(const std::vector<int64_t> &shape,
                                     const std::function<void(int64_t)> &fn,
                                     bool keepsRecords) {
  using Clock = std::chrono::steady_clock;
  Session &s = begunSession();
  RunReport report;
  report.error = beginRun(s, shape, keepsRecords);
  s.refused = !report.error.empty();
  if (s.refused) {
    report.ok = false;
    s.watch.setActivity(Activity::Outside, -1);
    return report;
  }
  CallClock::calibrate();
  MPI_Barrier(s.world);
  Clock::time_point begin = Clock::now();
  fn(s.device->index);
  backend::wait(*s.device, nullptr);
  double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  report.secondsHere = seconds;
  report.secondsInCalls = s.device->recorder.seconds();

  s.watch.setActivity(Activity::AtEnd, s.device->index);
  std::string lost = findLostMessage(s);
  if (!lost.empty()) {
    if (s.rank == 0)
      endAllRanks(lost);
    MPI_Barrier(s.world);
  }
  for (std::unique_ptr<PendingSend> &each : s.device->pending)
    MPI_Waitall(2, each->requests, MPI_STATUSES_IGNORE);
  MPI_Allreduce(&seconds, &report.seconds, 1, MPI_DOUBLE, MPI_MAX, s.world);
  if (keepsRecords)
    report.calls = collectRecords(s);
  s.checkedProgram = s.program;
  s.device.reset();
  s.watch.setActivity(Activity::Outside, -1);
  return report;
}

namespace shard {
namespace runtime {
namespace backend {

Device *currentDevice() {
  return sessionBegun ? session().device.get() : nullptr;
}

void setError(Device &, const std::string &message) { endAllRanks(message); }

void escape(Device &) { _exit(1); }

void delay(Collective &, int64_t) {}

} // namespace backend
} // namespace runtime
} // namespace shard

int shard_rt_run(int64_t rank, const int64_t *shape,
                 void (*fn)(void *context, int64_t device), void *context) {
  RunReport report = runOnRanks(
      std::vector<int64_t>(shape, shape + rank),
      [=](int64_t device) { fn(context, device); },
      // There is no function to ask for them.
      /*keepsRecords=*/false);
  lastError = report.error;
  return report.ok ? 0 : 1;
}

const char *shard_rt_error(void) { return lastError.c_str(); }

void shard_rt_fail(const char *message) {
  if (!sessionBegun) {
    printError(message);
    exit(1);
  }
  Session &s = session();
  std::string who = nameOf(s, s.rank);
  if (s.device)
    who = "device " + std::to_string(s.device->index) + " (" + who + ")";
  endAllRanks(who + ": " + message);
}

int64_t shard_rt_num_processes(void) { return begunSession().size; }

int64_t shard_rt_process(void) { return begunSession().rank; }

void shard_rt_set_processes(int64_t count, const int64_t *processes) {
  Session &s = begunSession();
  s.ranks.assign(processes, processes + count);
  // Groups of devices are other ranks now.
  s.watch.forgetGroups();
  for (auto &entry : s.communicators)
    if (entry.second->comm != MPI_COMM_NULL)
      MPI_Comm_free(&entry.second->comm);
  s.communicators.clear();
}

void shard_rt_set_program(const char *name) { begunSession().program = name; }

void shard_rt_set_checks(int64_t mode) {
  begunSession().checks = mode == SHARD_RT_CHECK_ALWAYS  ? Checks::Always
                          : mode == SHARD_RT_CHECK_NEVER ? Checks::Never
                                                         : Checks::First;
}
