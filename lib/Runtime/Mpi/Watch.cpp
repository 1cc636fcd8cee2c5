//===- Watch.cpp - Who has died, was stopped, or waits in vain ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watch.h"

#include "Session.h"
#include "Supervisor.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <unistd.h>

namespace shard {
namespace runtime {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Set by the handler of SIGTERM: a launcher ends all ranks when one has ended.
/// The watch gets a moment to say why.
std::atomic<bool> terminated{false};
static_assert(std::atomic<bool>::is_always_lock_free, "used by a handler");

/// How many times as long as a rank the supervisor may be silent: on a busy machine
/// it may get no processor for seconds, and then it is to judge first.
constexpr double kSupervisorSilences = 2;

void handleTermination(int) { terminated = true; }

} // namespace

bool isTerminated() { return terminated; }

void printError(const std::string &message) {
  std::string line = "error: " + message + "\n";
  // In one piece, and without stdio: another thread may hold its lock.
  ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  (void)written;
}

std::string Status::encode() const {
  Writer writer;
  writer.number(uint64_t(ControlMessage::Status));
  writer.number(uint64_t(activity)).number(device).number(version).text(call);
  writer.number(group).number(waitsFor).number(sequence);
  writer.number(devices.size());
  for (int64_t each : devices)
    writer.number(each);
  writer.number(entered.size());
  for (auto [id, count] : entered)
    writer.number(id).number(count);
  return writer.bytes();
}

Status Status::decode(Reader &reader) {
  Status status;
  status.activity = Activity(reader.number());
  status.device = reader.number();
  status.version = reader.number();
  status.call = reader.text();
  status.group = reader.number();
  status.waitsFor = reader.number();
  status.sequence = reader.number();
  constexpr uint64_t kMax = 1 << 17;
  for (uint64_t i = 0, e = std::min(reader.number(), kMax); i < e; ++i)
    status.devices.push_back(reader.number());
  for (uint64_t i = 0, e = std::min(reader.number(), kMax); i < e; ++i) {
    uint64_t id = reader.number();
    status.entered.emplace_back(id, reader.number());
  }
  return status;
}

Watch::Watch() = default;
Watch::~Watch() { finish(); }

void Watch::prepare() { supervisorProcess.start(); }

std::string Watch::listen(const WatchOptions &options) {
  if (supervisorProcess.configure(options))
    return supervisorProcess.addresses();
  std::string addresses;
  int fd = listenOnHost(addresses);
  if (fd < 0)
    return std::string();
  supervisor = std::make_unique<Supervisor>(fd, options);
  supervisorThread = std::thread([this] { supervisor->run(); });
  return addresses;
}

void Watch::connect(const std::string &addresses,
                    const WatchOptions &watchOptions) {
  options = watchOptions;
  if (addresses.empty() || options.rank != 0)
    supervisorProcess.disconnect();
  if (addresses.empty())
    return;
  connection = connectTo(addresses);
  if (!connection.isOpen()) {
    fprintf(
        stderr,
        "note: rank %lld on %s cannot connect to rank 0 on %s: that it dies "
        "or stops will not be noticed\n",
        static_cast<long long>(options.rank),
        options.hosts[options.rank].c_str(), options.hosts[0].c_str());
    return;
  }
  Writer hello;
  hello.number(uint64_t(ControlMessage::Hello));
  hello.number(options.token).number(options.rank).number(getpid());
  connection.send(hello.bytes());
  connected = true;

  struct sigaction action = {}, old = {};
  if (sigaction(SIGTERM, nullptr, &old) == 0 && old.sa_handler == SIG_DFL) {
    action.sa_handler = handleTermination;
    action.sa_flags = SA_RESTART;
    sigaction(SIGTERM, &action, nullptr);
  }
  thread = std::thread([this] { watch(); });
}

void Watch::beginCall(const Call &newCall, Communicator &newGroup,
                      int64_t position) {
  std::lock_guard<Latch> lock(latch);
  if (!newGroup.watched)
    groups.push_back(&newGroup);
  newGroup.watched = true;
  newGroup.entered += position == kWaitsForAll;
  call = &newCall;
  group = &newGroup;
  waitsFor = position;
  sequence = newGroup.entered;
  activity = Activity::Calling;
  ++version;
}

void Watch::resumeCall(const Call &newCall, Communicator &newGroup,
                       uint64_t newSequence) {
  std::lock_guard<Latch> lock(latch);
  call = &newCall;
  group = &newGroup;
  waitsFor = kWaitsForAll;
  sequence = newSequence;
  activity = Activity::Calling;
  ++version;
}

void Watch::endCall() {
  std::lock_guard<Latch> lock(latch);
  lastKind = kindName(call->kind);
  lastLocation = call->location;
  call = nullptr;
  activity = Activity::Running;
  ++version;
}

void Watch::setActivity(Activity newActivity, int64_t newDevice) {
  std::unique_lock<Latch> lock(latch);
  activity = newActivity;
  device = newDevice;
  call = nullptr;
  if (activity == Activity::Outside)
    lastKind = lastLocation = nullptr;
  ++version;
  lock.unlock();
  if (connected)
    tell(status().encode());
}

void Watch::forgetGroups() {
  std::lock_guard<Latch> lock(latch);
  groups.clear();
  group = nullptr;
}

Status Watch::status() {
  std::lock_guard<Latch> lock(latch);
  Status status;
  status.activity = activity;
  status.device = device;
  status.version = version;
  if (call) {
    status.call = describeCall(*call);
    status.group = group->id;
    status.devices = group->devices;
    status.waitsFor = waitsFor;
    status.sequence = sequence;
  } else if (lastKind) {
    status.call =
        std::string(lastKind) + " at " + (lastLocation ? lastLocation : "?");
  }
  for (const Communicator *each : groups)
    status.entered.emplace_back(each->id, each->entered);
  return status;
}

void Watch::tell(const std::string &message) {
  std::lock_guard<std::mutex> lock(sending);
  connection.send(message);
}

void Watch::fail(const std::string &message) {
  if (!connected)
    return;
  // With the call: what the supervisor knows of it may be old.
  tell(status().encode());
  tell(Writer().number(uint64_t(ControlMessage::Fail)).text(message).bytes());
  // The watch ends this process when the supervisor answers. Without an answer for
  // five seconds the process ends by itself.
  constexpr int kWaits = 500, kWaitMicroseconds = 10000;
  for (int i = 0; i < kWaits; ++i)
    usleep(kWaitMicroseconds);
  supervisorProcess.killIfStopped();
  printError(message);
  _exit(1);
}

void Watch::watch() {
  uint64_t toldVersion = 0;
  Clock::time_point lastTold = Clock::now(), lastHeard = lastTold;
  Clock::time_point lastLoop = lastTold, termination = lastTold;
  bool terminating = false;
  std::string zero = "the supervisor beside rank 0 on " + options.hosts[0];
  while (!finished) {
    pollfd poller = {connection.descriptor(), POLLIN, 0};
    poll(&poller, 1, 50);
    if (finished)
      return;
    // After a stop of this process itself, all clocks begin anew.
    if (secondsSince(lastLoop) > kStopSeconds)
      lastHeard = Clock::now();
    lastLoop = Clock::now();

    std::vector<std::string> messages;
    bool alive = connection.receive(messages);
    for (const std::string &message : messages) {
      lastHeard = Clock::now();
      Reader reader(message);
      if (reader.number() == uint64_t(ControlMessage::End))
        _exit(1);
    }
    bool silent =
        secondsSince(lastHeard) > kSupervisorSilences * options.silenceSeconds;
    if (!alive || silent) {
      // Rank 0 kills the supervisor first: a launcher may kill rank 0 as soon as another
      // rank has ended.
      if (silent) {
        supervisorProcess.kill();
        usleep(500000);
      }
      // One rank is enough to say it; the others stand in for it. Open MPI takes more
      // than half a second to end them.
      if (options.rank != 1)
        usleep(2000000);
      if (!terminated)
        printError(silent ? zero + " does not answer: it was stopped, or its "
                                   "host cannot be reached"
                          : zero + " has died");
      _exit(1);
    }
    if (terminated && !terminating) {
      terminating = true;
      termination = Clock::now();
    }
    if (terminating && secondsSince(termination) > 0.6) {
      supervisorProcess.killIfStopped();
      _exit(128 + SIGTERM);
    }

    if (secondsSince(lastTold) < 0.25)
      continue;
    lastTold = Clock::now();
    bool isNew;
    {
      std::lock_guard<Latch> lock(latch);
      isNew = version != toldVersion;
      toldVersion = version;
    }
    tell(isNew ? status().encode()
               : Writer().number(uint64_t(ControlMessage::Pulse)).bytes());
  }
}

void Watch::finish() {
  if (!connected)
    return;
  // First: rank 0 may close the connection as soon as all have said good-bye.
  finished = true;
  tell(Writer().number(uint64_t(ControlMessage::Bye)).bytes());
  connected = false;
  thread.join();
  supervisorProcess.finish(kSupervisorSilences * options.silenceSeconds);
  if (supervisor) {
    supervisor->expectNoMore();
    supervisorThread.join();
    supervisor.reset();
  }
  connection.close();
  if (terminated)
    _exit(128 + SIGTERM);
  signal(SIGTERM, SIG_DFL);
}

} // namespace runtime
} // namespace shard
