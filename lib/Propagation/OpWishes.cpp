//===- OpWishes.cpp - How each op wants its operands ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpWishes.h"

#include "ManualReader.h"

#include "shard/Cost/Links.h"
#include "shard/Interfaces/RegionLoopsInterface.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/Emitter.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace shard::propagation {

/// Choices of an option settle after two or three.
static constexpr unsigned kMaxSettling = 8;

/// So long a chain of ops in a loop is looked at that may compute an operand of what the loop does
/// not change. Bounds the recursion.
static constexpr unsigned kMaxChain = 64;

llvm::SmallVector<unsigned, 2> operandsMadeFor(Operation *owner) {
  llvm::SmallVector<unsigned, 2> made;
  for (OpOperand &operand : owner->getOpOperands()) {
    Operation *def = operand.get().getDefiningOp();
    if (def && def->hasOneUse() && isCreator(def) &&
        def->getBlock() == owner->getBlock())
      made.push_back(operand.getOperandNumber());
  }
  return made;
}

uint32_t SolvedShardings::indexFor(const Sharding &sharding) {
  auto add = [&](uint32_t number) {
    byHash[hashOf(out.shardings[number])].push_back(number);
  };
  for (; numHashed < out.shardings.size(); ++numHashed)
    add(numHashed);
  for (uint32_t number : byHash[hashOf(sharding)])
    if (out.shardings[number] == sharding)
      return number;
  out.shardings.push_back(sharding);
  add(numHashed);
  return numHashed++;
}

const TensorLoops &tensorLoops(const LoopTable &table, unsigned tensor) {
  unsigned numOperands = table.operands.size();
  return tensor < numOperands ? table.operands[tensor]
                              : table.results[tensor - numOperands];
}

Sharding tensorSharding(const LoopTable &table, unsigned tensor,
                        const ShardingOption &option) {
  unsigned numOperands = table.operands.size();
  return tensor < numOperands
             ? operandSharding(table, tensor, option)
             : resultSharding(table, tensor - numOperands, option);
}

bool OpWishes::decides(OpId op, Operation *owner) const {
  const LoopTable &table = program.tables.table(program.problem.opTable[op]);
  if (!table.decidesOption)
    return false;
  llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
  auto sharding = [&](unsigned tensor) {
    return tensors[tensor] == kNoValue ? Sharding()
                                       : solved.shardingOf(tensors[tensor]);
  };
  return decidesOption(owner, table, gridOf(op), sharding,
                       [&](unsigned result) {
                         return sharding(owner->getNumOperands() + result);
                       });
}

/// The scope that the tensors of an op are in.
uint32_t OpWishes::scopeOf(OpId op) const {
  for (ValueId id : program.problem.tensors(op))
    if (id != kNoValue)
      return program.problem.valueScope[id];
  return 0;
}

/// The grid that the tensors of an op are split on.
Grid OpWishes::gridOf(OpId op) const {
  uint32_t scope = scopeOf(op);
  return scope ? planningGrid(program.problem, scope, out) : out.grid;
}

/// How often `value` is made at most. Ops without effects leave a loop that changes none of their
/// operands. A constraint becomes an annotation, which has no effects.
double OpWishes::tripsOf(Value value, unsigned depth) const {
  if (auto known = tripsOfValues.find(value); known != tripsOfValues.end())
    return known->second;
  auto found = program.tripsIn.find(value.getParentRegion()->getParentOp());
  double trips = found == program.tripsIn.end()
                     ? std::numeric_limits<double>::infinity()
                     : found->second;
  Operation *def = value.getDefiningOp();
  if (!def || trips <= 1 || depth == kMaxChain ||
      !(isPure(def) || isa<ConstraintOp>(def)))
    return trips;
  double most = 1;
  auto add = [&](Value operand) {
    if (most < trips)
      most = std::max(most, tripsOf(operand, depth + 1));
  };
  llvm::for_each(def->getOperands(), add);
  visitUsedValuesDefinedAbove(def->getRegions(),
                              [&](OpOperand *use) { add(use->get()); });
  return tripsOfValues[value] = std::min(most, trips);
}

double OpWishes::shareOf(OpId op, Value value) const {
  double trips = program.problem.trips[op];
  return trips <= 1 ? 1 : std::min(1.0, tripsOf(value, 0) / trips);
}

llvm::ArrayRef<unsigned> OpWishes::madeFor(OpId op, Operation *owner) {
  madeNumbers.resize(program.origins.size());
  if (madeNumbers[op] == 0) {
    made.push_back(operandsMadeFor(owner));
    madeNumbers[op] = made.size();
  }
  return made[madeNumbers[op] - 1];
}

const OpWishes::Wishes &OpWishes::of(OpId op, Operation *owner,
                                     llvm::ArrayRef<unsigned> made) {
  llvm::SmallVector<uint32_t, 8> key{program.problem.opTable[op],
                                     decides(op, owner) ? op : kNoOp};
  for (ValueId id : program.problem.tensors(op))
    key.push_back(id == kNoValue ? kReplicated : solved.indexOf(id));
  key.push_back(scopeOf(op));
  key.push_back(solved.takesCompleted(op));
  key.push_back(solved.gathersSummed(op));
  llvm::SmallVector<double> shares;
  if (program.problem.trips[op] > 1)
    for (Value operand : owner->getOperands()) {
      shares.push_back(shareOf(op, operand));
      // So many runs share a reshard.
      key.push_back(std::min(1e9, std::round(1 / shares.back())));
    }
  key.push_back(shares.size());
  key.push_back(made.size());
  key.append(made.begin(), made.end());
  uint32_t number =
      index.intern(llvm::hash_combine_range(key.begin(), key.end()),
                   [&](uint32_t other) { return known[other].key == key; });
  if (number == known.size())
    known.push_back({std::move(key), choose(op, owner, made, shares)});
  return known[number].wishes;
}

/// The option for an op that stays the choice when the operands come as it
/// wants them: from there, another one may do with less.
ShardingOption OpWishes::chooseSettled(
    Operation *owner, const Grid &grid, const LoopTable &table,
    const llvm::SmallVector<Sharding> (&shardings)[2],
    llvm::ArrayRef<ValueId> tensors, llvm::ArrayRef<double> shares) const {
  llvm::SmallVector<Sharding> operands = shardings[0];
  ShardingOption option;
  for (unsigned pass = 0; pass < kMaxSettling; ++pass) {
    option = chooseOption(owner, table, grid, operands, shardings[1], planner,
                          shares);
    bool settled = true;
    for (unsigned index = 0; index < operands.size(); ++index) {
      if (tensors[index] == kNoValue)
        continue;
      Sharding sharding = operandSharding(table, index, option);
      settled &= sharding == operands[index];
      operands[index] = std::move(sharding);
    }
    if (settled)
      break;
  }
  return option;
}

OpWishes::Wishes OpWishes::choose(OpId op, Operation *owner,
                                  llvm::ArrayRef<unsigned> made,
                                  llvm::ArrayRef<double> shares) {
  llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
  const LoopTable &table = program.tables.table(program.problem.opTable[op]);
  unsigned numOperands = owner->getNumOperands();
  llvm::SmallVector<Sharding> shardings[2];
  for (auto [index, id] : llvm::enumerate(tensors)) {
    bool isResult = index >= numOperands;
    shardings[isResult].push_back(id == kNoValue ? Sharding()
                                                 : solved.shardingOf(id));
  }
  llvm::SmallVector<Sharding> stated = shardings[0];
  if (solved.takesCompleted(op))
    for (Sharding &sharding : shardings[0])
      sharding.partial.clear();
  for (unsigned index : made)
    if (!shardings[0][index].dims.empty())
      stated[index] = shardings[0][index] = Sharding();
  ShardingOption option =
      chooseSettled(owner, gridOf(op), table, shardings, tensors, shares);
  if (solved.gathersSummed(op)) {
    for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops))
      if (loop.kind == LoopKind::Reduction)
        axes.clear();
    // What is gathered may be split along other loops again, which sends nothing.
    for (unsigned index = 0; index < numOperands; ++index)
      if (tensors[index] != kNoValue)
        shardings[0][index] = operandSharding(table, index, option);
    option =
        chooseSettled(owner, gridOf(op), table, shardings, tensors, shares);
  }
  Wishes wishes;
  for (unsigned index = 0; index < numOperands; ++index) {
    if (tensors[index] == kNoValue)
      continue;
    Sharding sharding = operandSharding(table, index, option);
    if (sharding != stated[index])
      wishes.operands.push_back({index, solved.indexFor(sharding)});
  }
  for (unsigned index = 0; index < owner->getNumResults(); ++index) {
    if (tensors[numOperands + index] == kNoValue)
      continue;
    Sharding sharding = resultSharding(table, index, option);
    wishes.splitsOtherwise |= sharding.dims != shardings[1][index].dims;
    if (sharding != shardings[1][index])
      wishes.results.push_back({index, std::move(sharding)});
  }
  wishes.option = std::move(option);
  return wishes;
}

std::optional<double> OpWishes::costOf(OpId op, RankedTensorType type,
                                       const Sharding &from,
                                       const Sharding &to) const {
  const Plan *plan = planWithUnknowns(planner, gridOf(op), shapeOf(type),
                                      elementBytes(type), from, to);
  return plan ? std::optional(plan->cost) : std::nullopt;
}

std::optional<double> OpWishes::workOf(OpId op, Operation *owner,
                                       const ShardingOption &option) const {
  auto [entry, isNew] = opCosts.try_emplace(op);
  if (isNew)
    entry->second = shard::costOfOp(owner);
  const std::optional<OpCost> &cost = entry->second;
  if (!cost)
    return std::nullopt;
  Machine machine = machineOf(program.gridOp);
  Grid grid = gridOf(op);
  double work = cost->seconds(machine) * machine.linkBandwidth *
                planner.costModel().leastCostPerByte();
  for (const AxisList &axes : option.loops)
    work /= grid.groupSize(axes);
  return work;
}

} // namespace shard::propagation
