//===- Ops.cpp - What one op computes and touches -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Cost/Ops.h"

#include "shard/Cost/Collectives.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace shard {

double OpCost::seconds(const Machine &machine) const {
  return std::max(double(flops) / machine.flops(bits),
                  double(bytesTouched) / machine.memoryBandwidth);
}

/// Whether the op makes memory that it does not write.
static bool makesEmpty(Operation *op) {
  return isCreator(op) && op->getNumRegions() == 0 &&
         !op->hasTrait<OpTrait::ConstantLike>() &&
         llvm::none_of(op->getOperandTypes(), [](Type type) {
           return isa<RankedTensorType>(type) || type.isIntOrFloat();
         });
}

/// Whether the op only hands tensors on, or costs nothing by its meaning.
static bool isFree(Operation *op) {
  if (isa_and_nonnull<ShardDialect>(op->getDialect()) ||
      op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>() ||
      isa<CallOpInterface, RegionBranchOpInterface>(op) || isAlias(op))
    return true;
  // Shapes of tensors.
  return llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) ||
         makesEmpty(op);
}

/// The op as one that inserts a slice into its destination, or nothing.
static DestinationStyleOpInterface asInsertion(Operation *op) {
  auto style = dyn_cast<DestinationStyleOpInterface>(op);
  if (!isa<OffsetSizeAndStrideOpInterface>(op) || !style ||
      style.getNumDpsInits() != 1 || style.getNumDpsInputs() < 1)
    return {};
  return style;
}

bool insertsInPlace(Operation *op) {
  DestinationStyleOpInterface style = asInsertion(op);
  if (!style)
    return false;
  auto insertion = cast<OffsetSizeAndStrideOpInterface>(op);
  auto source = dyn_cast<OpResult>(style.getDpsInputOperand(0)->get());
  auto maker = source ? dyn_cast<DestinationStyleOpInterface>(source.getOwner())
                      : DestinationStyleOpInterface();
  if (!maker || isa<OffsetSizeAndStrideOpInterface>(source.getOwner()))
    return false;
  Value target = maker.getTiedOpOperand(source)->get();
  auto slice = target.getDefiningOp<OffsetSizeAndStrideOpInterface>();
  return slice && slice->getNumOperands() > 0 &&
         slice->getOperand(0) == style.getDpsInitOperand(0)->get() &&
         source.hasOneUse() && isAlias(slice) &&
         mlir::detail::sameOffsetsSizesAndStrides(insertion, slice,
                                                  isEqualConstantIntOrValue);
}

bool isOverwritable(Value value) {
  while (value.hasOneUse()) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      mlir::Block *block = argument.getOwner();
      return !block->isEntryBlock() ||
             !isa_and_nonnull<FunctionOpInterface>(block->getParentOp());
    }
    Operation *maker = value.getDefiningOp();
    if (!isAlias(maker))
      return !maker->hasTrait<OpTrait::ConstantLike>();
    value = maker->getOperand(0);
  }
  return false;
}

Value destinationOfInsertion(Operation *op) {
  DestinationStyleOpInterface style = asInsertion(op);
  return style ? style.getDpsInitOperand(0)->get() : Value();
}

bool overwritesDestination(Operation *op) {
  Value destination = destinationOfInsertion(op);
  return destination && isOverwritable(destination);
}

std::optional<OpCost> costOfOp(Operation *op) {
  return costOfOp(op, overwritesDestination(op));
}

std::optional<OpCost> costOfOp(Operation *op, bool overwrites) {
  OpCost cost;
  if (isFree(op) || insertsInPlace(op))
    return cost;
  auto touch = [&](Type type) {
    if (!isa<RankedTensorType>(type))
      return true;
    std::optional<int64_t> bytes = bytesOfType(type);
    return bytes && !__builtin_add_overflow(cost.bytesTouched, *bytes,
                                            &cost.bytesTouched);
  };
  if (DestinationStyleOpInterface style = asInsertion(op);
      style && overwrites) {
    Type source = style.getDpsInputOperand(0)->get().getType();
    return touch(source) && touch(source) ? std::optional(cost) : std::nullopt;
  }
  auto read = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    return (maker && makesEmpty(maker)) || touch(value.getType());
  };
  if (!llvm::all_of(op->getOperands(), read) ||
      !llvm::all_of(op->getResultTypes(), touch))
    return std::nullopt;
  auto multiply = [&](int64_t extent) {
    return !ShapedType::isDynamic(extent) &&
           !__builtin_mul_overflow(cost.flops, extent, &cost.flops);
  };
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (auto model = dyn_cast<ShardingInterface>(op)) {
    cost.flops = model.getFlopsPerIteration();
    SmallVector<Loop> loops = model.getShardingLoops();
    if (!llvm::all_of(loops,
                      [&](const Loop &loop) { return multiply(loop.extent); }))
      return std::nullopt;
    // The type of what is combined tells which units compute, not that of the sum.
    for (Type type : op->getOperandTypes())
      if (isa<RankedTensorType>(type)) {
        element = getElementTypeOrSelf(type);
        break;
      }
  } else {
    cost.flops = countFlops(op);
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (type && !llvm::all_of(type.getShape(), multiply))
      return std::nullopt;
  }
  if (element.isIntOrFloat())
    cost.bits = element.getIntOrFloatBitWidth();
  return cost;
}

std::optional<int64_t> tripCount(LoopLikeOpInterface loop) {
  if (std::optional<APInt> trips = loop.getStaticTripCount())
    return trips->getActiveBits() < 63 ? std::optional(trips->getSExtValue())
                                       : std::nullopt;
  auto low = loop.getLoopLowerBounds(), high = loop.getLoopUpperBounds(),
       step = loop.getLoopSteps();
  if (!low || !high || !step)
    return std::nullopt;
  int64_t count = 1;
  for (auto [from, to, by] : llvm::zip_equal(*low, *high, *step)) {
    std::optional<int64_t> a = getConstantIntValue(from),
                           b = getConstantIntValue(to),
                           c = getConstantIntValue(by);
    int64_t distance;
    if (!a || !b || !c || *c <= 0 || __builtin_sub_overflow(*b, *a, &distance))
      return std::nullopt;
    if (__builtin_mul_overflow(
            count, distance <= 0 ? 0 : (distance - 1) / *c + 1, &count))
      return std::nullopt;
  }
  return count;
}

} // namespace shard
