//===- RegionPrices.cpp - What the ops at a region cost --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionPrices.h"

#include "Followers.h"

using namespace mlir;

namespace shard::propagation {

/// So many uses of a value are asked for a reshard that they share with a region.
static constexpr unsigned kMaxUses = 16;

/// So many ops that repeat their operands are looked through.
static constexpr unsigned kMaxRepeats = 4;

Type RegionPrices::typeOfEdge(OpId op) const {
  if (auto *use = dyn_cast_if_present<OpOperand *>(program.origins[op]))
    return use->get().getType();
  return program.ownerOf(op)->getOperand(0).getType();
}

/// findRepeated, if the result is as wide as the operand.
static std::optional<unsigned>
findRepeatedAsWide(const LoopTable &table, Operation *owner,
                   llvm::ArrayRef<unsigned> made) {
  std::optional<unsigned> found = findRepeated(table, owner, made);
  auto width = [](Value value) {
    Type element = getElementTypeOrSelf(value);
    return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  };
  if (!found || width(owner->getOperand(*found)) != width(owner->getResult(0)))
    return std::nullopt;
  return found;
}

std::optional<unsigned> RegionPrices::repeatedBy(OpId op, Operation *owner) {
  auto [entry, isNew] = repeatedByOp.try_emplace(op);
  if (isNew)
    entry->second =
        findRepeatedAsWide(program.tables.table(program.problem.opTable[op]),
                           owner, opWishes.madeFor(op, owner));
  return entry->second;
}

/// If ops make the value of `reshard` that only repeat another value: the same reshard of that
/// other value. shard-move-collectives lets reshards of both values have one collective.
RegionPrices::Reshard RegionPrices::sourceOf(const OpsOfValues &ops,
                                             Reshard reshard) {
  for (unsigned steps = 0; steps < kMaxRepeats; ++steps) {
    llvm::ArrayRef<TensorUse> uses = ops.of(reshard.value, 1);
    Operation *owner = uses.empty() ? nullptr : ownerOf(uses.front().op);
    if (!owner || uses.front().tensor < owner->getNumOperands())
      return reshard;
    OpId op = uses.front().op;
    unsigned result = uses.front().tensor;
    const LoopTable &table = program.tables.table(program.problem.opTable[op]);
    std::optional<unsigned> operand = repeatedBy(op, owner);
    if (!operand)
      return reshard;
    ValueId id = program.problem.tensors(op)[*operand];
    if (id == kNoValue)
      return reshard;
    ValueId source = program.find(id);
    Sharding has = solved.shardingOf(reshard.value),
             to = out.shardings[reshard.number];
    auto from = optionOf(table, out.grid, result, has),
         wanted = optionOf(table, out.grid, result, to);
    if (!from || !wanted || !has.partial.empty() || !to.partial.empty() ||
        tensorSharding(table, *operand, *from).dims !=
            solved.shardingOf(source).dims)
      return reshard;
    reshard = {source,
               solved.indexFor(tensorSharding(table, *operand, *wanted))};
  }
  return reshard;
}

/// If `use` repeats the value of `reshard`: the same reshard of its result.
std::optional<RegionPrices::Reshard>
RegionPrices::repeated(const TensorUse &use, const Reshard &reshard) {
  Operation *owner = ownerOf(use.op);
  const LoopTable &table =
      program.tables.table(program.problem.opTable[use.op]);
  if (repeatedBy(use.op, owner) != use.tensor)
    return std::nullopt;
  unsigned result = owner->getNumOperands();
  ValueId id = program.problem.tensors(use.op)[result];
  auto has = optionOf(table, out.grid, use.tensor,
                      solved.shardingOf(reshard.value)),
       wanted = optionOf(table, out.grid, use.tensor,
                         Sharding(out.shardings[reshard.number]));
  if (id == kNoValue || !has || !wanted ||
      tensorSharding(table, result, *has).dims != solved.shardingOf(id).dims)
    return std::nullopt;
  return Reshard{program.find(id),
                 solved.indexFor(tensorSharding(table, result, *wanted))};
}

/// Whether an op or edge that does not touch the region wants the value otherwise than it is, as
/// `reshard` says, or what repeats the value, so that the reshard is there whatever the region
/// does.
bool RegionPrices::isWantedElsewhere(const OpsOfValues &ops,
                                     const llvm::SmallDenseSet<OpId> &touched,
                                     const Reshard &reshard, unsigned repeats) {
  for (const TensorUse &use : ops.of(reshard.value, kMaxUses)) {
    Operation *owner = ownerOf(use.op);
    if (!owner) {
      // A return, or the operand of a loop or call.
      llvm::ArrayRef<ValueId> ends = program.problem.tensors(use.op);
      if (program.isEdge(use.op) && use.tensor == 0 &&
          !touched.contains(use.op) &&
          solved.numberOf(ends[1]) == reshard.number &&
          solved.numberOf(ends[0]) != reshard.number)
        return true;
      continue;
    }
    if (use.tensor >= owner->getNumOperands())
      continue;
    if (!solution.agrees[use.op] && !touched.contains(use.op) &&
        llvm::is_contained(
            opWishes.of(use.op, owner, opWishes.madeFor(use.op, owner))
                .operands,
            std::make_pair(use.tensor, reshard.number)))
      return true;
    if (repeats == 0)
      continue;
    if (auto copy = repeated(use, reshard);
        copy && isWantedElsewhere(ops, touched, *copy, repeats - 1))
      return true;
  }
  return false;
}

std::optional<double> RegionPrices::of(const OpsOfValues &ops,
                                       llvm::ArrayRef<OpId> touched,
                                       bool withWork) {
  llvm::SmallDenseSet<OpId> inside(touched.begin(), touched.end());
  std::optional<double> sum = 0;
  llvm::DenseSet<std::pair<ValueId, uint32_t>> priced;
  auto add = [&](OpId op, Type type, const Sharding &from, const Sharding &to,
                 double trips) {
    std::optional<double> cost =
        opWishes.costOf(op, cast<RankedTensorType>(type), from, to);
    if (!cost || !sum)
      sum = std::nullopt;
    else if (*cost > 0)
      *sum += *cost * trips;
  };
  for (OpId op : touched) {
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
    double trips = program.problem.trips[op];
    auto addOperand = [&](ValueId id, Type type, const Sharding &to,
                          double times) {
      Reshard reshard{program.find(id), solved.indexFor(to)};
      Reshard source = sourceOf(ops, reshard);
      auto isElsewhere = [&](const Reshard &other) {
        return isWantedElsewhere(ops, inside, other, /*repeats=*/1);
      };
      if (priced.insert({source.value, source.number}).second &&
          !isElsewhere(reshard) && !isElsewhere(source))
        add(op, type, solved.shardingOf(id), to, times);
    };
    Operation *owner = ownerOf(op);
    if (!owner) {
      addOperand(tensors[0], typeOfEdge(op), solved.shardingOf(tensors[1]),
                 trips);
      // The result of an scf.forall whose body has it in another sharding.
      if (tensors.size() > 2)
        add(op, typeOfEdge(op), solved.shardingOf(tensors[1]),
            solved.shardingOf(tensors[2]), trips);
      continue;
    }
    llvm::ArrayRef<unsigned> made = opWishes.madeFor(op, owner);
    const OpWishes::Wishes &wishes = opWishes.of(op, owner, made);
    for (auto [operand, number] : wishes.operands)
      if (!llvm::is_contained(made, operand))
        addOperand(tensors[operand], owner->getOperand(operand).getType(),
                   Sharding(out.shardings[number]),
                   trips * opWishes.shareOf(op, owner->getOperand(operand)));
    if (sum && withWork)
      *sum += opWishes.workOf(op, owner, wishes.option).value_or(0) * trips;
    for (const auto &[result, sharding] : wishes.results)
      add(op, owner->getResult(result).getType(), sharding,
          solved.shardingOf(tensors[owner->getNumOperands() + result]), trips);
  }
  return sum;
}

static bool hasWindow(const TensorLoops &operand) {
  return llvm::any_of(operand.windows,
                      [](const auto &window) { return window.has_value(); });
}

llvm::SmallVector<bool> RegionPrices::slidingOps(llvm::ArrayRef<OpId> touched) {
  return llvm::map_to_vector(touched, [&](OpId op) {
    Operation *owner = ownerOf(op);
    if (!owner)
      return false;
    const LoopTable &table = program.tables.table(program.problem.opTable[op]);
    if (llvm::none_of(table.operands, hasWindow))
      return false;
    const ShardingOption &option =
        opWishes.of(op, owner, opWishes.madeFor(op, owner)).option;
    return llvm::any_of(table.operands, [&](const TensorLoops &operand) {
      for (unsigned dim = 0; dim < operand.dims.size(); ++dim)
        if (operand.isWindow(dim) &&
            !option.loops[operand.dims[dim].front()].empty())
          return true;
      return false;
    });
  });
}

} // namespace shard::propagation
