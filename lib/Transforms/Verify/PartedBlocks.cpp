//===- PartedBlocks.cpp - Blocks that only some devices reach -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartedBlocks.h"

#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace shard {

PartedBlocks
findPartedBlocks(Region &region, PostDominanceInfo &postDominators,
                 llvm::function_ref<AxisSet(Operation *)> deciding) {
  PartedBlocks result;
  if (region.hasOneBlock())
    return result;
  // What parts devices until they meet in a block is followed once, however many
  // branches it comes from. Null: they do not meet.
  DenseMap<std::pair<mlir::Block *, mlir::Block *>, AxisSet> known;
  SmallVector<std::pair<mlir::Block *, mlir::Block *>> work;
  auto reach = [&](mlir::Block *next, mlir::Block *meeting, AxisSet set) {
    AxisSet &before = known[{next, meeting}];
    if ((before | set) == before)
      return;
    before |= set;
    result.arguments[next] |= set;
    if (next == meeting)
      return;
    result.under[next] |= set;
    work.push_back({next, meeting});
  };
  for (mlir::Block &block : region) {
    if (block.getNumSuccessors() < 2)
      continue;
    AxisSet set = deciding(block.getTerminator());
    if (set == 0)
      continue;
    auto *node = postDominators.getNode(&block);
    auto *parent = node ? node->getIDom() : nullptr;
    mlir::Block *meeting = parent ? parent->getBlock() : nullptr;
    for (mlir::Block *next : block.getSuccessors())
      reach(next, meeting, set);
  }
  while (!work.empty()) {
    auto [block, meeting] = work.pop_back_val();
    AxisSet set = known.lookup({block, meeting});
    for (mlir::Block *next : block->getSuccessors())
      reach(next, meeting, set);
  }
  return result;
}

} // namespace shard
