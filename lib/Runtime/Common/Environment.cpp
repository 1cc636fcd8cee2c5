//===- Environment.cpp - What users say by variables ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Environment.h"

#include <cstdlib>
#include <cstring>
#include <vector>

namespace shard {
namespace runtime {

namespace {

struct Variable {
  const char *name;
  /// What it may say; empty for what is read as numbers.
  std::vector<std::string> words;
  const char *meaning;
};

bool isGood(const Variable &variable, const char *text) {
  if (!variable.words.empty()) {
    for (const std::string &word : variable.words)
      if (word == text)
        return true;
    return false;
  }
  if (strcmp(variable.name, "SHARD_RT_LINK") == 0)
    return linkOfVariable().has_value();
  return secondsOfVariable(variable.name).has_value();
}

} // namespace

std::optional<double> secondsOfVariable(const char *variable) {
  const char *text = getenv(variable);
  if (!text)
    return std::nullopt;
  char *end = nullptr;
  double seconds = strtod(text, &end);
  bool isRead = end != text && *end == '\0' && seconds > 0 && seconds < 1e9;
  return isRead ? std::optional(seconds) : std::nullopt;
}

std::optional<std::pair<double, double>> linkOfVariable() {
  const char *text = getenv("SHARD_RT_LINK");
  if (!text)
    return std::nullopt;
  char *end = nullptr;
  double bandwidth = strtod(text, &end);
  if (end == text || *end != ',')
    return std::nullopt;
  const char *second = end + 1;
  double latency = strtod(second, &end);
  bool isRead = end != second && *end == '\0' && bandwidth >= 0 &&
                latency >= 0 && latency < 1e3;
  return isRead ? std::optional(std::pair(bandwidth, latency)) : std::nullopt;
}

std::string problemOfEnvironment() {
  const char *seconds = "a number of seconds above 0 and below 1e9";
  const Variable variables[] = {
      {"SHARD_RT_TIMEOUT", {}, seconds},
      {"SHARD_RT_SILENCE", {}, seconds},
      {"SHARD_RT_LINK", {}, "bytes per second and seconds, as in 1e9,1e-4"},
      {"SHARD_RT_CHECK",
       {"first", "always", "never"},
       "first, always or never"},
      {"SHARD_RT_WATCH", {"0", "1"}, "0 or 1"}};
  for (const Variable &variable : variables) {
    const char *text = getenv(variable.name);
    if (text && *text && !isGood(variable, text))
      return "the environment variable " + std::string(variable.name) +
             " is '" + text + "': expected " + variable.meaning;
  }
  return std::string();
}

} // namespace runtime
} // namespace shard
