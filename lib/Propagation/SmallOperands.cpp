//===- SmallOperands.cpp - Sums whose operands are gathered ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallOperands.h"

#include "shard/IR/ShardOps.h"

using namespace mlir;

namespace shard::propagation {

/// By what factor a program must cost less at least that leaves sums where hints do not have
/// them.
static constexpr double kLeastRatio = 2;

/// The hints that say how `op` takes its tensors: `shard.loops` becomes such hints.
static llvm::SmallVector<Operation *, 2> hintsOf(Operation *op) {
  llvm::SmallVector<Operation *, 2> hints;
  for (Value operand : op->getOperands()) {
    auto hint = operand.getDefiningOp<ShardOp>();
    if ((hint && hint.getAnnotateForUsers()) ||
        operand.getDefiningOp<ConstraintOp>())
      hints.push_back(operand.getDefiningOp());
  }
  return hints;
}

/// Whether `option` splits a reduction loop, and none of those is a loop by which a window
/// slides: halos are not compared with reshards.
static bool splitsSum(const LoopTable &table, const ShardingOption &option) {
  if (!option.bounds.empty())
    return false;
  bool any = false;
  for (auto [number, loop] : llvm::enumerate(table.loops)) {
    if (loop.kind != LoopKind::Reduction || option.loops[number].empty())
      continue;
    any = true;
    for (const TensorLoops &operand : table.operands)
      for (auto [dim, loops] : llvm::enumerate(operand.dims))
        if (operand.isWindow(dim) && llvm::is_contained(loops, number))
          return false;
  }
  return any;
}

bool gathersSummed(ReadProgram &program, Solution &solution,
                   const SolvedShardings &solved, OpWishes &opWishes,
                   RegionPrices &prices, const OpsOfValues &ops, OpId op,
                   double least) {
  const Problem &problem = program.problem;
  auto isPartial = [&](ValueId id) {
    return id != kNoValue && !solved.shardingOf(id).partial.empty();
  };
  if (llvm::any_of(problem.tensors(op), isPartial))
    return false;
  Operation *owner = prices.ownerOf(op);
  const LoopTable &table = program.tables.table(problem.opTable[op]);
  llvm::SmallVector<unsigned, 2> made = operandsMadeFor(owner);
  ShardingOption split = opWishes.of(op, owner, made).option;
  if (!splitsSum(table, split))
    return false;
  // Without these hints a second propagation would ask what the sum costs, perhaps with other
  // operands that are made for the op now.
  if (llvm::SmallVector<Operation *, 2> hints = hintsOf(owner);
      !hints.empty()) {
    program.binding.insert_range(hints);
    return false;
  }
  std::optional<double> before = prices.of(ops, op);
  solution.gathersSummed[op] = true;
  std::optional<double> after = prices.of(ops, op);
  std::optional<double> less = opWishes.workOf(op, owner, split),
                        more = opWishes.workOf(
                            op, owner, opWishes.of(op, owner, made).option);
  if (before && after && less && more) {
    double cost = *after + (*more - *less) * problem.trips[op];
    if (cost * kLeastRatio < *before && *before - cost > least) {
      solution.agrees[op] = false;
      return true;
    }
  }
  solution.gathersSummed[op] = false;
  return false;
}

} // namespace shard::propagation
