//===- Processes.cpp - Programs in child processes -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Processes.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
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

/// A running child. It writes records: a kind ('b' begins a program, 'e' ends it
/// with its outcome, 't' sends text), a length and that many bytes.
struct Child {
  pid_t pid = -1;
  int records = -1, errors = -1;
  /// Where a child of runAll reads which seeds are next; -1: no more.
  int seeds = -1;
  std::string buffer, errorText;
  Clock::time_point begin;
  /// Handed out and not ended, the one that runs first.
  std::deque<uint64_t> pending;
  uint64_t handedOut = 0;
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

static std::string encode(const Outcome &outcome) {
  uint32_t size = outcome.message.size();
  std::string text(1, static_cast<char>(outcome.verdict));
  text.append(reinterpret_cast<const char *>(&size), sizeof(size));
  return text + outcome.message + outcome.notes;
}

static Outcome decode(const std::string &text) {
  uint32_t size = 0;
  text.copy(reinterpret_cast<char *>(&size), sizeof(size), 1);
  return {Verdict(text[0]), text.substr(1 + sizeof(size), size),
          text.substr(1 + sizeof(size) + size)};
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
    std::string &sent, double seconds) {
  Child child = start([&](int file) {
    Outcome outcome =
        work([&](std::string text) { writeRecord(file, 't', text); });
    writeRecord(file, 'e', encode(outcome));
  });
  std::string all;
  bool hung = false;
  while (true) {
    pollfd files[] = {{child.records, POLLIN, 0}, {child.errors, POLLIN, 0}};
    poll(files, 2, 100);
    drain(child.errors, child.errorText);
    if (!drain(child.records, child.buffer))
      break;
    if (secondsSince(child.begin) > seconds) {
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
    outcome = {Verdict::Hang};
  while (takeRecord(child.buffer, kind, text)) {
    if (kind == 't')
      sent = text;
    else
      outcome = decode(text);
  }
  return outcome;
}

Outcome shard::fuzz::runInChild(const std::function<Outcome()> &work,
                                double seconds) {
  std::string sent;
  return runInChild(
      [&](const std::function<void(std::string)> &) { return work(); }, sent,
      seconds);
}

namespace {
/// The children of runAll.
class Workers {
public:
  explicit Workers(const Programs &programs) : programs(programs) {}

  /// Starts children while there are seeds and fewer than `jobs` of them. Returns
  /// whether any runs.
  bool fill();
  /// Waits until a child writes or a moment has passed.
  void wait();
  /// Takes what the children have written, and buries those that ended or hang.
  void collect();

private:
  /// A child gets this many programs: its memory stays small.
  static constexpr uint64_t kShare = 250;
  /// The program that runs and one more, so that a child need not wait for a seed.
  static constexpr size_t kAhead = 2;

  bool takeSeed(uint64_t &seed);
  Child startChild();
  void feed(Child &child);
  void receive(Child &child);
  void end(Child &child, bool hung);

  const Programs &programs;
  uint64_t started = 0;
  bool more = true;
  /// Seeds that a dead child had been given and did not come to.
  std::deque<uint64_t> left;
  std::vector<Child> children;
};
} // namespace

/// The next seed to hand out; false if there is none.
bool Workers::takeSeed(uint64_t &seed) {
  if (!left.empty()) {
    seed = left.front();
    left.pop_front();
    return true;
  }
  more = more && programs.goOn(started);
  seed = programs.first + started;
  started += more;
  return more;
}

/// Starts a child that checks the seeds that it reads.
Child Workers::startChild() {
  int seeds[2];
  if (pipe(seeds) != 0) {
    std::perror("shard-fuzz: pipe");
    std::exit(2);
  }
  Child child = start([&](int file) {
    // Who holds an end for writing keeps the reader from seeing the file's end.
    close(seeds[1]);
    for (const Child &other : children) {
      close(other.records);
      close(other.errors);
      if (other.seeds >= 0)
        close(other.seeds);
    }
    std::function<Outcome(uint64_t)> work = programs.makeWork();
    uint64_t seed;
    while (read(seeds[0], &seed, sizeof(seed)) == ssize_t(sizeof(seed))) {
      writeRecord(file, 'b', {});
      writeRecord(file, 'e', encode(work(seed)));
    }
  });
  close(seeds[0]);
  child.seeds = seeds[1];
  return child;
}

/// Hands out seeds until `child` has enough; none are left or it has had its share: it
/// reads the end of the file.
void Workers::feed(Child &child) {
  uint64_t seed;
  while (child.seeds >= 0 && child.pending.size() < kAhead) {
    if (child.handedOut == kShare || !takeSeed(seed)) {
      close(child.seeds);
      child.seeds = -1;
      return;
    }
    // A write to a dead child fails; the end of its records tells that it died.
    (void)!write(child.seeds, &seed, sizeof(seed));
    child.pending.push_back(seed);
    ++child.handedOut;
  }
}

void Workers::receive(Child &child) {
  char kind;
  std::string text;
  while (takeRecord(child.buffer, kind, text)) {
    child.begin = Clock::now();
    if (kind != 'e')
      continue;
    uint64_t seed = child.pending.front();
    child.pending.pop_front();
    programs.done(seed, decode(text));
  }
}

bool Workers::fill() {
  while (children.size() < programs.jobs) {
    uint64_t seed;
    if (!takeSeed(seed))
      break;
    left.push_front(seed);
    children.push_back(startChild());
    feed(children.back());
  }
  return !children.empty();
}

void Workers::wait() {
  constexpr int kMilliseconds = 200;
  std::vector<pollfd> files;
  for (Child &child : children) {
    files.push_back({child.records, POLLIN, 0});
    files.push_back({child.errors, POLLIN, 0});
  }
  poll(files.data(), files.size(), kMilliseconds);
}

/// Buries `child`, which ended or hangs. The program that it was at has failed; others
/// that it had been given go to another child.
void Workers::end(Child &child, bool hung) {
  if (hung)
    kill(child.pid, SIGKILL);
  std::string why = bury(child);
  if (child.seeds >= 0)
    close(child.seeds);
  if (child.pending.empty())
    return;
  left.insert(left.end(), child.pending.begin() + 1, child.pending.end());
  programs.done(child.pending.front(),
                hung ? Outcome{Verdict::Hang} : Outcome{Verdict::Crash, why});
}

void Workers::collect() {
  for (size_t i = 0; i < children.size();) {
    Child &child = children[i];
    drain(child.errors, child.errorText);
    bool open = drain(child.records, child.buffer);
    receive(child);
    feed(child);
    bool hung = open && !child.pending.empty() &&
                secondsSince(child.begin) > programs.seconds;
    if (open && !hung) {
      ++i;
      continue;
    }
    end(child, hung);
    children.erase(children.begin() + i);
  }
}

void shard::fuzz::runAll(const Programs &programs) {
  std::signal(SIGPIPE, SIG_IGN);
  Workers workers(programs);
  while (workers.fill()) {
    workers.wait();
    programs.tick();
    workers.collect();
  }
}
