//===- ValueNumbers.cpp - SSA values as values of the engine --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueNumbers.h"

using namespace mlir;

namespace shard::propagation {

ValueId ValueNumbers::fresh(RankedTensorType type) {
  ValueId id = problem.addValue(tables.shapeOf(type), scope);
  parent.push_back(id);
  return id;
}

ValueId ValueNumbers::idOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return kNoValue;
  auto [entry, isNew] = ids.try_emplace(value, 0);
  if (isNew) {
    entry->second = fresh(type);
    values.emplace_back(value, entry->second);
  }
  return entry->second;
}

void ValueNumbers::alias(Value value, ValueId id) {
  auto [entry, isNew] = ids.try_emplace(value, id);
  if (isNew)
    values.emplace_back(value, id);
  else
    unite(id, entry->second);
}

void ValueNumbers::unite(ValueId a, ValueId b) {
  if (a == kNoValue || b == kNoValue)
    return;
  a = find(a);
  b = find(b);
  // The older one stands for both, so that paths stay short in loops.
  if (a == b)
    return;
  if (a > b)
    std::swap(a, b);
  parent[b] = a;
  // A call may have fewer manual axes around it than its callee.
  auto &scopes = problem.valueScope;
  if (problem.scopes[scopes[b]].size() > problem.scopes[scopes[a]].size())
    scopes[a] = scopes[b];
}

void ValueNumbers::finish() {
  for (ValueId &value : problem.opTensors)
    value = find(value);
  for (size_t id = 0; id < parent.size(); ++id)
    if (parent[id] != id) {
      // What several names are for is never partial if one of them is not.
      problem.neverPartial[find(id)] =
          problem.neverPartial[find(id)] || problem.neverPartial[id];
      problem.ofView[find(id)] = problem.ofView[find(id)] || problem.ofView[id];
      problem.joined[find(id)] =
          std::max(problem.joined[find(id)], problem.joined[id]);
    }
  llvm::DenseMap<ValueId, uint64_t> wholeDims;
  for (auto [id, dims] : problem.wholeDims)
    wholeDims[find(id)] |= dims;
  problem.wholeDims = std::move(wholeDims);
}

bool ValueNumbers::areAlike(ValueId a, ValueId b) const {
  return haveOneShape(a, b) && areInOneScope(a, b);
}

bool ValueNumbers::haveOneShape(ValueId a, ValueId b) const {
  return problem.shapes[problem.valueShape[a]].extents ==
         problem.shapes[problem.valueShape[b]].extents;
}

bool ValueNumbers::areInOneScope(ValueId a, ValueId b) const {
  return problem.valueScope[a] == problem.valueScope[b];
}

} // namespace shard::propagation
