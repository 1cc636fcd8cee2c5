//===- Supervisor.cpp - What rank 0 knows of all ranks --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Supervisor.h"

#include "../Common/Call.h"
#include "SupervisorProcess.h"

#include <algorithm>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace shard {
namespace runtime {

namespace {

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// What all ranks said has been true for so long before it is judged: a message
/// may be on its way.
constexpr double kQuietSeconds = 1;

} // namespace

Supervisor::Supervisor(int listener, const WatchOptions &options)
    : options(options), listener(listener), ranks(options.size) {}

Supervisor::~Supervisor() { close(listener); }

bool Supervisor::allLeft() const {
  return std::all_of(ranks.begin(), ranks.end(),
                     [](const Rank &rank) { return !rank.known || rank.left; });
}

void Supervisor::run() {
  Clock::time_point lastPulse = Clock::now(), lastLoop = lastPulse;
  Clock::time_point finishBegin;
  bool wasFinishing = false;
  while (true) {
    std::vector<pollfd> pollers = {{listener, POLLIN, 0}};
    for (const Connection &each : newcomers)
      pollers.push_back({each.descriptor(), POLLIN, 0});
    for (const Rank &rank : ranks)
      if (rank.connection.isOpen())
        pollers.push_back({rank.connection.descriptor(), POLLIN, 0});
    if (parent.isOpen() && !finishing)
      pollers.push_back({parent.descriptor(), POLLIN, 0});
    poll(pollers.data(), pollers.size(), finishing ? 10 : 50);
    // After a stop of this process itself, all clocks begin anew; if it goes on
    // only to end, the others have said why.
    if (secondsSince(lastLoop) > kStopSeconds) {
      usleep(100000);
      if (isTerminated())
        leaveSupervisor(1);
      wasStopped = true;
      resumed = Clock::now();
      for (Rank &rank : ranks)
        rank.heard = rank.changed = Clock::now();
    }
    lastLoop = Clock::now();

    std::vector<std::string> ignored;
    if (parent.isOpen() && !finishing && !parent.receive(ignored))
      finishing = true;
    if (pollers[0].revents)
      acceptConnection();
    readNewcomers();
    readRanks();
    if (finishing) {
      if (!wasFinishing)
        finishBegin = Clock::now();
      wasFinishing = true;
      if (allLeft() || secondsSince(finishBegin) > 5)
        return;
    }
    if (secondsSince(lastPulse) < 0.25)
      continue;
    lastPulse = Clock::now();
    for (Rank &rank : ranks)
      if (rank.connection.isOpen())
        rank.connection.send(
            Writer().number(uint64_t(ControlMessage::Pulse)).bytes());
    checkSilence();
    checkProgress();
  }
}

void Supervisor::acceptConnection() {
  int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd >= 0)
    newcomers.emplace_back(fd);
}

void Supervisor::readNewcomers() {
  for (size_t i = 0; i < newcomers.size();) {
    std::vector<std::string> messages;
    bool alive = newcomers[i].receive(messages);
    if (alive && messages.empty()) {
      ++i;
      continue;
    }
    Connection connection = std::move(newcomers[i]);
    newcomers.erase(newcomers.begin() + i);
    if (messages.empty())
      continue;
    Reader reader(messages.front());
    bool ours = reader.number() == uint64_t(ControlMessage::Hello) &&
                reader.number() == options.token;
    int64_t number = reader.number();
    if (!ours || number < 0 || number >= options.size || ranks[number].known)
      continue;
    Rank &rank = ranks[number];
    rank.connection = std::move(connection);
    rank.known = true;
    rank.heard = rank.changed = Clock::now();
    for (size_t m = 1; m < messages.size(); ++m)
      handle(number, messages[m]);
  }
}

void Supervisor::readRanks() {
  std::vector<int64_t> died;
  for (int64_t i = 0, e = ranks.size(); i < e; ++i) {
    Rank &rank = ranks[i];
    if (!rank.connection.isOpen())
      continue;
    std::vector<std::string> messages;
    bool alive = rank.connection.receive(messages);
    for (const std::string &message : messages)
      handle(i, message);
    if (alive)
      continue;
    rank.connection.close();
    if (!rank.left)
      died.push_back(i);
  }
  if (died.empty())
    return;
  // While this process was stopped, the others have judged and ended.
  if (wasStopped && secondsSince(resumed) < 2)
    leaveSupervisor(1);
  // A rank that failed has said so before; all that was said is read by now. A
  // launcher may have killed the others before this thread came to run.
  std::string text;
  for (int64_t number : died)
    text += (text.empty() ? "" : "; ") + name(number) + " has died" +
            lastSeen(number);
  end(text + describeOthers(-1));
}

std::string Supervisor::lastSeen(int64_t rank) const {
  const std::string &call = ranks[rank].status.call;
  return call.empty() ? std::string() : "; it was last seen in " + call;
}

void Supervisor::handle(int64_t number, const std::string &message) {
  Rank &rank = ranks[number];
  rank.heard = Clock::now();
  Reader reader(message);
  switch (ControlMessage(reader.number())) {
  case ControlMessage::Status: {
    uint64_t before = rank.status.version;
    rank.status = Status::decode(reader);
    if (rank.status.version != before)
      rank.changed = Clock::now();
    return;
  }
  case ControlMessage::Fail:
    end(reader.text());
  case ControlMessage::Bye:
    rank.left = true;
    return;
  default:
    return;
  }
}

void Supervisor::checkSilence() {
  for (int64_t i = 0, e = ranks.size(); i < e; ++i) {
    const Rank &rank = ranks[i];
    if (!rank.known || rank.left ||
        secondsSince(rank.heard) <= options.silenceSeconds)
      continue;
    end(name(i) + " has not answered for " +
        std::to_string(int64_t(options.silenceSeconds)) +
        " seconds: it was stopped, or its host cannot be reached" +
        lastSeen(i) + describeOthers(i));
  }
}

std::vector<int64_t> Supervisor::missing(const Rank &rank) const {
  const Status &status = rank.status;
  if (status.waitsFor >= 0 && status.waitsFor < int64_t(status.devices.size()))
    return {status.waitsFor};
  if (status.waitsFor == kWaitsForAny)
    return {0};
  auto countOf = [&](const Status &other) {
    for (auto [id, count] : other.entered)
      if (id == status.group)
        return count;
    return uint64_t(0);
  };
  std::vector<int64_t> positions;
  for (int64_t p = 0, e = status.devices.size(); p < e; ++p) {
    int64_t other = rankOfDevice(status.devices[p]);
    if (other >= 0 && countOf(ranks[other].status) < status.sequence)
      positions.push_back(p);
  }
  return positions;
}

int64_t Supervisor::rankOfDevice(int64_t device) const {
  for (int64_t i = 0, e = ranks.size(); i < e; ++i)
    if (ranks[i].known && ranks[i].status.device == device)
      return i;
  return -1;
}

bool Supervisor::waitsForEnded(const Rank &rank, std::string &message) const {
  if (rank.status.waitsFor == kWaitsForAny)
    return false;
  for (int64_t p : missing(rank)) {
    int64_t other = rankOfDevice(rank.status.devices[p]);
    if (other < 0 || ranks[other].status.activity != Activity::AtEnd)
      continue;
    message = name(&rank - ranks.data()) + " waits in " + rank.status.call +
              " for " + name(other) +
              ", which has reached the end of the program";
    return true;
  }
  return false;
}

void Supervisor::checkProgress() {
  bool stuck = true, anyCalls = false;
  std::string message;
  for (int64_t i = 0, e = ranks.size(); i < e; ++i) {
    const Rank &rank = ranks[i];
    if (!rank.known)
      return;
    bool quiet = secondsSince(rank.changed) > kQuietSeconds;
    stuck &= quiet && (rank.status.activity == Activity::Calling ||
                       rank.status.activity == Activity::AtEnd);
    if (rank.status.activity != Activity::Calling)
      continue;
    anyCalls = true;
    if (quiet && waitsForEnded(rank, message))
      end(message);
    if (rank.status.group != kExchangeGroup &&
        secondsSince(rank.changed) > options.timeoutSeconds)
      end(name(i) + " has waited for more than " +
          std::to_string(int64_t(options.timeoutSeconds)) + " seconds in " +
          rank.status.call + describeOthers(i));
    // What everybody has come to may still move its data.
    stuck &= !missing(rank).empty();
  }
  if (stuck && anyCalls)
    end("no device can go on: " + describeOthers(-1).substr(2));
}

std::string Supervisor::name(int64_t rank) const {
  std::string text =
      "rank " + std::to_string(rank) + " on " + options.hosts[rank];
  int64_t device = ranks[rank].status.device;
  return device < 0 ? text
                    : "device " + std::to_string(device) + " (" + text + ")";
}

std::string Supervisor::describe(int64_t number) const {
  const Status &status = ranks[number].status;
  switch (status.activity) {
  case Activity::Outside:
    return name(number) + " is outside of a run";
  case Activity::AtEnd:
    return name(number) + " has reached the end of the program";
  case Activity::Running:
    return name(number) + " computes" +
           (status.call.empty() ? "" : ", after " + status.call);
  case Activity::Calling:
    break;
  }
  std::string text = name(number) + " waits in " + status.call;
  if (status.waitsFor >= 0 && status.waitsFor < int64_t(status.devices.size()))
    return text + " for device " +
           std::to_string(status.devices[status.waitsFor]);
  return text +
         (status.waitsFor == kWaitsForAny ? " for any of devices "
                                          : " for the group of devices ") +
         describeDevices(status.devices);
}

std::string Supervisor::describeOthers(int64_t except) const {
  constexpr int kShown = 8;
  std::string text;
  int shown = 0;
  for (int64_t i = 0, e = ranks.size(); i < e; ++i) {
    if (i == except || !ranks[i].connection.isOpen() || ranks[i].left)
      continue;
    if (shown++ == kShown)
      return text + "; ...";
    text += "; " + describe(i);
  }
  return text;
}

void Supervisor::end(const std::string &message) {
  printError(message);
  std::string verdict =
      Writer().number(uint64_t(ControlMessage::End)).text(message).bytes();
  for (Rank &rank : ranks)
    rank.connection.send(verdict);
  for (Connection &each : newcomers)
    each.send(verdict);
  // Until the others have ended: a launcher that sees this process go may kill
  // them, and they are to end by themselves. Ranks that connect only now hear it
  // too; what is not read would make the kernel drop what was sent.
  Clock::time_point begin = Clock::now();
  bool any = true;
  while (any && secondsSince(begin) < 0.5) {
    size_t before = newcomers.size();
    acceptConnection();
    if (newcomers.size() > before)
      newcomers.back().send(verdict);
    any = false;
    std::vector<std::string> ignored;
    for (Rank &rank : ranks) {
      if (rank.connection.isOpen() && !rank.connection.receive(ignored))
        rank.connection.close();
      any |= rank.connection.isOpen() || !rank.known;
    }
    for (Connection &each : newcomers)
      each.receive(ignored);
    usleep(5000);
  }
  // Here, so that the ranks see that this process has ended.
  for (Rank &rank : ranks)
    rank.connection.close();
  parent.close();
  close(listener);
  leaveSupervisor(1);
}

} // namespace runtime
} // namespace shard
