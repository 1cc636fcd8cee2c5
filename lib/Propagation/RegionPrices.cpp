//===- RegionPrices.cpp - What the ops at a region cost --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionPrices.h"

using namespace mlir;

namespace shard::propagation {

/// So many uses of a value are asked for a reshard that they share with a region.
static constexpr unsigned kMaxUses = 16;

Type RegionPrices::typeOfEdge(OpId op) const {
  if (auto *use = dyn_cast_if_present<OpOperand *>(program.origins[op]))
    return use->get().getType();
  return program.ownerOf(op)->getOperand(0).getType();
}

/// Whether an op that does not touch the region wants `value` in the sharding `number`
/// otherwise than it is, so that the reshard is there whatever the region does.
bool RegionPrices::isWantedElsewhere(const OpsOfValues &ops,
                                     const llvm::SmallDenseSet<OpId> &touched,
                                     ValueId value, uint32_t number) {
  for (const TensorUse &use : ops.of(value, kMaxUses)) {
    Operation *owner = ownerOf(use.op);
    if (owner && !solution.agrees[use.op] && !touched.contains(use.op) &&
        llvm::is_contained(
            opWishes.of(use.op, owner, operandsMadeFor(owner)).operands,
            std::make_pair(use.tensor, number)))
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
      uint32_t number = solved.indexFor(to);
      if (priced.insert({program.find(id), number}).second &&
          !isWantedElsewhere(ops, inside, program.find(id), number))
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
    llvm::SmallVector<unsigned, 2> made = operandsMadeFor(owner);
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

llvm::SmallVector<bool> RegionPrices::slidingOps(llvm::ArrayRef<OpId> touched) {
  return llvm::map_to_vector(touched, [&](OpId op) {
    Operation *owner = ownerOf(op);
    if (!owner)
      return false;
    const LoopTable &table = program.tables.table(program.problem.opTable[op]);
    const ShardingOption &option =
        opWishes.of(op, owner, operandsMadeFor(owner)).option;
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
