//===- BodyReductions.cpp - What bodies of linalg combine -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyReductions.h"

#include "TensorModels.h"

#include "shard/IR/ShardOps.h"
#include "shard/Partitioning/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

namespace {

/// One op of a body that combines `carried` with another value.
struct Combiner {
  ReductionKind kind;
  Value term, result;
};

} // namespace

/// The kind by which `op` combines two values, the carried one as operand `operand`. A sum
/// of single bits is their exclusive or, a product their and.
static std::optional<ReductionKind> kindOf(Operation *op, unsigned operand) {
  bool isBit =
      op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1);
  if (isBit && isa<arith::AddIOp, arith::SubIOp>(op))
    return ReductionKind::BitwiseXor;
  if (isBit && isa<arith::MulIOp>(op))
    return ReductionKind::BitwiseAnd;
  return llvm::TypeSwitch<Operation *, std::optional<ReductionKind>>(op)
      .Case<arith::AddFOp, arith::AddIOp, complex::AddOp>(
          [](auto) { return ReductionKind::Sum; })
      .Case<arith::SubFOp, arith::SubIOp, complex::SubOp>(
          [&](auto) -> std::optional<ReductionKind> {
            if (operand == 0)
              return ReductionKind::Sum;
            return std::nullopt;
          })
      .Case<arith::MulFOp, arith::MulIOp>(
          [](auto) { return ReductionKind::Product; })
      .Case<arith::MaximumFOp, arith::MaxSIOp>(
          [](auto) { return ReductionKind::Max; })
      .Case<arith::MinimumFOp, arith::MinSIOp>(
          [](auto) { return ReductionKind::Min; })
      .Case<arith::MaxUIOp>([](auto) { return ReductionKind::UMax; })
      .Case<arith::MinUIOp>([](auto) { return ReductionKind::UMin; })
      .Case<arith::AndIOp>([](auto) { return ReductionKind::BitwiseAnd; })
      .Case<arith::OrIOp>([](auto) { return ReductionKind::BitwiseOr; })
      .Case<arith::XOrIOp>([](auto) { return ReductionKind::BitwiseXor; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The kind of `predicate ? left : right`, where the predicate compares left with right.
static std::optional<ReductionKind> kindOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sge:
    return ReductionKind::Max;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sle:
    return ReductionKind::Min;
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::uge:
    return ReductionKind::UMax;
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::ule:
    return ReductionKind::UMin;
  case arith::CmpIPredicate::eq:
  case arith::CmpIPredicate::ne:
    break;
  }
  return std::nullopt;
}

/// The larger or smaller one of `carried` and another value, chosen by `select`, which with
/// its comparison is all that uses `carried`.
static std::optional<Combiner> matchChoice(Value carried,
                                           arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare->hasOneUse() ||
      !llvm::hasNItems(carried.getUses(), 2) ||
      compare->getBlock() != select->getBlock())
    return std::nullopt;
  Value left = compare.getLhs(), right = compare.getRhs();
  bool swaps = select.getTrueValue() == right;
  if (select.getTrueValue() != (swaps ? right : left) ||
      select.getFalseValue() != (swaps ? left : right) ||
      (left == carried) == (right == carried))
    return std::nullopt;
  std::optional<ReductionKind> kind =
      kindOf(swaps ? arith::invertPredicate(compare.getPredicate())
                   : compare.getPredicate());
  if (!kind)
    return std::nullopt;
  return Combiner{*kind, left == carried ? right : left, select.getResult()};
}

/// What the only op that uses `carried` makes of it.
static std::optional<Combiner> matchCombiner(Value carried, mlir::Block *body) {
  for (Operation *user : carried.getUsers())
    if (auto select = dyn_cast<arith::SelectOp>(user);
        select && user->getBlock() == body)
      return matchChoice(carried, select);
  if (!carried.hasOneUse())
    return std::nullopt;
  OpOperand &use = *carried.use_begin();
  Operation *op = use.getOwner();
  if (op->getBlock() != body || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<ReductionKind> kind = kindOf(op, use.getOperandNumber());
  if (!kind)
    return std::nullopt;
  return Combiner{*kind, op->getOperand(1 - use.getOperandNumber()),
                  op->getResult(0)};
}

/// Whether collectives reduce elements of `type`.
static bool isReducedByCollectives(Type type) {
  return isa<ComplexType, IndexType>(type) || type.isF16() || type.isBF16() ||
         type.isF32() || type.isF64() ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

/// As matchBodyReduction, for elements of all types.
static std::optional<BodyReduction> matchCombiners(linalg::LinalgOp op,
                                                   unsigned index) {
  mlir::Block *body = op.getBlock();
  Operation *last = body->getTerminator();
  std::optional<BodyReduction> found;
  for (Value carried = op.getRegionOutputArgs()[index];;) {
    if (carried.hasOneUse() && *carried.user_begin() == last) {
      if (carried.use_begin()->getOperandNumber() != index)
        return std::nullopt;
      // What only keeps its init gives each device the same: the maximum of these.
      return found ? *found : BodyReduction{ReductionKind::Max, Value()};
    }
    std::optional<Combiner> combiner = matchCombiner(carried, body);
    if (!combiner || (found && found->kind != combiner->kind))
      return std::nullopt;
    found = BodyReduction{combiner->kind, found ? Value() : combiner->term};
    carried = combiner->result;
  }
}

std::optional<BodyReduction> matchBodyReduction(linalg::LinalgOp op,
                                                unsigned index) {
  BlockArgument carried = op.getRegionOutputArgs()[index];
  // One op that is a reduction by itself is an error where collectives do not reduce its
  // elements; other bodies get all of them.
  Operation *user = carried.hasOneUse() ? *carried.user_begin() : nullptr;
  bool isOneOp =
      user && user->hasTrait<OpTrait::IsCommutative>() &&
      op.getBlock()->getTerminator()->getOperand(index).getDefiningOp() == user;
  if (!isOneOp && !isReducedByCollectives(carried.getType()))
    return std::nullopt;
  return matchCombiners(op, index);
}

bool canReduce(ReductionKind kind, Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Type part = complex.getElementType();
    return kind == ReductionKind::Sum &&
           (part.isF16() || part.isBF16() || part.isF32() || part.isF64());
  }
  return bool(neutralElement(kind, type));
}

/// An attribute with which a constant or a fill states `number`, an element or the parts of
/// a complex one.
static Attribute elementOf(Type type, TypedAttr number) {
  if (isa<ComplexType>(type))
    return ArrayAttr::get(type.getContext(), {number, number});
  return number;
}

/// The type of `type`, or of the parts of its elements.
static Type numberOf(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

bool isNeutralTensor(Value value, ReductionKind kind) {
  Attribute element = splatElement(beforeShardings(value));
  Type type = getElementTypeOrSelf(value.getType());
  TypedAttr neutral = neutralElement(kind, numberOf(type));
  if (!element || !neutral)
    return false;
  return element == elementOf(type, neutral) ||
         (kind == ReductionKind::Sum && isa<FloatAttr>(neutral) &&
          element == elementOf(type, FloatAttr::get(neutral.getType(), 0.0)));
}

Value neutralTensor(OpBuilder &builder, Location loc, ReductionKind kind,
                    Value init) {
  auto type = cast<RankedTensorType>(init.getType());
  Type element = type.getElementType();
  TypedAttr neutral = neutralElement(kind, numberOf(element));
  if (!isa<ComplexType>(element))
    return filledTensor(builder, loc, type, neutral, init);
  Value number = complex::ConstantOp::create(
      builder, loc, element, cast<ArrayAttr>(elementOf(element, neutral)));
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, init), element);
  return linalg::FillOp::create(builder, loc, number, empty).getResult(0);
}

} // namespace shard
