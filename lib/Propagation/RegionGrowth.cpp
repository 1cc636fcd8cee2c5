//===- RegionGrowth.cpp - Which values change with others -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionGrowth.h"

#include "Followers.h"

#include "shard/IR/ShardOps.h"
#include "shard/Interfaces/ShardingInterface.h"

using namespace mlir;

namespace shard::propagation {

/// So often a value is part of a region to which axes of a sum are moved.
static constexpr unsigned kMaxMoves = 16;

void RegionGrowth::prepare(const Solution &solution) {
  if (opsOfValues)
    return;
  opsOfValues.emplace(program);
  decided = findDecided(program, solution, options);
}

Operation *RegionGrowth::ownerOf(OpId op) const {
  return dyn_cast_if_present<Operation *>(program.origins[op]);
}

bool RegionGrowth::movedOften(ValueId value) const {
  return moves.lookup(value) >= kMaxMoves;
}

void RegionGrowth::forEachFollower(
    OpId op, Operation *owner, unsigned tensor, const Sharding &sharding,
    llvm::function_ref<void(unsigned, Sharding)> visit) {
  const LoopTable &table = program.tables.table(program.problem.opTable[op]);
  std::optional<ShardingOption> option =
      optionOf(table, out.grid, tensor, sharding);
  if (!option)
    return;
  llvm::ArrayRef<unsigned> made = opWishes.madeFor(op, owner);
  for (auto [index, id] : llvm::enumerate(program.problem.tensors(op)))
    if (id != kNoValue && index != tensor && !llvm::is_contained(made, index))
      visit(index, tensorSharding(table, index, *option));
}

bool RegionGrowth::mayChange(ValueId value) const {
  if (decided.contains(value))
    return false;
  Sharding has = solved.shardingOf(value);
  return has.partial.empty() && !has.hasHalosOrOffsets();
}

bool RegionGrowth::mayBecome(ValueId value, const Sharding &wanted) const {
  return wanted.dims != solved.shardingOf(value).dims &&
         mayReplace(program, *opsOfValues, solved, out.grid, value, wanted);
}

bool RegionGrowth::grow(Region &region) {
  // The labels are the list of what is still to be visited, too.
  for (size_t next = 0; next < region.labels.size(); ++next) {
    auto [value, label] = region.labels.begin()[next];
    if (!fits(value, out.shardings[label.number]) ||
        (start.keepsWork && repeatsWork(value, out.shardings[label.number])) ||
        (start.passesAll && movedOften(value)) || !growFrom(region, value))
      return false;
  }
  return true;
}

/// Whether an op that computes makes `value`, and makes fewer parts of it if they are those of
/// `sharding`: devices then compute the same.
bool RegionGrowth::repeatsWork(ValueId value, const Sharding &sharding) const {
  if (partsOf(out.grid, sharding) >=
      partsOf(out.grid, solved.shardingOf(value)))
    return false;
  return llvm::any_of(opsOfValues->of(value), [&](const TensorUse &use) {
    Operation *owner = ownerOf(use.op);
    if (!owner || use.tensor < owner->getNumOperands())
      return false;
    auto model = dyn_cast<ShardingInterface>(owner);
    return !model || model.getFlopsPerIteration() != 0;
  });
}

/// Adds what the label of `value` means for the tensors of the ops that touch it.
/// Returns false if one of them is not known here.
bool RegionGrowth::growFrom(Region &region, ValueId value) {
  for (const TensorUse &use : opsOfValues->of(value)) {
    region.touched.insert(use.op);
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(use.op);
    uint32_t number = region.labels[value].number;
    if (Operation *owner = ownerOf(use.op)) {
      if (!opWishes.decides(use.op, owner))
        passOn(region, use, owner, value, Sharding(out.shardings[number]));
    } else if (program.isEdge(use.op)) {
      for (ValueId end : {tensors.front(), tensors.back()})
        label(region, end, number, {use.op, value});
    } else if (!isa_and_present<ShardOp, ConstraintOp>(
                   program.ownerOf(use.op))) {
      return false;
    }
  }
  return true;
}

void RegionGrowth::label(Region &region, ValueId id, uint32_t number,
                         Cause cause) {
  ValueId value = program.find(id);
  if (!mayChange(value) || region.labels.contains(value))
    return;
  bool isWork = repeatsWork(value, out.shardings[number]);
  meetsWork |= isWork;
  if (!isWork || !start.endsAtWork)
    region.labels.insert({value, {number, cause}});
}

bool RegionGrowth::fits(ValueId value, const Sharding &sharding) const {
  const Problem &problem = program.problem;
  uint64_t whole = problem.wholeDims.lookup(value);
  for (auto [dim, axes] : llvm::enumerate(sharding.dims))
    if (!axes.empty() && dim < Constraint::kMaxDims && whole >> dim & 1)
      return false;
  return mayBeSplit(problem.shapes[problem.valueShape[value]].extents, out.grid,
                    sharding, options.uneven == UnevenPolicy::Replicate);
}

/// Whether `sharding` of tensor `use.tensor` may need halos, which are not priced here.
bool RegionGrowth::splitsWindow(const TensorUse &use, const LoopTable &table,
                                const Sharding &sharding) {
  auto shardingOf = [&](unsigned operand) -> std::optional<Sharding> {
    ValueId id = program.problem.tensors(use.op)[operand];
    return id == kNoValue ? std::nullopt : std::optional(solved.shardingOf(id));
  };
  return propagation::splitsWindow(table, use.tensor, sharding, shardingOf);
}

/// Whether each dimension of `sharding` has the first axes of that dimension of `other`.
static bool isPrefixIn(const Sharding &sharding, const Sharding &other) {
  return llvm::all_of(
      llvm::zip_equal(sharding.dims, other.dims), [](auto pair) {
        auto [axes, more] = pair;
        return axes.size() <= more.size() &&
               std::equal(axes.begin(), axes.end(), more.begin());
      });
}

/// Gives the tensors of `owner` what `sharding` of one of them means for them, if the
/// op has no other loops than those of this tensor, all of them parallel. Another op gives
/// it to its results alone, if the region may pass such ops.
void RegionGrowth::passOn(Region &region, const TensorUse &use,
                          Operation *owner, ValueId value,
                          const Sharding &sharding) {
  const LoopTable &table =
      program.tables.table(program.problem.opTable[use.op]);
  llvm::SmallDenseSet<int32_t, 8> own;
  for (const DimLoops &dim : tensorLoops(table, use.tensor).dims)
    own.insert(dim.begin(), dim.end());
  for (auto [index, loop] : llvm::enumerate(table.loops))
    if (loop.kind != LoopKind::Parallel || !own.contains(index)) {
      bool isRead = use.op != start.op && use.tensor < owner->getNumOperands();
      endsEarly |= isRead;
      if (isRead && start.passesAll)
        passToResults(region, use, owner, value, sharding);
      return;
    }
  if (use.tensor < owner->getNumOperands() &&
      isPrefixIn(sharding, solved.shardingOf(value))) {
    meetsCoarser = true;
    if (start.slicesCoarser)
      return;
  }
  if (splitsWindow(use, table, sharding))
    return;
  forEachFollower(use.op, owner, use.tensor, sharding,
                  [&](unsigned index, const Sharding &followed) {
                    label(region, program.problem.tensors(use.op)[index],
                          solved.indexFor(followed), {use.op, value});
                  });
}

/// Gives the results of `owner` what `sharding` of an operand means for them, besides the
/// axes that they have. Other operands stay as they are.
void RegionGrowth::passToResults(Region &region, const TensorUse &use,
                                 Operation *owner, ValueId value,
                                 const Sharding &sharding) {
  const LoopTable &table =
      program.tables.table(program.problem.opTable[use.op]);
  if (splitsWindow(use, table, sharding))
    return;
  for (unsigned result = 0; result < owner->getNumResults(); ++result) {
    unsigned index = owner->getNumOperands() + result;
    ValueId id = program.problem.tensors(use.op)[index];
    if (id == kNoValue)
      continue;
    if (auto followed = followKeeping(table, out.grid, use.tensor, sharding,
                                      index, solved.shardingOf(id)))
      label(region, id, solved.indexFor(*followed), {use.op, value});
  }
}

} // namespace shard::propagation
