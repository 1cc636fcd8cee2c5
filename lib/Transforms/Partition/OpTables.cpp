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

const LoopTable &OpTables::tableOf(Operation *op) {
  uint32_t number = likeOps.numberOf(op);
  if (number == tables.size()) {
    tables.push_back(buildLoopTable(op));
    options.emplace_back();
  }
  return tables[number];
}

ShardingOption OpTables::optionOf(Operation *op, Question question,
                                  llvm::function_ref<ShardingOption()> choose) {
  // Such models may look at what makes the operands.
  if (tableOf(op).decidesOption)
    return choose();
  Key key{question.grid, question.areStated ? question.grid : nullptr};
  key.insert(key.end(), question.tensors.begin(), question.tensors.end());
  auto [entry, isNew] =
      options[likeOps.numberOf(op)].try_emplace(std::move(key));
  if (isNew)
    entry->second = choose();
  return entry->second;
}

} // namespace shard
