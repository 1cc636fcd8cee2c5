//===- Collectives.cpp - What a partitioned program sent ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridProgram.h"

using namespace mlir;
using namespace shard;
using namespace shard::execution;

void execution::reportCollectives(const GridProgram &program,
                                  ArrayRef<runtime::CallRecord> calls,
                                  RunReport &report) {
  std::map<CallKey, PredictedCalls> predicted;
  if (report.cost)
    predicted = predictCalls(*report.cost);
  for (const runtime::CallRecord &call : calls) {
    // A slice of what the device has is no communication.
    if (call.kind == AllSliceOp::getOperationName().split('.').second)
      continue;
    CollectiveReport row;
    row.kind = call.kind;
    auto names = program.axisNames.find(call.gridShape);
    for (int64_t axis : call.axes)
      row.axes.push_back(names != program.axisNames.end()
                             ? names->second[axis]
                             : std::to_string(axis));
    row.calls = call.count;
    row.bytesPerDevice = call.bytes;
    row.seconds = call.seconds;
    row.location = call.location;
    auto found = predicted.find(
        CallKey(call.kind, call.gridShape, call.axes, call.location));
    if (found != predicted.end()) {
      row.neededBy = found->second.neededBy;
      row.predicted = true;
      row.predictedCalls = found->second.calls.most;
      row.predictedBytes = found->second.bytes;
    }
    report.collectives.push_back(std::move(row));
  }
}

std::vector<CollectiveReport>
execution::predictedCollectives(const ProgramCost &cost) {
  std::vector<CollectiveReport> rows;
  for (const PredictedCollective &predicted : cost.collectives) {
    CollectiveReport row;
    row.kind = predicted.cost.kind;
    row.axes = predicted.axisNames;
    row.predicted = true;
    row.predictedCalls = predicted.calls();
    row.predictedBytes = predicted.bytes();
    row.calls = row.predictedCalls.value_or(-1);
    row.bytesPerDevice =
        (row.predictedCalls ? row.predictedBytes : predicted.bytesOnce)
            .value_or(-1);
    row.location = predicted.cost.location;
    row.neededBy = predicted.neededBy;
    rows.push_back(std::move(row));
  }
  return rows;
}
