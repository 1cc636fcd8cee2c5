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
