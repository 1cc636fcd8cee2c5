//===- Progress.cpp - What a tool does, on a terminal ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mpirun starts has a pipe as its standard error, from which mpirun copies to its
// own. A line that is drawn again and again must not go through that pipe: mpirun may hand
// on to a file what is meant for eyes. So the process finds the launcher that reads its
// pipe, and writes to the terminal that this one has.
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace shard;

/// After so long the line appears, and a text may be so old.
static constexpr std::chrono::milliseconds kSilence(2000), kApart(250);

namespace {
/// What /proc/PID/stat tells of a process.
struct ProcessState {
  std::string name;
  int parent = 0, group = 0, foreground = 0;
};
} // namespace

static bool readState(int process, ProcessState &state) {
  std::string path = "/proc/" + std::to_string(process) + "/stat";
  FILE *file = std::fopen(path.c_str(), "r");
  if (!file)
    return false;
  char text[1024] = {};
  size_t size = std::fread(text, 1, sizeof(text) - 1, file);
  std::fclose(file);
  text[size] = '\0';
  // The name may have spaces and parentheses.
  char *open = std::strchr(text, '('), *close = std::strrchr(text, ')');
  if (!open || !close)
    return false;
  state.name.assign(open + 1, close);
  return std::sscanf(close + 1, " %*c %d %d %*d %*d %d", &state.parent,
                     &state.group, &state.foreground) == 3;
}

static bool isLauncher(llvm::StringRef name) {
  for (llvm::StringRef prefix :
       {"mpirun", "mpiexec", "orterun", "prterun", "hydra_pmi_proxy"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

/// What a file descriptor of a process is; empty if that cannot be known.
static std::string linkOf(const std::string &path) {
  char target[256];
  ssize_t size = readlink(path.c_str(), target, sizeof(target));
  return size < 0 ? std::string() : std::string(target, size);
}

/// Whether `process` has the pipe or socket that is this process's standard error.
static bool readsOurs(int process) {
  std::string ours = linkOf("/proc/self/fd/2");
  if (!llvm::StringRef(ours).starts_with("pipe:") &&
      !llvm::StringRef(ours).starts_with("socket:"))
    return false;
  std::string folder = "/proc/" + std::to_string(process) + "/fd";
  DIR *files = opendir(folder.c_str());
  if (!files)
    return false;
  bool found = false;
  while (dirent *file = readdir(files))
    found |= linkOf(folder + "/" + file->d_name) == ours;
  closedir(files);
  return found;
}

/// The process whose standard error this one writes to: the launcher of all launchers, if
/// the nearest one copies what it reads from here; else this process.
static int ownerOfStandardError() {
  int found = 0;
  ProcessState state;
  for (int process = getppid(); process > 1 && readState(process, state);
       process = state.parent) {
    if (isLauncher(state.name)) {
      if (!found && !readsOurs(process))
        return getpid();
      found = process;
    } else if (found) {
      break;
    }
  }
  return found ? found : getpid();
}

Progress::Progress(llvm::StringRef tool, bool shows) : tool(tool.str()) {
  const char *type = std::getenv("TERM");
  if (!shows || !type || !*type || llvm::StringRef(type) == "dumb")
    return;
  owner = ownerOfStandardError();
  std::string path = "/proc/" + std::to_string(owner) + "/fd/2";
  int file = open(path.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return;
  if (!isatty(file)) {
    close(file);
    return;
  }
  terminal = file;
  thread = std::thread([this] { draw(); });
}

Progress::~Progress() {
  if (terminal < 0)
    return;
  hide();
  {
    std::lock_guard<std::mutex> lock(mutex);
    ending = true;
  }
  ended.notify_all();
  thread.join();
  close(terminal);
}

Monitor Progress::monitor() {
  if (terminal < 0)
    return {};
  return [this](llvm::StringRef work, llvm::StringRef step) {
    show(work, step);
    return true;
  };
}

void Progress::show(llvm::StringRef newWork, llvm::StringRef step) {
  std::lock_guard<std::mutex> lock(mutex);
  if (work != newWork)
    workBegin = Clock::now();
  work = newWork.str();
  text = tool + ": " + work + (step.empty() ? "" : " " + step.str());
}

void Progress::hide() {
  std::lock_guard<std::mutex> lock(mutex);
  text.clear();
  if (!drawn.empty())
    write("\r\033[K");
  drawn.clear();
}

void Progress::hideForDiagnostics(mlir::MLIRContext &context) {
  if (terminal >= 0)
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &) {
      hide();
      return mlir::failure();
    });
}

void Progress::write(llvm::StringRef bytes) {
  // The process group of a rank is not that of the terminal, which may stop those that
  // write to it nevertheless.
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  // A terminal that takes nothing now gets the next line.
  ssize_t written = ::write(terminal, bytes.data(), bytes.size());
  (void)written;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Progress::draw() {
  // Signals are for the thread that works.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  const Clock::time_point begin = Clock::now();
  std::unique_lock<std::mutex> lock(mutex);
  while (!ended.wait_for(lock, kApart, [this] { return ending; })) {
    if (text.empty() || Clock::now() - begin < kSilence)
      continue;
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
        Clock::now() - workBegin);
    std::string line = text + ", " + std::to_string(seconds.count()) + " s";
    winsize size = {};
    // A line that is folded would not go away.
    if (ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
      line.resize(std::min<size_t>(line.size(), size.ws_col - 1));
    ProcessState state;
    bool inForeground =
        readState(owner, state) && state.group == state.foreground;
    if (line == drawn || !inForeground)
      continue;
    drawn = line;
    // The cursor goes back: a message of somebody else replaces the line.
    write("\r\033[K" + line + "\r");
  }
}
