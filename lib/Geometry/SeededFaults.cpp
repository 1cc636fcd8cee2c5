//===- SeededFaults.cpp - Faults made on purpose --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/SeededFaults.h"

#include <cstdlib>
#include <string_view>

namespace shard {

namespace {
constexpr const char *variable = "SHARD_SEEDED_FAULT";

constexpr SeededFault faults[] = {
#ifdef SHARD_SEEDED_FAULTS
#define FAULT(name, description) {#name, description},
#include "shard/Geometry/SeededFaults.def"
#endif
    {nullptr, nullptr}};
} // namespace

const SeededFault *seededFaults() { return faults; }

bool seedFault(const char *name) {
  for (const SeededFault *fault = faults; fault->name; ++fault)
    if (std::string_view(fault->name) == name)
      return setenv(variable, name, /*overwrite=*/1) == 0;
  return false;
}

bool isSeededFault(const char *name) {
  const char *seeded = std::getenv(variable);
  return seeded && std::string_view(seeded) == name;
}

} // namespace shard
