//===- CheckCalls.h - Collectives listed and called ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The collectives of a partitioned program against those that a run called.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKCALLS_H
#define SHARD_LIB_FUZZ_CHECKCALLS_H

#include "shard/Execution/Verify.h"
#include "shard/Runtime/Threads.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace shard::fuzz {

/// The collectives in the IR of a partitioned program.
struct CallList {
  /// Kind, shape of the grid, axes of the group.
  using Key =
      std::tuple<std::string, std::vector<int64_t>, std::vector<int64_t>>;
  struct Sum {
    int64_t count = 0, inputBytes = 0;
    /// Those whose result a result of the program is, or another such collective
    /// takes: no lowering drops them.
    int64_t needed = 0;
  };
  std::map<Key, Sum> sums;
  /// Every op runs once: no regions, no calls.
  bool straight = true;
  /// All local sizes are known.
  bool sized = true;
};

CallList listCalls(mlir::ModuleOp partitioned);

/// Compares the list with the record of a run. Every call is of a listed kind and
/// group; where the program is straight-line code there are no more calls than
/// listed ops, and as many calls take as many bytes. There may be fewer: lowering
/// drops a collective whose result it finds unused, as behind an input of a
/// linalg op that the body ignores; but no fewer than are needed. What does not agree, in words; empty if all
/// does.
std::string compareCalls(const CallList &listed,
                         const std::vector<runtime::CallRecord> &called);

/// Whether the report tells of every call but slices, and of no other. What does
/// not agree, in words.
std::string compareReport(const RunReport &report);

/// Compares the prediction for a program with the record of its run: calls and bytes,
/// to the byte. Where a number is not known beforehand, it is no less than that of the
/// run, or not told at all. What does not agree, in words.
std::string comparePrediction(const ProgramCost &cost,
                              const std::vector<runtime::CallRecord> &called);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKCALLS_H
