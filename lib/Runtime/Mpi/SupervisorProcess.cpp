//===- SupervisorProcess.cpp - The process beside rank 0 ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SupervisorProcess.h"

#include "Launcher.h"
#include "Limit.h"
#include "Supervisor.h"

#include <chrono>
#include <csignal>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shard {
namespace runtime {

namespace {

/// In the supervisor's process.
LauncherGuard *guard = nullptr;

/// Closes what the process of the rank had open, but for stderr: a launcher
/// tells by closed pipes that a rank has ended.
void closeOthers(int listener, int parent) {
  // Higher numbers are left open: where the system allows millions, to close each
  // would take seconds, and no process of a run has so many files.
  constexpr int kMaxFiles = 65536;
  rlimit limit;
  int last = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < kMaxFiles
                 ? int(limit.rlim_cur)
                 : kMaxFiles;
  for (int fd = 0; fd < last; ++fd)
    if (fd != STDERR_FILENO && fd != listener && fd != parent)
      close(fd);
}

[[noreturn]] void runSupervisorProcess(int listener, int parent,
                                       pid_t launcher) {
  // In no process group that a launcher or a terminal signals; it ends when the
  // ranks do.
  setsid();
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  closeOthers(listener, parent);
  LauncherGuard launcherGuard(launcher, secondsOf("SHARD_RT_SILENCE", 10));
  guard = &launcherGuard;
  Connection connection(parent);
  std::vector<std::string> messages;
  while (messages.empty()) {
    pollfd poller = {parent, POLLIN, 0};
    // Rank 0 may be stopped, and the launcher wait for it.
    poll(&poller, 1, 500);
    guard->check();
    if (!connection.receive(messages) && messages.empty())
      leaveSupervisor(0);
  }
  Reader reader(messages.front());
  WatchOptions options;
  options.size = reader.number();
  options.token = reader.number();
  options.silenceSeconds = double(reader.number()) / 1e6;
  options.timeoutSeconds = double(reader.number()) / 1e6;
  for (int64_t i = 0; i < options.size; ++i)
    options.hosts.push_back(reader.text());
  {
    // Closes the connections at its end.
    Supervisor supervisor(listener, options);
    supervisor.watchParent(std::move(connection));
    supervisor.run();
    // Before the connection to rank 0: when that is closed, nothing keeps the
    // launcher from its end.
    close(STDERR_FILENO);
  }
  leaveSupervisor(0);
}

} // namespace

[[noreturn]] void leaveSupervisor(int code) {
  if (guard) {
    // The launcher waits until nobody can write to it any more.
    close(STDERR_FILENO);
    guard->waitForEnd();
  }
  _exit(code);
}

void SupervisorProcess::start() {
  int listener = listenOnHost(listensOn);
  if (listener < 0)
    return;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
                 ends) != 0) {
    close(listener);
    return;
  }
  pid_t launcher = getppid();
  pid_t child = fork();
  if (child == 0) {
    // Once more, so that the rank is not its parent: nobody waits for it.
    pid_t number = fork();
    if (number != 0) {
      ssize_t written = write(ends[1], &number, sizeof(number));
      _exit(written == sizeof(number) && number > 0 ? 0 : 1);
    }
    runSupervisorProcess(listener, ends[1], launcher);
  }
  close(listener);
  close(ends[1]);
  int status = 1;
  if (child > 0)
    waitpid(child, &status, 0);
  if (status != 0 ||
      read(ends[0], &process, sizeof(process)) != sizeof(process)) {
    process = 0;
    close(ends[0]);
    return;
  }
  connection = Connection(ends[0]);
}

bool SupervisorProcess::configure(const WatchOptions &options) {
  Writer writer;
  writer.number(options.size).number(options.token);
  writer.number(uint64_t(options.silenceSeconds * 1e6));
  writer.number(uint64_t(options.timeoutSeconds * 1e6));
  for (const std::string &host : options.hosts)
    writer.text(host);
  return connection.isOpen() && connection.send(writer.bytes());
}

bool SupervisorProcess::hasClosed() {
  std::vector<std::string> ignored;
  return !connection.isOpen() || !connection.receive(ignored);
}

void SupervisorProcess::kill() {
  // Not closed by the other end: the number is still that of the process.
  if (!hasClosed())
    ::kill(process, SIGKILL);
  connection.close();
}

void SupervisorProcess::killIfStopped() {
  if (!hasClosed() && isStoppedProcess(process))
    kill();
}

void SupervisorProcess::finish(double seconds) {
  if (!connection.isOpen())
    return;
  // The other end sees that this one is done, and closes when it is done too.
  shutdown(connection.descriptor(), SHUT_WR);
  using Clock = std::chrono::steady_clock;
  constexpr int kStepMilliseconds = 50;
  Clock::time_point begin = Clock::now();
  while (!hasClosed()) {
    if (std::chrono::duration<double>(Clock::now() - begin).count() > seconds) {
      killIfStopped();
      break;
    }
    pollfd poller = {connection.descriptor(), POLLIN, 0};
    poll(&poller, 1, kStepMilliseconds);
  }
  connection.close();
}

} // namespace runtime
} // namespace shard
