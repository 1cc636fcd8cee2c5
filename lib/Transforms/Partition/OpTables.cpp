//===- OpTables.cpp - Loop tables and options of ops that are alike -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition/OpTables.h"

using namespace mlir;

namespace shard {

OpTables::Known &OpTables::knownOf(Operation *op) {
  uint32_t number = likeOps.numberOf(op);
  if (number == known.size())
    known.push_back({buildLoopTable(op), {}});
  return known[number];
}

ShardingOption OpTables::optionOf(Operation *op, const Question &question,
                                  llvm::function_ref<ShardingOption()> choose) {
  Known &like = knownOf(op);
  // Such models may look at what makes the operands.
  if (like.table.decidesOption)
    return choose();
  Key key{question.grid, question.areStated ? question.grid : nullptr};
  key.insert(key.end(), question.tensors.begin(), question.tensors.end());
  auto [entry, isNew] = like.options.try_emplace(std::move(key));
  if (isNew)
    entry->second = choose();
  return entry->second;
}

} // namespace shard
