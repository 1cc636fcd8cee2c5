//===- Processes.cpp - Programs in child processes -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processes.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace shard::fuzz;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

namespace {

/// A running child. It writes records: a kind ('b' begins a seed, 'e' ends one,
/// 't' sends text), a length and that many bytes.
struct Child {
  pid_t pid = -1;
  int records = -1, errors = -1;
  std::string buffer, errorText;
  Clock::time_point begin;
  uint64_t seed = 0;
  bool busy = false;
};

} // namespace

static void writeAll(int file, const char *data, size_t size) {
  while (size > 0) {
    ssize_t written = write(file, data, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      _exit(0);
    data += written;
    size -= size_t(written);
  }
}

static void writeRecord(int file, char kind, const std::string &text) {
  uint32_t size = text.size();
  std::string record(1, kind);
  record.append(reinterpret_cast<const char *>(&size), sizeof(size));
  writeAll(file, (record + text).data(), record.size() + text.size());
}

static std::string encode(uint64_t seed, const Outcome &outcome) {
  std::string text(reinterpret_cast<const char *>(&seed), sizeof(seed));
  text += static_cast<char>(outcome.verdict);
  return text + outcome.message;
}

/// Starts a child that runs `body` with the file to write records to.
static Child start(const std::function<void(int)> &body) {
  int records[2], errors[2];
  if (pipe(records) != 0 || pipe(errors) != 0) {
    std::perror("shard-fuzz: pipe");
    std::exit(2);
  }
  std::fflush(nullptr);
  Child child;
  child.pid = fork();
  if (child.pid < 0) {
    std::perror("shard-fuzz: fork");
    std::exit(2);
  }
  if (child.pid == 0) {
    close(records[0]);
    close(errors[0]);
    dup2(errors[1], STDERR_FILENO);
    close(errors[1]);
    body(records[1]);
    _exit(0);
  }
  close(records[1]);
  close(errors[1]);
  child.records = records[0];
  child.errors = errors[0];
  fcntl(child.records, F_SETFL, O_NONBLOCK);
  fcntl(child.errors, F_SETFL, O_NONBLOCK);
  child.begin = Clock::now();
  return child;
}

/// Reads what there is; false at the end of the file.
static bool drain(int file, std::string &buffer) {
  char data[65536];
  while (true) {
    ssize_t size = read(file, data, sizeof(data));
    if (size > 0)
      buffer.append(data, size_t(size));
    else if (size == 0)
      return false;
    else if (errno != EINTR)
      return true;
  }
}

/// Takes the next whole record off the buffer.
static bool takeRecord(std::string &buffer, char &kind, std::string &text) {
  uint32_t size = 0;
  if (buffer.size() < 1 + sizeof(size))
    return false;
  buffer.copy(reinterpret_cast<char *>(&size), sizeof(size), 1);
  if (buffer.size() < 1 + sizeof(size) + size)
    return false;
  kind = buffer[0];
  text = buffer.substr(1 + sizeof(size), size);
  buffer.erase(0, 1 + sizeof(size) + size);
  return true;
}

/// The line of a dead child's complaints that says the most.
static std::string complaint(const std::string &errors, int status) {
  for (const char *mark : {"Assertion", "ERROR: AddressSanitizer", "LLVM ERROR",
                           "runtime error", "UNREACHABLE"}) {
    size_t at = errors.find(mark);
    if (at != std::string::npos) {
      size_t from = errors.rfind('\n', at);
      from = from == std::string::npos ? 0 : from + 1;
      return errors.substr(from,
                           std::min<size_t>(errors.find('\n', at) - from, 300));
    }
  }
  if (WIFSIGNALED(status)) {
    std::string text = "signal " + std::to_string(WTERMSIG(status));
    // The frames of this project, of what LLVM prints.
    size_t at = 0;
    for (int frames = 0; frames < 3; ++frames) {
      at = errors.find("shard::", at);
      if (at == std::string::npos)
        break;
      size_t end = errors.find_first_of("(\n", at);
      text += " < " + errors.substr(at, end - at);
      at = errors.find('\n', at);
      if (at == std::string::npos)
        break;
    }
    return text;
  }
  return "exit " + std::to_string(WEXITSTATUS(status));
}

/// Waits for `child`, which has closed its files or been killed.
static std::string bury(Child &child) {
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  drain(child.errors, child.errorText);
  close(child.records);
  close(child.errors);
  return complaint(child.errorText, status);
}

Outcome shard::fuzz::runInChild(
    const std::function<Outcome(const std::function<void(std::string)> &)>
        &work,
    std::string &sent) {
  Child child = start([&](int file) {
    Outcome outcome =
        work([&](std::string text) { writeRecord(file, 't', text); });
    writeRecord(file, 'e', encode(0, outcome));
  });
  std::string all;
  bool hung = false;
  while (true) {
    pollfd files[] = {{child.records, POLLIN, 0}, {child.errors, POLLIN, 0}};
    poll(files, 2, 100);
    drain(child.errors, child.errorText);
    if (!drain(child.records, child.buffer))
      break;
    if (secondsSince(child.begin) > timeLimit) {
      kill(child.pid, SIGKILL);
      hung = true;
      break;
    }
  }
  std::string why = bury(child);
  char kind;
  std::string text;
  Outcome outcome{Verdict::Crash, why};
  if (hung)
    outcome = {Verdict::Hang, ""};
  while (takeRecord(child.buffer, kind, text)) {
    if (kind == 't')
      sent = text;
    else
      outcome = {Verdict(text[sizeof(uint64_t)]),
                 text.substr(sizeof(uint64_t) + 1)};
  }
  return outcome;
}

Outcome shard::fuzz::runInChild(const std::function<Outcome()> &work) {
  std::string sent;
  return runInChild(
      [&](const std::function<void(std::string)> &) { return work(); }, sent);
}

void shard::fuzz::runAll(
    uint64_t first, uint64_t count, unsigned jobs,
    const std::function<std::function<Outcome(uint64_t)>()> &makeWork,
    const std::function<void(uint64_t, const Outcome &)> &done,
    const std::function<void()> &tick) {
  // A child gets this many programs: its memory stays small.
  constexpr uint64_t share = 250;
  uint64_t next = first, end = first + count;
  struct Range {
    uint64_t begin, end;
  };
  std::vector<Range> left;
  std::vector<Child> children;
  std::vector<Range> ranges;
  auto launch = [&](Range range) {
    children.push_back(start([&](int file) {
      std::function<Outcome(uint64_t)> work = makeWork();
      for (uint64_t seed = range.begin; seed < range.end; ++seed) {
        writeRecord(file, 'b', encode(seed, {}));
        writeRecord(file, 'e', encode(seed, work(seed)));
      }
    }));
    ranges.push_back(range);
  };
  auto read = [&](size_t i) {
    Child &child = children[i];
    char kind;
    std::string text;
    while (takeRecord(child.buffer, kind, text)) {
      text.copy(reinterpret_cast<char *>(&child.seed), sizeof(child.seed));
      child.busy = kind == 'b';
      child.begin = Clock::now();
      if (kind == 'e')
        done(child.seed, {Verdict(text[sizeof(uint64_t)]),
                          text.substr(sizeof(uint64_t) + 1)});
    }
  };
  while (next < end || !left.empty() || !children.empty()) {
    while (children.size() < jobs && (next < end || !left.empty())) {
      if (!left.empty()) {
        Range range = left.back();
        left.pop_back();
        launch(range);
        continue;
      }
      uint64_t size = std::min<uint64_t>(
          share, std::max<uint64_t>(1, (end - next + jobs - 1) / jobs));
      launch({next, next + size});
      next += size;
    }
    std::vector<pollfd> files;
    for (Child &child : children) {
      files.push_back({child.records, POLLIN, 0});
      files.push_back({child.errors, POLLIN, 0});
    }
    poll(files.data(), files.size(), 200);
    tick();
    for (size_t i = 0; i < children.size();) {
      Child &child = children[i];
      drain(child.errors, child.errorText);
      bool open = drain(child.records, child.buffer);
      read(i);
      bool hung = open && child.busy && secondsSince(child.begin) > timeLimit;
      if (open && !hung) {
        ++i;
        continue;
      }
      if (hung)
        kill(child.pid, SIGKILL);
      bool died = child.busy;
      std::string why = bury(child);
      uint64_t seed = child.seed;
      Range range = ranges[i];
      children.erase(children.begin() + i);
      ranges.erase(ranges.begin() + i);
      if (!died)
        continue;
      done(seed,
           hung ? Outcome{Verdict::Hang, ""} : Outcome{Verdict::Crash, why});
      if (seed + 1 < range.end)
        left.push_back({seed + 1, range.end});
    }
  }
}
