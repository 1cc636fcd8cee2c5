//===- SeededFaults.h - Faults made on purpose ------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prover that finds nothing may be blind. A build with SHARD_SEEDED_FAULTS=ON
// (preset `faults`) can make one mistake per process, at the place where such a
// mistake would really be made:
//
//   if (SHARD_FAULT(HaloOneLess))
//     --low;
//
// Everywhere else SHARD_FAULT is the constant false and no code is left of it.
// SeededFaults.def lists the faults; docs/SeededFaults.md says how soon shard-fuzz
// finds each.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_GEOMETRY_SEEDEDFAULTS_H
#define SHARD_GEOMETRY_SEEDEDFAULTS_H

#ifdef SHARD_SEEDED_FAULTS
/// Whether the fault is the one that this process makes; asked for once.
#define SHARD_FAULT(name)                                                      \
  ([] {                                                                        \
    static const bool seeded = ::shard::isSeededFault(#name);                  \
    return seeded;                                                             \
  }())
#else
#define SHARD_FAULT(name) false
#endif

namespace shard {

struct SeededFault {
  const char *name;
  /// What it breaks, a few words.
  const char *description;
};

/// The faults of this build, behind the last one a fault without a name; none in
/// a build without them.
const SeededFault *seededFaults();

/// Makes this process and its children make the fault; false if this build has
/// none of that name. To be called before any other function of the project.
bool seedFault(const char *name);

/// Whether `name` is the fault that this process makes: that of seedFault, else
/// that of the environment variable SHARD_SEEDED_FAULT.
bool isSeededFault(const char *name);

} // namespace shard

#endif // SHARD_GEOMETRY_SEEDEDFAULTS_H
