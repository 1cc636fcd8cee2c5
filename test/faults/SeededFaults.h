//===- SeededFaults.h - Whether this process makes a fault ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by the copies of the sources that seed.py writes faults into.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_FAULTS_SEEDEDFAULTS_H
#define SHARD_TEST_FAULTS_SEEDEDFAULTS_H

#include <cstdlib>
#include <string_view>

// seed.py writes a fault on the line of the code that it replaces.
#pragma clang diagnostic ignored "-Wmisleading-indentation"

/// Whether the fault is the one that this process makes, which the environment
/// variable SHARD_SEEDED_FAULT names; asked for once.
#define SHARD_FAULT(name)                                                      \
  ([] {                                                                        \
    static const bool seeded = ::shard::isSeededFault(#name);                  \
    return seeded;                                                             \
  }())

namespace shard {

inline bool isSeededFault(const char *name) {
  const char *seeded = std::getenv("SHARD_SEEDED_FAULT");
  return seeded && std::string_view(seeded) == name;
}

} // namespace shard

#endif // SHARD_TEST_FAULTS_SEEDEDFAULTS_H
