//===- Launcher.cpp - A launcher that does not end ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include "Supervisor.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace shard {
namespace runtime {

namespace {

/// What /proc/PID/stat tells of a process.
struct ProcessState {
  std::string name;
  char state = 'Z';
  pid_t parent = 0;
  uint64_t begin = 0;
};

/// False if there is no such process.
bool readState(pid_t process, ProcessState &state) {
  std::string path = "/proc/" + std::to_string(process) + "/stat";
  FILE *file = fopen(path.c_str(), "r");
  if (!file)
    return false;
  char text[1024] = {};
  size_t size = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  text[size] = '\0';
  // The name may have spaces and parentheses.
  char *open = strchr(text, '('), *close = strrchr(text, ')');
  if (!open || !close)
    return false;
  state.name.assign(open + 1, close);
  int parent = 0;
  unsigned long long begin = 0;
  // Fields 3, 4 and 22 of proc(5).
  if (sscanf(close + 1,
             " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
             "%*s %*s %*s %llu",
             &state.state, &parent, &begin) != 3)
    return false;
  state.parent = parent;
  state.begin = begin;
  return true;
}

bool isStopped(const ProcessState &state) { return state.state == 'T'; }
bool hasEnded(const ProcessState &state) {
  return state.state == 'Z' || state.state == 'X';
}

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// The stderr of `process`, or -1. This is the open file of that process where the system
/// lets this one have it: both then write at the same position. A file opened anew has a
/// position of its own, and the process would write over what was written there.
int openStderrOf(pid_t process) {
  int fd = -1;
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_getfd)
  int descriptor = syscall(SYS_pidfd_open, process, 0);
  if (descriptor >= 0) {
    fd = syscall(SYS_pidfd_getfd, descriptor, STDERR_FILENO, 0);
    close(descriptor);
  }
#endif
  if (fd >= 0)
    return fd;
  std::string path = "/proc/" + std::to_string(process) + "/fd/2";
  return open(path.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK);
}

} // namespace

bool isStoppedProcess(pid_t process) {
  ProcessState state;
  return readState(process, state) && isStopped(state);
}

LauncherGuard::LauncherGuard(pid_t launcher, double seconds)
    : process(0), seconds(seconds) {
  ProcessState state;
  if (!readState(launcher, state))
    return;
  for (const char *prefix : {"mpirun", "mpiexec", "orterun", "prterun"})
    if (state.name.compare(0, strlen(prefix), prefix) == 0)
      process = launcher;
  // What starts the ranks of MPICH on each host.
  isDaemon = state.name == "hydra_pmi_proxy";
  if (isDaemon)
    process = launcher;
  name = state.name;
  begin = state.begin;
}

bool LauncherGuard::isRunning() const {
  ProcessState state;
  return process > 0 && readState(process, state) && state.begin == begin &&
         !hasEnded(state);
}

bool LauncherGuard::isIdle(bool killStopped) const {
  ProcessState state;
  if (!readState(process, state) || isStopped(state))
    return false;
  DIR *folder = opendir("/proc");
  if (!folder)
    return false;
  bool runs = false, waits = false;
  while (dirent *entry = readdir(folder)) {
    pid_t number = atoi(entry->d_name);
    if (number <= 0 || !readState(number, state) || state.parent != process)
      continue;
    waits |= isStopped(state);
    if (isStopped(state) && killStopped)
      kill(number, SIGKILL);
    else
      runs |= !isStopped(state) && !hasEnded(state);
  }
  closedir(folder);
  // A daemon without ranks may wait for those of other hosts.
  return !runs && (waits || !isDaemon);
}

void LauncherGuard::say(const std::string &message) const {
  // To where the launcher writes: what this process has is read by the launcher.
  int fd = openStderrOf(process);
  if (fd < 0)
    return;
  std::string line = "error: " + message + "\n";
  // A pipe that is full, or a terminal that is stopped, does not stop this process.
  pollfd poller = {fd, POLLOUT, 0};
  if (poll(&poller, 1, 0) == 1 && (poller.revents & POLLOUT)) {
    ssize_t written = write(fd, line.data(), line.size());
    (void)written;
  }
  close(fd);
}

void LauncherGuard::check() {
  if (!isRunning())
    return;
  double passed = secondsSince(lastCheck);
  lastCheck = Clock::now();
  // After a stop of this process itself the clock begins anew.
  if (passed > kStopSeconds || !isIdle(false)) {
    idleSince = Clock::now();
    return;
  }
  // The next step is due after half as long again.
  if (secondsSince(idleSince) < (step == 0 ? seconds : seconds / 2))
    return;
  idleSince = Clock::now();
  if (step == 0) {
    say(name + " (process " + std::to_string(process) + ") has not ended for " +
        std::to_string(int64_t(seconds)) +
        " seconds after its ranks ended or stopped: it is ended");
    isIdle(true);
  } else {
    kill(process, step == 1 ? SIGTERM : SIGKILL);
  }
  ++step;
}

void LauncherGuard::waitForEnd() {
  constexpr int kChecksApart = 10, kMicroseconds = 50000;
  for (int i = 1; isRunning(); ++i) {
    usleep(kMicroseconds);
    if (i % kChecksApart == 0)
      check();
  }
}

} // namespace runtime
} // namespace shard
