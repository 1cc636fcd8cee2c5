//===- ExplainChoices.cpp - What another choice would cost -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainChoices.h"

#include "OpWishes.h"

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/Emitter.h"
#include "shard/Partitioning/ShardingOption.h"

using namespace mlir;

namespace shard::propagation {

Choices::Choices(ReadProgram &program, const GridPropagation &out,
                 Reasons &reasons, Planner &planner,
                 const WrittenReshards &reshards)
    : program(program), reasons(reasons), planner(planner) {
  for (auto [use, op] : llvm::zip(out.uses, reshards.useOps))
    if (op != kNoOp)
      otherwise[{op, use.use->getOperandNumber()}] =
          out.shardings[use.sharding];
  for (const WrittenReshards::Computed &computed : reshards.computed)
    otherwise[{computed.op, program.problem.table(computed.op).numOperands +
                                computed.result}] = computed.sharding;
}

void Choices::add(OpId op, const Grid &grid, Entry &entry) {
  if (op == kNoOp)
    return;
  auto [it, isNew] = known.try_emplace(op);
  if (isNew) {
    Known priced = price(op, grid);
    known[op] = priced;
    entry.bytesOfOp = priced.bytes;
    entry.instead = std::move(priced.instead);
    return;
  }
  entry.bytesOfOp = it->second.bytes;
  entry.instead = it->second.instead;
}

/// The bytes that the busiest device sends to reshard a tensor of `type`; nothing if an
/// extent or an axis is not known, or if there is no plan.
static std::optional<int64_t>
bytesToReshard(RankedTensorType type, const Grid &grid, const Sharding &from,
               const Sharding &to, Planner &planner) {
  if (from == to)
    return 0;
  if (!type.hasStaticShape() || hasUnknownSizes(grid))
    return std::nullopt;
  const Plan *plan =
      planner.plan(grid, shapeOf(type), elementBytes(type), from, to);
  return plan ? std::optional(plan->bytesSent) : std::nullopt;
}

namespace {
/// An op with its tensors as they are.
struct OpTensors {
  Operation *owner;
  const LoopTable &table;
  llvm::ArrayRef<ValueId> tensors;
  llvm::SmallVector<Sharding> operands, results;

  bool isResult(unsigned tensor) const { return tensor >= operands.size(); }
  const Sharding &has(unsigned tensor) const {
    return isResult(tensor) ? results[tensor - operands.size()]
                            : operands[tensor];
  }
  /// Whether tensor number `tensor` costs something: it is one, and is not made to order.
  bool counts(unsigned tensor) const {
    if (tensors[tensor] == kNoValue)
      return false;
    if (isResult(tensor))
      return table.results[tensor - operands.size()].isTensor;
    const TensorLoops &operand = table.operands[tensor];
    return operand.isTensor &&
           operands[tensor].dims.size() == operand.dims.size();
  }
  Sharding under(const ShardingOption &option, unsigned tensor) const {
    return isResult(tensor)
               ? resultSharding(table, tensor - operands.size(), option)
               : operandSharding(table, tensor, option);
  }
  /// What is sent if the op takes and computes its tensors as `chosen` says.
  std::optional<int64_t>
  bytes(const Grid &grid, Planner &planner,
        llvm::function_ref<Sharding(unsigned)> chosen) const {
    int64_t total = 0;
    for (unsigned tensor = 0; tensor < tensors.size(); ++tensor) {
      if (!counts(tensor))
        continue;
      Value value = isResult(tensor)
                        ? Value(owner->getResult(tensor - operands.size()))
                        : owner->getOperand(tensor);
      Sharding from = has(tensor), to = chosen(tensor);
      if (isResult(tensor))
        std::swap(from, to);
      std::optional<int64_t> bytes = bytesToReshard(
          cast<RankedTensorType>(value.getType()), grid, from, to, planner);
      if (!bytes || __builtin_add_overflow(total, *bytes, &total))
        return std::nullopt;
    }
    for (const LoopExchange &made : exchanges(grid, chosen)) {
      std::optional<int64_t> bytes =
          bytesToReshard(made.type, grid, made.from, made.to, planner);
      int64_t all;
      if (!bytes || __builtin_mul_overflow(*bytes, int64_t(made.count), &all) ||
          __builtin_add_overflow(total, all, &total))
        return std::nullopt;
    }
    return total;
  }

private:
  /// What the op exchanges itself if it takes its operands as `chosen` says.
  llvm::SmallVector<LoopExchange, 1>
  exchanges(const Grid &grid,
            llvm::function_ref<Sharding(unsigned)> chosen) const {
    for (auto [index, operand] : llvm::enumerate(table.operands)) {
      if (!operand.isTensor || tensors[index] == kNoValue)
        continue;
      ShardingOption option;
      projectToLoops(table, operand, grid, chosen(index), option.loops);
      return exchangesOf(table, option,
                         getElementTypeOrSelf(owner->getOperand(index)));
    }
    return {};
  }
};
} // namespace

Choices::Known Choices::price(OpId op, const Grid &grid) {
  Known result;
  Operation *owner = program.ownerOf(op);
  OpTensors all{owner,
                program.tables.table(program.problem.opTable[op]),
                program.problem.tensors(op),
                {},
                {}};
  const LoopTable &table = all.table;
  if (!isa<ShardingInterface>(owner) || table.decidesOption ||
      table.loops.empty() || isa<OpOperand *>(program.origins[op]) ||
      table.operands.size() != owner->getNumOperands() ||
      table.results.size() != owner->getNumResults())
    return result;
  for (auto [index, id] : llvm::enumerate(all.tensors))
    (index < owner->getNumOperands() ? all.operands : all.results)
        .push_back(id == kNoValue ? Sharding()
                                  : reasons.shardingOf(program.find(id)));
  for (unsigned index : operandsMadeFor(owner))
    all.operands[index] = Sharding();
  auto now = [&](unsigned tensor) {
    return takenAs(op, tensor, all.has(tensor));
  };
  std::optional<int64_t> bytes = all.bytes(grid, planner, now);
  if (!bytes)
    return result;
  result.bytes = *bytes;
  for (const OtherOption &other :
       otherOptions(owner, table, grid, all.operands, all.results, planner)) {
    bool isDone = true;
    for (unsigned tensor = 0; tensor < all.tensors.size(); ++tensor)
      isDone &=
          !all.counts(tensor) || all.under(other.option, tensor) == now(tensor);
    std::optional<int64_t> otherBytes =
        all.bytes(grid, planner, [&](unsigned tensor) {
          return all.under(other.option, tensor);
        });
    // Where both send the same, bytes do not tell why.
    if (isDone || !otherBytes || *otherBytes == *bytes)
      continue;
    std::string how = "without splitting the op";
    if (other.kept)
      how = "with operand " + std::to_string(*other.kept) + " as it comes, " +
            reasons.text(all.operands[*other.kept]);
    result.instead.push_back({std::move(how), *otherBytes});
  }
  return result;
}

} // namespace shard::propagation
