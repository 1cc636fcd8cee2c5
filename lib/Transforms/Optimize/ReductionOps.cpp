//===- ReductionOps.cpp - What ops do to reductions -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/ReductionOps.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/LoopTable.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/Emitter.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace shard {

/// Whether the body of `op` does not read what `operand` holds.
static bool isUnread(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return false;
  mlir::Block &body = op->getRegion(0).front();
  return body.getNumArguments() == op->getNumOperands() &&
         body.getArgument(operand.getOperandNumber()).use_empty();
}

bool isUsedBy(Value value, Operation *user) {
  return llvm::all_of(value.getUsers(),
                      [&](Operation *other) { return other == user; });
}

bool isElementwise(Operation *op) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (OpTrait::hasElementwiseMappableTraits(op))
    return llvm::all_of(op->getOperandTypes(), [&](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.getShape() == result.getShape();
    });
  return isa<DestinationStyleOpInterface>(op) &&
         llvm::all_of(op->getOpOperands(),
                      [&](OpOperand &operand) {
                        return operand.get().getType() == result &&
                               (!isDestination(operand) || isUnread(operand));
                      }) &&
         buildLoopTable(op).pointwise;
}

bool isDestination(OpOperand &operand) {
  auto style = dyn_cast<DestinationStyleOpInterface>(operand.getOwner());
  return style && style.isDpsInit(&operand);
}

bool combinesLike(Operation *op, ReductionKind kind) {
  if (op->getNumRegions() == 0)
    return op->getNumOperands() == 2 && combinesAs(op, kind);
  auto style = dyn_cast<DestinationStyleOpInterface>(op);
  if (!style || style.getNumDpsInits() != 1 || op->getNumRegions() != 1 ||
      !op->getRegion(0).hasOneBlock() || !isa<ShardingInterface>(op))
    return false;
  mlir::Block &body = op->getRegion(0).front();
  if (body.getNumArguments() != op->getNumOperands() ||
      !llvm::hasNItems(body, 2))
    return false;
  Operation &combiner = body.front();
  return combiner.getNumOperands() == 2 && combiner.getNumResults() == 1 &&
         combinesAs(&combiner, kind) &&
         llvm::all_of(
             combiner.getOperands(),
             [&](Value value) {
               auto argument = dyn_cast<BlockArgument>(value);
               return argument && argument.getOwner() == &body &&
                      isa<RankedTensorType>(
                          op->getOperand(argument.getArgNumber()).getType());
             }) &&
         body.getTerminator()->getNumOperands() == 1 &&
         body.getTerminator()->getOperand(0) == combiner.getResult(0);
}

bool isNeutralDestination(OpOperand &operand, ReductionKind kind) {
  if (isUnread(operand))
    return true;
  auto creator = operand.get().getDefiningOp();
  if (!creator || !isCreator(creator))
    return false;
  Type element = getElementTypeOrSelf(operand.get().getType());
  TypedAttr neutral = neutralElement(kind, element);
  auto isElement = [&](Attribute value) {
    if (auto splat = dyn_cast_if_present<SplatElementsAttr>(value))
      value = splat.getSplatValue<Attribute>();
    return value == neutral || (kind == ReductionKind::Sum &&
                                (matchPattern(value, m_AnyZeroFloat()) ||
                                 matchPattern(value, m_Zero())));
  };
  Attribute constant;
  if (matchPattern(creator, m_Constant(&constant)))
    return isElement(constant);
  return isElement(filledElement(operand.get()));
}

Attribute filledElement(Value value) {
  Operation *creator = value.getDefiningOp();
  Attribute constant;
  if (!creator || !isCreator(creator))
    return {};
  for (Value scalar : creator->getOperands())
    if (scalar.getType() == getElementTypeOrSelf(value.getType())) {
      matchPattern(scalar, m_Constant(&constant));
      break;
    }
  return constant;
}

Value wholeOf(Value value, const Reduction &reduce) {
  if (!reduce.scattered)
    return value;
  auto slice = value.getDefiningOp<AllSliceOp>();
  return slice && slice.getGridAttr() == reduce.grid &&
                 slice.getGridAxes() == reduce.axes &&
                 slice.getSliceAxis().getSExtValue() == *reduce.scattered &&
                 slice.getInput().getType() ==
                     reduce.inputType(cast<RankedTensorType>(value.getType()))
             ? slice.getInput()
             : Value();
}

SplatElementsAttr splatOf(Value value) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return {};
  return llvm::any_of(value.getDefiningOp()->getAttrDictionary(),
                      [&](NamedAttribute attribute) {
                        return attribute.getValue() == splat;
                      })
             ? splat
             : SplatElementsAttr();
}

Value splatLike(OpBuilder &builder, Value value, const Reduction &reduce) {
  RankedTensorType type =
      reduce.inputType(cast<RankedTensorType>(value.getType()));
  SplatElementsAttr splat = splatOf(value);
  Operation *constant = builder.clone(*value.getDefiningOp());
  for (NamedAttribute attribute : constant->getAttrDictionary())
    if (attribute.getValue() == splat)
      constant->setAttr(attribute.getName(), splat.resizeSplat(type));
  constant->getResult(0).setType(type);
  return constant->getResult(0);
}

bool canBePartial(Value value, ReductionKind kind, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.hasStaticShape() && type.getElementType() == element &&
         neutralElement(kind, element);
}

Value makeSummand(OpBuilder &builder, Location loc, Value value,
                  const Reduction &like, bool isBlock, const Grid &grid,
                  const CostModel &costs) {
  auto type = cast<RankedTensorType>(value.getType());
  if (isBlock)
    type = like.inputType(type);
  AxisList axes(like.axes.begin(), like.axes.end());
  Sharding from = Sharding::replicated(type.getRank()), to = from;
  if (isBlock)
    from.dims[*like.scattered] = axes;
  to.partial = axes;
  to.reduction = like.kind;
  Planner planner(costs);
  FailureOr<Value> made = emitReshard(builder, loc, value, type, from, to,
                                      {grid, like.grid, planner});
  assert(succeeded(made) && "there is a neutral element");
  return *made;
}

bool mayReduceInstead(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

} // namespace shard
