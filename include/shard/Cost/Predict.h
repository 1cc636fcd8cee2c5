//===- Predict.h - What a program costs before it runs --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The prediction for a partitioned program: for each collective, each kind of op and
// each place of the source, and for the whole program, what one device computes,
// touches, sends and needs. docs/Cost.md describes the model.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_COST_PREDICT_H
#define SHARD_COST_PREDICT_H

#include "shard/Cost/Collectives.h"
#include "shard/Cost/Memory.h"
#include "shard/Geometry/Machine.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <tuple>

namespace shard {

/// How often something runs.
struct Times {
  /// At most so often; nothing if that is not known.
  std::optional<int64_t> most = 1;
  /// Whether it runs exactly so often, on each device.
  bool exact = true;
};

/// A collective, at its place in the text.
struct PredictedCollective {
  CollectiveCost cost;
  Times times;
  /// Names of the axes where the grid has names, else numbers.
  std::vector<std::string> axisNames;
  /// The op that needs it.
  std::string neededBy;
  /// The bytes of one execution on the device that sends most.
  std::optional<int64_t> bytesOnce;
  /// Of one execution; 0 where bytes are not known.
  double secondsOnce = 0;

  /// Of all executions, as far as both numbers are known.
  std::optional<int64_t> calls() const;
  std::optional<int64_t> bytes() const;
};

/// Sums over ops: of a kind, of a place, of the program. Numbers that do not fit are
/// the largest that do.
struct CostSum {
  std::string name;
  int64_t ops = 0;
  int64_t flops = 0, bytesTouched = 0, bytesSent = 0;
  double secondsComputing = 0, secondsSending = 0;
  /// Whether the sums hold all: what runs an unknown number of times counts as once,
  /// what has unknown sizes as 0.
  bool complete = true;
};

struct ProgramCost {
  std::string entry;
  /// Empty if the program has no grid.
  std::string gridName;
  std::vector<int64_t> gridShape;
  Machine machine;
  /// In the order of the text; of a function that is called twice, twice.
  std::vector<PredictedCollective> collectives;
  /// By kind of op, then by place; the most expensive first.
  std::vector<CostSum> kinds, places;
  CostSum total;
  /// What the program takes if a device computes while collectives that are started are
  /// under way: at least the longer one of computing and sending, at most the sum.
  double seconds = 0;
  /// Whether a collective is started (shard.wait).
  bool overlaps = false;
  MemoryUse memory;
};

/// Predicts `entry`, a function of a partitioned program, and what it calls. `machine`
/// replaces that of the grid.
ProgramCost predictProgram(mlir::FunctionOpInterface entry,
                           std::optional<Machine> machine = std::nullopt);

/// ProgramCost::seconds of `function` alone, on the machine of its grid: a call of another
/// function takes no time, and no other function is read.
double predictSeconds(mlir::FunctionOpInterface function);

/// What the runtime will count under one of its names (CallRecord of
/// shard/Runtime/Report.h): kind, shape of the grid, axes, location.
struct PredictedCalls {
  Times calls;
  /// Of the device that sends most. Nothing if not known.
  std::optional<int64_t> bytes = 0;
  std::string neededBy;
};
using CallKey = std::tuple<std::string, std::vector<int64_t>,
                           std::vector<int64_t>, std::string>;

/// The collectives of `cost`, summed as the runtime sums them.
std::map<CallKey, PredictedCalls> predictCalls(const ProgramCost &cost);

/// The prediction as text for people, and as JSON.
void printText(const ProgramCost &cost, llvm::raw_ostream &os);
llvm::json::Object toJson(const ProgramCost &cost);

} // namespace shard

#endif // SHARD_COST_PREDICT_H
