//===- OpsOfValues.cpp - Which ops make and use a value -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpsOfValues.h"

#include "Followers.h"
#include "OpWishes.h"

#include "shard/Interfaces/ShardingInterface.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shard::propagation {

OpsOfValues::OpsOfValues(const ReadProgram &program) {
  const Problem &problem = program.problem;
  begin.assign(problem.numValues() + 1, 0);
  auto forEach = [&](auto visit) {
    for (OpId op = 0; op < problem.numOps(); ++op) {
      if (!problem.isOpenBothWays(op))
        continue;
      for (auto [tensor, id] : llvm::enumerate(problem.tensors(op)))
        if (id != kNoValue)
          visit(program.find(id), TensorUse{op, unsigned(tensor)});
    }
  };
  forEach([&](ValueId value, TensorUse) { ++begin[value + 1]; });
  for (size_t value = 1; value < begin.size(); ++value)
    begin[value] += begin[value - 1];
  ops.resize(begin.back());
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  forEach([&](ValueId value, TensorUse use) { ops[next[value]++] = use; });
}

/// Whether each element of `operand` is there, but not each of `result`: a pad.
static bool isExtended(Value operand, Value result) {
  auto from = dyn_cast<RankedTensorType>(operand.getType());
  auto to = dyn_cast<RankedTensorType>(result.getType());
  return from && to && from.hasStaticShape() && to.hasStaticShape() &&
         from.getNumElements() < to.getNumElements();
}

namespace {
/// Tells whether a value that gets fewer parts is a copy of what is smaller or has as few.
class CopyFinder {
public:
  CopyFinder(const ReadProgram &program, const OpsOfValues &ops,
             const SolvedShardings &solved, const Grid &grid, int64_t parts)
      : program(program), ops(ops), solved(solved), grid(grid), parts(parts) {}

  /// Whether all that makes `value` copies other tensors. Ops that move each element once are
  /// passed, so many at most.
  bool isCopy(ValueId value, unsigned passes = 4) {
    llvm::ArrayRef<TensorUse> uses = ops.of(value, kMostOps + 1);
    bool isMade = false;
    for (const TensorUse &use : uses) {
      auto *op =
          llvm::dyn_cast_if_present<Operation *>(program.origins[use.op]);
      llvm::ArrayRef<ValueId> tensors = program.problem.tensors(use.op);
      bool isOperand = op ? use.tensor < op->getNumOperands()
                          : program.find(tensors.back()) != value;
      if (isOperand)
        continue;
      if (op ? !copiesOperands(use.op, op, passes)
             : !program.isEdge(use.op) ||
                   partsOf(grid, solved.shardingOf(tensors.front())) > parts)
        return false;
      isMade = true;
    }
    return isMade && uses.size() <= kMostOps;
  }

private:
  static constexpr size_t kMostOps = 16;

  /// Whether `op` computes nothing, all its loops are parallel, and each operand but those made
  /// for it leaves out one of them, has fewer elements than the result or is a copy itself.
  bool copiesOperands(OpId id, Operation *op, unsigned passes) {
    const LoopTable &table = program.tables.table(program.problem.opTable[id]);
    auto isParallel = [](const Loop &loop) {
      return loop.kind == LoopKind::Parallel;
    };
    llvm::SmallVector<unsigned, 2> made = operandsMadeFor(op);
    auto isSmallOrCopy = [&](unsigned operand) {
      llvm::SmallBitVector read(table.loops.size());
      for (const DimLoops &dim : tensorLoops(table, operand).dims)
        for (int32_t loop : dim)
          read.set(loop);
      if (llvm::is_contained(made, operand) || !read.all() ||
          isExtended(op->getOperand(operand), op->getResult(0)))
        return true;
      ValueId value = program.problem.tensors(id)[operand];
      return passes > 0 && value != kNoValue &&
             isCopy(program.find(value), passes - 1);
    };
    auto model = dyn_cast<ShardingInterface>(op);
    return model && model.getFlopsPerIteration() == 0 &&
           llvm::all_of(table.loops, isParallel) &&
           llvm::all_of(llvm::seq<unsigned>(0, op->getNumOperands()),
                        isSmallOrCopy);
  }

  const ReadProgram &program;
  const OpsOfValues &ops;
  const SolvedShardings &solved;
  const Grid &grid;
  int64_t parts;
};
} // namespace

bool mayReplace(const ReadProgram &program, const OpsOfValues &ops,
                const SolvedShardings &solved, const Grid &grid, ValueId value,
                const Sharding &wanted) {
  int64_t parts = partsOf(grid, wanted);
  return parts >= partsOf(grid, solved.shardingOf(value)) ||
         CopyFinder(program, ops, solved, grid, parts).isCopy(value);
}

bool holdsOnce(const ReadProgram &program, const OpsOfValues &ops,
               ValueId value) {
  return llvm::any_of(ops.of(value), [&](const TensorUse &use) {
    auto *op = llvm::dyn_cast_if_present<Operation *>(program.origins[use.op]);
    if (!op)
      return program.isEdge(use.op) &&
             program.find(program.problem.tensors(use.op).back()) == value;
    if (use.tensor < op->getNumOperands())
      return false;
    const LoopTable &table =
        program.tables.table(program.problem.opTable[use.op]);
    return llvm::any_of(llvm::enumerate(op->getOperands()), [&](auto operand) {
      return isExtended(operand.value(), op->getResult(0)) &&
             tensorLoops(table, operand.index()).dims.size() ==
                 table.loops.size();
    });
  });
}

/// A hint that says nothing: all dimensions are open, without axes.
static bool isEmpty(const Hint &hint) {
  return hint.replicated.empty() && hint.partial.empty() &&
         llvm::all_of(hint.dims, [](const DimHint &dim) {
           return dim.open && dim.axes.empty();
         });
}

llvm::DenseSet<ValueId> findFixed(const ReadProgram &program) {
  const Problem &problem = program.problem;
  llvm::DenseSet<ValueId> fixed;
  for (const auto &[value, number] : problem.hints)
    if (!isEmpty(problem.hintTable[number]))
      fixed.insert(program.find(value));
  for (ValueId value : program.hints.annotated)
    if (value != kNoValue)
      fixed.insert(program.find(value));
  for (const ReadProgram::Captured &captured : program.captured)
    fixed.insert(program.find(captured.value));
  for (const auto &[function, ids] : program.declaredArguments)
    for (ValueId id : ids)
      if (id != kNoValue)
        fixed.insert(program.find(id));
  return fixed;
}

static bool hasPriorities(const Hint &hint) {
  return llvm::any_of(hint.dims,
                      [](const DimHint &dim) { return dim.priority > 0; });
}

llvm::DenseSet<ValueId> findDecided(const ReadProgram &program,
                                    const Solution &solution,
                                    const PropagationOptions &options) {
  llvm::DenseSet<ValueId> decided = findFixed(program);
  if (options.userPriorities &&
      llvm::any_of(program.problem.hintTable, hasPriorities))
    for (ValueId value = 0; value < program.problem.numValues(); ++value)
      if (solution.values[program.find(value)] != kReplicated)
        decided.insert(program.find(value));
  return decided;
}

} // namespace shard::propagation
