//===- SmallOperands.cpp - Sums whose operands are gathered ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallOperands.h"

#include "OpsOfValues.h"
#include "RegionPrices.h"

using namespace mlir;

namespace shard::propagation {

/// By what factor a program must cost less at least that leaves sums where hints do not have
/// them.
static constexpr double kLeastRatio = 2;

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

void gatherSmallOperands(ReadProgram &program, Solution &solution,
                         SolvedShardings &solved, OpWishes &opWishes,
                         const GridPropagation &out) {
  const Problem &problem = program.problem;
  RegionPrices prices(program, solution, solved, opWishes, out);
  std::optional<OpsOfValues> opsOfValues;
  auto isPartial = [&](ValueId id) {
    return id != kNoValue && !solved.shardingOf(id).partial.empty();
  };
  for (OpId op = program.origins.size(); op-- > 0;) {
    Operation *owner = prices.ownerOf(op);
    if (!owner || !problem.table(op).contraction ||
        opWishes.decides(op, owner) ||
        llvm::any_of(problem.tensors(op), isPartial))
      continue;
    const LoopTable &table = program.tables.table(problem.opTable[op]);
    llvm::SmallVector<unsigned, 2> made = operandsMadeFor(owner);
    ShardingOption split = opWishes.of(op, owner, made).option;
    if (!splitsSum(table, split))
      continue;
    if (!opsOfValues)
      opsOfValues.emplace(program);
    std::optional<double> before = prices.of(*opsOfValues, op);
    solution.gathersSummed[op] = true;
    std::optional<double> after = prices.of(*opsOfValues, op);
    std::optional<double> less = opWishes.workOf(op, owner, split),
                          more = opWishes.workOf(
                              op, owner, opWishes.of(op, owner, made).option);
    bool isKept =
        before && after && less && more &&
        (*after + (*more - *less) * problem.trips[op]) * kLeastRatio < *before;
    solution.gathersSummed[op] = isKept;
    if (isKept)
      solution.agrees[op] = false;
  }
}

} // namespace shard::propagation
