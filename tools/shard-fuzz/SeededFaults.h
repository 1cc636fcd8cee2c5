//===- SeededFaults.h - The faults of this build ----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fuzzer that finds nothing may be blind. The programs of a build with
// SHARD_SEEDED_FAULTS=ON can make mistakes on purpose, one per process
// (docs/SeededFaults.md).
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_SHARDFUZZ_SEEDEDFAULTS_H
#define SHARD_TOOLS_SHARDFUZZ_SEEDEDFAULTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace shard::fuzz {

struct SeededFault {
  llvm::StringRef name;
  /// What it breaks, a few words.
  llvm::StringRef description;
};

/// The faults of this build; none in a build without them.
llvm::ArrayRef<SeededFault> seededFaults();

/// Makes this process and its children make the fault; false if this build has
/// none of that name. Call it before the code that has the fault runs: each
/// place asks once.
bool seedFault(llvm::StringRef name);

} // namespace shard::fuzz

#endif // SHARD_TOOLS_SHARDFUZZ_SEEDEDFAULTS_H
