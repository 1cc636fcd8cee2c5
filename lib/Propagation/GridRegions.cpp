//===- GridRegions.cpp - Which values are on which grid -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridRegions.h"

#include "Writer.h"

#include <deque>

using namespace mlir;

namespace shard::propagation {

void GridRegions::buildUses() {
  const Problem &problem = program.problem;
  useBegin.assign(problem.numValues() + 1, 0);
  auto forEach = [&](auto body) {
    for (OpId op = 0; op < problem.numOps(); ++op)
      for (ValueId value : problem.tensors(op))
        if (value != kNoValue)
          body(op, program.find(value));
  };
  forEach([&](OpId, ValueId value) { ++useBegin[value + 1]; });
  for (size_t value = 0; value < problem.numValues(); ++value)
    useBegin[value + 1] += useBegin[value];
  useOps.resize(useBegin.back());
  std::vector<uint32_t> fill(useBegin.begin(), useBegin.end() - 1);
  forEach([&](OpId op, ValueId value) { useOps[fill[value]++] = op; });
}

LogicalResult GridRegions::meet(OpId at, unsigned a, unsigned b) {
  if (a > b)
    std::swap(a, b);
  const HintTable::GridOfValue &first = origins[a - 1],
                               &second = origins[b - 1];
  auto name = [](const HintTable::GridOfValue &hint) {
    return GridOp(hint.grid).getSymName();
  };
  InFlightDiagnostic error =
      at == kNoOp ? emitError(second.location)
                        << "puts a value on grid @" << name(second)
                        << " that is on grid @" << name(first)
                  : emitError(program.ownerOf(at)->getLoc())
                        << "'" << program.ownerOf(at)->getName()
                        << "' ties values on grid @" << name(first)
                        << " to values on grid @" << name(second);
  error << "; reshard one of them to the other grid in front of its use, by a "
           "shard.shard with annotate_for_users";
  error.attachNote(first.location)
      << "grid @" << name(first) << " comes from here";
  if (at != kNoOp)
    error.attachNote(second.location)
        << "grid @" << name(second) << " comes from here";
  return error;
}

LogicalResult GridRegions::put(ValueId value, unsigned label, OpId at) {
  unsigned &known = labels[value];
  if (!known) {
    known = label;
    queue.push_back(value);
    return success();
  }
  if (origins[known - 1].grid == origins[label - 1].grid)
    return success();
  return meet(at, known, label);
}

/// Passes the grids of the values in the queue on through ops.
LogicalResult GridRegions::flood() {
  for (size_t next = 0; next < queue.size(); ++next) {
    ValueId value = queue[next];
    for (uint32_t use = useBegin[value]; use < useBegin[value + 1]; ++use) {
      OpId op = useOps[use];
      if (annotations.contains(op))
        continue;
      for (ValueId other : program.problem.tensors(op))
        if (other != kNoValue &&
            failed(put(program.find(other), labels[value], op)))
          return failure();
    }
  }
  return success();
}

/// An annotation whose one end is on a grid puts the other end on it.
LogicalResult GridRegions::passAnnotations() {
  const Problem &problem = program.problem;
  std::deque<OpId> waiting(problem.reshards.begin(), problem.reshards.end());
  while (!waiting.empty()) {
    OpId op = waiting.front();
    waiting.pop_front();
    ValueId source = program.find(problem.tensors(op)[0]),
            target = program.find(problem.tensors(op)[1]);
    if (bool(labels[source]) == bool(labels[target]))
      continue;
    queue.clear();
    bool isForward = labels[source] != 0;
    if (failed(put(isForward ? target : source,
                   labels[isForward ? source : target], op)) ||
        failed(flood()))
      return failure();
    for (ValueId value : queue)
      for (uint32_t use = useBegin[value]; use < useBegin[value + 1]; ++use)
        if (annotations.contains(useOps[use]))
          waiting.push_back(useOps[use]);
  }
  return success();
}

LogicalResult GridRegions::find() {
  const Problem &problem = program.problem;
  buildUses();
  annotations.insert_range(problem.reshards);
  labels.assign(problem.numValues(), 0);
  origins = program.hints.gridsOfValues();
  for (size_t i = 0; i < origins.size(); ++i)
    if (failed(put(program.find(origins[i].value), i + 1, kNoOp)))
      return failure();
  if (failed(flood()) || failed(passAnnotations()))
    return failure();
  for (OpId op : problem.reshards) {
    GridOp from = gridOf(problem.tensors(op)[0]),
           to = gridOf(problem.tensors(op)[1]);
    if (from && to && from != to)
      crossings.insert(program.ownerOf(op));
  }
  return success();
}

} // namespace shard::propagation
