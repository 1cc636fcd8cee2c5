//===- Fusion.cpp - Which tensors are never in memory -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"

#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace shard {

/// Fused ops have at most so many operands, as in shard-prepare-tensors.
static constexpr unsigned kMaxFusedOperands = 12;

/// Whether `op` is a loop nest with a body that works on elements.
static bool isNest(Operation *op) {
  if (op->getNumResults() == 0 || isAlias(op) || isCreator(op))
    return false;
  if (op->hasTrait<OpTrait::Elementwise>())
    return true;
  return isa<DestinationStyleOpInterface>(op) && op->getNumRegions() == 1 &&
         !isa<LoopLikeOpInterface>(op) && isa<ShardingInterface>(op);
}

static bool isParallel(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         llvm::all_of(
             cast<ShardingInterface>(op).getShardingLoops(),
             [](const Loop &loop) { return loop.kind == LoopKind::Parallel; });
}

/// Whether a loop moves operand `a` and the result but not operand `b`, and another one
/// `b` and the result but not `a`, while others are summed over.
static bool isProduct(ArrayRef<Loop> loops, AffineMap a, AffineMap b,
                      AffineMap result) {
  bool rows = false, columns = false;
  for (auto [number, loop] : llvm::enumerate(loops)) {
    if (loop.extent == 1 || !result.isFunctionOfDim(number))
      continue;
    bool inA = a.isFunctionOfDim(number), inB = b.isFunctionOfDim(number);
    rows |= inA && !inB;
    columns |= inB && !inA;
  }
  return rows && columns;
}

bool readsElements(Operation *op) {
  if (!isNest(op))
    return false;
  if (isParallel(op))
    return true;
  auto model = cast<ShardingInterface>(op);
  auto [loops, maps] = model.getLoopsAndMaps();
  unsigned inputs = cast<DestinationStyleOpInterface>(op).getNumDpsInputs();
  AffineMap result = maps[op->getNumOperands()];
  for (unsigned a = 0; a < inputs; ++a)
    for (unsigned b = 0; b < a; ++b)
      if (result && maps[a] && maps[b] &&
          isProduct(loops, maps[a], maps[b], result))
        return false;
  return true;
}

llvm::DenseSet<Operation *> fusedOps(mlir::Block &block) {
  llvm::DenseSet<Operation *> fused;
  llvm::DenseMap<Operation *, unsigned> widths;
  for (Operation &op : block) {
    if (!readsElements(&op))
      continue;
    unsigned width = op.getNumOperands();
    auto style = dyn_cast<DestinationStyleOpInterface>(&op);
    for (OpOperand &operand : op.getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (!producer || producer->getBlock() != &block ||
          producer->getNumResults() != 1 || !operand.get().hasOneUse() ||
          (style && style.isDpsInit(&operand)))
        continue;
      auto known = widths.find(producer);
      if (known == widths.end() || known->second + width > kMaxFusedOperands)
        continue;
      fused.insert(producer);
      // Neither the tensor between both nor its destination is left.
      width += known->second - 2;
    }
    if (isParallel(&op))
      widths[&op] = width;
  }
  return fused;
}

} // namespace shard
