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

/// The hint that says how an op takes `operand`, or null: `shard.loops` becomes such hints.
static Operation *hintOf(Value operand) {
  Operation *maker = operand.getDefiningOp();
  auto hint = dyn_cast_if_present<ShardOp>(maker);
  return (hint && hint.getAnnotateForUsers()) ||
                 isa_and_present<ConstraintOp>(maker)
             ? maker
             : nullptr;
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

bool gathersSummed(const ReadProgram &program, Solution &solution,
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
  if (llvm::any_of(owner->getOperands(), hintOf))
    return false;
  const LoopTable &table = program.tables.table(problem.opTable[op]);
  llvm::ArrayRef<unsigned> made = opWishes.madeFor(op, owner);
  ShardingOption split = opWishes.of(op, owner, made).option;
  if (!splitsSum(table, split))
    return false;
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

void bindHints(ReadProgram &program, OpWishes &opWishes) {
  const Problem &problem = program.problem;
  for (OpId op = 0; op < program.origins.size(); ++op) {
    auto *owner = dyn_cast_if_present<Operation *>(program.origins[op]);
    if (!owner || !problem.table(op).contraction)
      continue;
    llvm::SmallVector<std::pair<unsigned, Operation *>, 2> hints;
    for (OpOperand &operand : owner->getOpOperands())
      if (Operation *hint = hintOf(operand.get()))
        hints.emplace_back(operand.getOperandNumber(), hint);
    if (hints.empty())
      continue;
    const OpWishes::Wishes &wishes =
        opWishes.of(op, owner, opWishes.madeFor(op, owner));
    if (!splitsSum(program.tables.table(problem.opTable[op]), wishes.option))
      continue;
    // What the op reshards has an annotation of its own.
    for (auto [operand, hint] : hints)
      if (llvm::none_of(wishes.operands, [number = operand](const auto &wish) {
            return wish.first == number;
          }))
        program.binding.insert(hint);
  }
}

} // namespace shard::propagation
