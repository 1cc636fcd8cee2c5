//===- ShardingInterface.cpp - What an op tells about sharding ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/ShardingInterface.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/IndexingMapOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

ReductionKind firstReductionKind(Operation *op) {
  for (const Loop &loop : cast<ShardingInterface>(op).getShardingLoops())
    if (loop.kind == LoopKind::Reduction)
      return loop.reduction;
  return ReductionKind::Sum;
}

LoopsAndMaps askLoopsAndMaps(Operation *op) {
  auto model = cast<ShardingInterface>(op);
  return {model.getShardingLoops(), model.getShardingMaps()};
}

bool isConstantTensor(Operation *op) {
  return op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType()) &&
         op->hasTrait<OpTrait::ConstantLike>();
}

bool isCreator(Operation *op) {
  auto model = dyn_cast<ShardingInterface>(op);
  return model ? model.isCreator() : isConstantTensor(op);
}

bool isMadeForEachUser(Operation *op) {
  auto model = dyn_cast<ShardingInterface>(op);
  return model ? model.isMadeForEachUser() : isConstantTensor(op);
}

/// Whether `op` is speculatable on what its operands are annotations of: a division by a
/// constant stays one when propagation annotates the constant.
static bool isSpeculatableOnSources(Operation *op) {
  bool isAnnotated = false;
  SmallVector<Value> sources;
  for (Value source : op->getOperands()) {
    while (auto annotation = source.getDefiningOp<ShardOp>()) {
      source = annotation.getSrc();
      isAnnotated = true;
    }
    sources.push_back(source);
  }
  if (!isAnnotated)
    return false;
  Operation *bare = op->clone();
  bare->setOperands(sources);
  bool result = isSpeculatable(bare);
  bare->erase();
  return result;
}

bool mayTrapByEffects(Operation *op) {
  if (op->getNumRegions() == 0)
    return !isSpeculatable(op) && !isSpeculatableOnSources(op);
  return op
      ->walk([&](Operation *inner) {
        if (inner == op || inner->getNumRegions() > 0 ||
            inner->hasTrait<OpTrait::IsTerminator>())
          return WalkResult::advance();
        auto model = dyn_cast<ShardingInterface>(inner);
        bool traps = model ? model.mayTrapOnPadding() : mayTrapByEffects(inner);
        return traps ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool saysNothingOfSizes(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<IndexingMapOpInterface>(op);
}

bool isHarmlessElementwise(Operation *op) {
  auto model = dyn_cast<ShardingInterface>(op);
  return op->hasTrait<OpTrait::Elementwise>() && model &&
         !model.mayTrapOnPadding();
}

/// Whether `op` computes elements: neither a cast nor on indices.
static bool isArithmetic(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() > 0 &&
         !isa<CastOpInterface>(op) &&
         !getElementTypeOrSelf(op->getResult(0).getType()).isIndex();
}

int64_t countFlops(Operation *op) {
  if (op->getNumRegions() == 0)
    return isArithmetic(op) ? 1 : 0;
  int64_t count = 0;
  op->walk(
      [&](Operation *inner) { count += inner != op && isArithmetic(inner); });
  return count;
}

bool isCast(Operation *op) {
  return isa<CastOpInterface>(op) && op->getNumOperands() == 1 &&
         op->getNumResults() == 1;
}

bool isAlias(Operation *op) {
  if (isa<WaitOp>(op))
    return true;
  auto model = dyn_cast<ShardingInterface>(op);
  return model && model.isAlias();
}

bool readsSingleElements(Operation *op, unsigned operand) {
  auto model = dyn_cast<ShardingInterface>(op);
  return model && model.readsSingleElements(operand);
}

void annotateByOption(Operation *op, OpBuilder &builder, StringRef grid,
                      const ShardingOption &option) {
  OpBuilder::InsertionGuard guard(builder);
  LoopTable table = buildLoopTable(op);
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    if (!table.operands[number].isTensor)
      continue;
    builder.setInsertionPoint(op);
    Value handle = buildSharding(builder, op->getLoc(), grid,
                                 operandSharding(table, number, option))
                       .getResult();
    operand.set(ShardOp::create(builder, op->getLoc(), operand.get().getType(),
                                operand.get(), handle, builder.getUnitAttr()));
  }
  for (OpResult result : op->getResults()) {
    if (!table.results[result.getResultNumber()].isTensor)
      continue;
    Sharding sharding = resultSharding(table, result.getResultNumber(), option);
    sharding.partial.clear();
    builder.setInsertionPointAfter(op);
    Value handle =
        buildSharding(builder, op->getLoc(), grid, sharding).getResult();
    auto annotation = ShardOp::create(builder, op->getLoc(), result.getType(),
                                      result, handle, UnitAttr());
    result.replaceAllUsesExcept(annotation, annotation);
  }
}

void ShardingInterface::printLoopTypesAndIndexingMaps(raw_ostream &os) {
  os << "loops:";
  // As propagation has them: loops of windows are invalid there.
  for (const Loop &loop : buildLoopTable(*this).loops) {
    switch (loop.kind) {
    case LoopKind::Parallel:
      os << " parallel";
      break;
    case LoopKind::Reduction:
      os << " reduction<" << stringifyReductionKind(loop.reduction) << ">";
      break;
    case LoopKind::Invalid:
      os << " invalid";
      break;
    }
    os << "(";
    if (ShapedType::isDynamic(loop.extent))
      os << "?";
    else
      os << loop.extent;
    os << ")";
  }
  os << "\n";
  unsigned numOperands = (*this)->getNumOperands();
  for (auto [index, map] : llvm::enumerate(getShardingMaps())) {
    if (index < numOperands)
      os << "operand " << index << ": ";
    else
      os << "result " << index - numOperands << ": ";
    if (map)
      os << map << "\n";
    else
      os << "no tensor\n";
  }
}

} // namespace shard

#include "shard/Interfaces/ShardingInterface.cpp.inc"
