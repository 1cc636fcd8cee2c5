//===- MakeTotal.cpp - Give undefined cases a value -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "shard/Geometry/Window.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

/// An integer constant of `type`, a splat where that is a tensor or vector.
static Value makeConstant(OpBuilder &builder, Location loc, Type type,
                          const APInt &value) {
  auto element = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(shaped, Attribute(element)));
  return arith::ConstantOp::create(builder, loc,
                                   cast<TypedAttr>(Attribute(element)));
}

/// The width of the elements of `type`, integers or indices.
static unsigned widthOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

/// Gives `op`, an integer division or remainder, a divisor that cannot trap, and
/// the result 0 where the divisor is 0.
static void makeDivisionTotal(Operation *op, bool isSigned) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !shaped.hasStaticShape())
    return;
  Value divisor = op->getOperand(1);
  if (auto constant = divisor.getDefiningOp<arith::ConstantOp>()) {
    auto value = dyn_cast<IntegerAttr>(constant.getValue());
    if (value && !value.getValue().isZero() && !value.getValue().isAllOnes())
      return;
  }
  unsigned width = widthOf(type);
  Value zero = makeConstant(builder, loc, type, APInt::getZero(width));
  Value one = makeConstant(builder, loc, type, APInt(width, 1));
  Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       divisor, zero);
  Value unsafe = isZero;
  Value overflows;
  if (isSigned) {
    Value least =
        makeConstant(builder, loc, type, APInt::getSignedMinValue(width));
    Value minusOne = makeConstant(builder, loc, type, APInt::getAllOnes(width));
    Value isLeast = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, op->getOperand(0), least);
    Value isMinusOne = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, divisor, minusOne);
    overflows = arith::AndIOp::create(builder, loc, isLeast, isMinusOne);
    unsafe = arith::OrIOp::create(builder, loc, isZero, overflows);
  }
  op->setOperand(1,
                 arith::SelectOp::create(builder, loc, unsafe, one, divisor));
  builder.setInsertionPointAfter(op);
  Value result = op->getResult(0);
  auto select = arith::SelectOp::create(builder, loc, isZero, zero, result);
  result.replaceAllUsesExcept(select, select);
}

static bool hasStaticShape(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || shaped.hasStaticShape();
}

/// A shift by at least the width, or by a negative number, moves all bits out: it gives
/// 0, and of arith.shrsi the sign in each bit.
static void makeShiftTotal(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  Value amount = op->getOperand(1);
  unsigned width = widthOf(type);
  IntegerAttr known;
  if (!hasStaticShape(type) ||
      (matchPattern(amount, m_Constant(&known)) && known.getValue().ult(width)))
    return;
  auto isSmall = [&](const APInt &number) { return number.ult(width); };
  DenseIntElementsAttr list;
  if (matchPattern(amount, m_Constant(&list)) &&
      (list.isSplat() ? isSmall(list.getSplatValue<APInt>())
                      : llvm::all_of(list.getValues<APInt>(), isSmall)))
    return;
  bool isArithmetic = isa<arith::ShRSIOp>(op);
  // A width of one bit has no number of its own among the integers of one bit.
  Value most = makeConstant(builder, loc, type, APInt(width, width - 1));
  Value isLarge = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt,
                                        amount, most);
  op->setOperand(1,
                 arith::SelectOp::create(builder, loc, isLarge, most, amount));
  if (isArithmetic)
    return;
  builder.setInsertionPointAfter(op);
  Value zero = makeConstant(builder, loc, type, APInt::getZero(width));
  Value result = op->getResult(0);
  auto select = arith::SelectOp::create(builder, loc, isLarge, zero, result);
  result.replaceAllUsesExcept(select, select);
}

/// A float that an integer type does not hold becomes the nearest integer that it holds;
/// NaN becomes 0.
static void makeConversionTotal(Operation *op, bool isSigned) {
  Type type = op->getResult(0).getType();
  Value source = op->getOperand(0);
  if (!hasStaticShape(type))
    return;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto element = cast<FloatType>(getElementTypeOrSelf(source.getType()));
  auto real = [&](const APFloat &number) -> Value {
    auto attribute = FloatAttr::get(element, number);
    if (auto shaped = dyn_cast<ShapedType>(source.getType()))
      return arith::ConstantOp::create(
          builder, loc, DenseElementsAttr::get(shaped, Attribute(attribute)));
    return arith::ConstantOp::create(builder, loc, attribute);
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value other) -> Value {
    return arith::CmpFOp::create(builder, loc, predicate, source, other);
  };
  builder.setInsertionPointAfter(op);
  unsigned width = widthOf(type);
  Value result = op->getResult(0), last = result;
  Operation *first = nullptr;
  auto replace = [&](Value condition, const APInt &number) {
    Value constant = makeConstant(builder, loc, type, number);
    auto select =
        arith::SelectOp::create(builder, loc, condition, constant, last);
    first = first ? first : select.getOperation();
    last = select;
  };
  APInt most =
      isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  // 2 to the number of bits of the magnitude: one more than the largest integer.
  APFloat beyond(element.getFloatSemantics());
  APFloat::opStatus status =
      beyond.convertFromAPInt(APInt::getOneBitSet(width + 1, width - isSigned),
                              /*IsSigned=*/false, APFloat::rmNearestTiesToEven);
  if (status == APFloat::opOK || beyond.isInfinity()) {
    replace(compare(arith::CmpFPredicate::OGE, real(beyond)), most);
    APFloat below = isSigned ? beyond : APFloat::getZero(beyond.getSemantics());
    below.changeSign();
    replace(compare(arith::CmpFPredicate::OLE, real(below)),
            isSigned ? APInt::getSignedMinValue(width) : APInt(width, 0));
  }
  replace(compare(arith::CmpFPredicate::UNO, source), APInt(width, 0));
  result.replaceUsesWithIf(
      last, [&](OpOperand &use) { return use.getOwner() != first; });
}

/// Clamps `indices` into `tensor`, whose elements `op` reads or writes. Returns
/// whether all of them were in range; null if that is known.
static Value clampIndices(Operation *op, Value tensor,
                          MutableOperandRange indices) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  Value valid;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  for (auto [dim, operand] : llvm::enumerate(indices)) {
    std::optional<int64_t> known = getConstantIntValue(operand.get());
    if (known && !type.isDynamicDim(dim) && *known >= 0 &&
        *known < type.getDimSize(dim))
      continue;
    Value extent = type.isDynamicDim(dim)
                       ? Value(tensor::DimOp::create(builder, loc, tensor, dim))
                       : Value(arith::ConstantIndexOp::create(
                             builder, loc, type.getDimSize(dim)));
    Value last = arith::SubIOp::create(builder, loc, extent, one);
    Value clamped = arith::MinSIOp::create(builder, loc, operand.get(), last);
    // As unsigned numbers, negative ones are beyond the end too.
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, operand.get(), extent);
    valid = valid
                ? arith::AndIOp::create(builder, loc, valid, inside).getResult()
                : inside;
    operand.set(arith::MaxSIOp::create(builder, loc, clamped, zero));
  }
  return valid;
}

/// An element that lies nowhere in the tensor is not written: the one at the
/// nearest place is written back. No device of a grid would hold it either.
static void makeInsertTotal(tensor::InsertOp op) {
  Value valid = clampIndices(op, op.getDest(), op.getIndicesMutable());
  if (!valid)
    return;
  OpBuilder builder(op);
  Value old = tensor::ExtractOp::create(builder, op.getLoc(), op.getDest(),
                                        op.getIndices());
  op.getScalarMutable().assign(arith::SelectOp::create(
      builder, op.getLoc(), valid, op.getScalar(), old));
}

namespace {

/// Moves slices into their tensors. A constant offset, as an attribute or as a value, has to be in
/// range where the size or the tensor is known only when the program runs. Two slices with one
/// offset keep sharing it: bufferization tells by that that they are the same place.
/// LLVM removes the comparisons where the bounds of a loop imply them. A slice that
/// does not fit its tensor at any offset is found by shard-check-extents.
class SliceClamper {
public:
  template <typename OpTy>
  void clamp(OpTy op, Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<OpFoldResult> sizes = op.getMixedSizes(),
                              strides = op.getMixedStrides();
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    for (auto [dim, offset] : llvm::enumerate(offsets)) {
      std::optional<int64_t> known = getConstantIntValue(offset);
      std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
      std::optional<int64_t> stride = getConstantIntValue(strides[dim]);
      if (!stride || (size && *size < 1))
        continue;
      if (!size || type.isDynamicDim(dim)) {
        if (!known)
          offset = clampedAtRun(op, cast<Value>(offset), tensor, dim,
                                sizes[dim], *stride);
        continue;
      }
      SliceOffsets range = offsetsInRange(type.getDimSize(dim), *size, *stride);
      if (range.first > range.last)
        continue;
      if (known)
        offset = Builder(op.getContext())
                     .getIndexAttr(std::clamp(*known, range.first, range.last));
      else
        offset = clamped(cast<Value>(offset), range);
    }
    SmallVector<int64_t> constants;
    SmallVector<Value> values;
    dispatchIndexOpFoldResults(offsets, values, constants);
    op.getOffsetsMutable().assign(values);
    op.setStaticOffsets(constants);
  }

private:
  Value clamped(Value offset, SliceOffsets range) {
    Value &result = known[{offset, range.first, range.last}];
    if (result)
      return result;
    OpBuilder builder(offset.getContext());
    builder.setInsertionPointAfterValue(offset);
    Location loc = offset.getLoc();
    return result = between(
               builder, loc, offset,
               arith::ConstantIndexOp::create(builder, loc, range.first),
               arith::ConstantIndexOp::create(builder, loc, range.last));
  }

  /// The same where the extent of dimension `dim` of `tensor`, or the size of the slice, is
  /// known only when the program runs.
  Value clampedAtRun(Operation *op, Value offset, Value tensor, int64_t dim,
                     OpFoldResult size, int64_t stride) {
    tensor = ofSameShape(tensor);
    // The combining region of an scf.forall holds insertions alone.
    if (isa<tensor::ParallelInsertSliceOp>(op))
      op = op->getParentOp();
    Value &result = knownAtRun[{offset, tensor, size.getOpaqueValue(),
                                op->getBlock(), dim, stride}];
    if (result)
      return result;
    OpBuilder builder(op);
    Location loc = op->getLoc();
    auto value = [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(builder, loc, number);
    };
    Value zero = value(builder.getIndexAttr(0));
    Value one = value(builder.getIndexAttr(1));
    Value extent = value(tensor::getMixedSize(builder, loc, tensor, dim));
    Value steps = builder.createOrFold<arith::SubIOp>(loc, value(size), one);
    steps = builder.createOrFold<arith::MaxSIOp>(loc, steps, zero);
    Value span = builder.createOrFold<arith::MulIOp>(
        loc, steps, value(builder.getIndexAttr(stride < 0 ? -stride : stride)));
    Value first = stride < 0 ? span : zero;
    Value last = builder.createOrFold<arith::SubIOp>(loc, extent, one);
    if (stride > 0)
      last = builder.createOrFold<arith::SubIOp>(loc, last, span);
    return result = between(builder, loc, offset, first, last);
  }

  /// The tensor that `tensor` is an updated version of; it has the same shape.
  static Value ofSameShape(Value tensor) {
    // In code that is not reached they may take each other's results.
    llvm::SmallPtrSet<Operation *, 8> seen;
    while (auto result = dyn_cast<OpResult>(tensor)) {
      if (!seen.insert(result.getOwner()).second)
        break;
      auto update = dyn_cast<DestinationStyleOpInterface>(result.getOwner());
      if (!update)
        break;
      tensor = update.getTiedOpOperand(result)->get();
    }
    return tensor;
  }

  static Value between(OpBuilder &builder, Location loc, Value offset,
                       Value first, Value last) {
    Value low = arith::MinSIOp::create(builder, loc, offset, last);
    return arith::MaxSIOp::create(builder, loc, low, first);
  }

  llvm::DenseMap<std::tuple<Value, int64_t, int64_t>, Value> known;
  llvm::DenseMap<
      std::tuple<Value, Value, void *, mlir::Block *, int64_t, int64_t>, Value>
      knownAtRun;
};

} // namespace

/// Moves the number of a dimension to one that the tensor has.
static void clampDimension(tensor::DimOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!type || type.getRank() == 0 || op.getConstantIndex())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value last = arith::ConstantIndexOp::create(builder, loc, type.getRank() - 1);
  Value low = arith::MinSIOp::create(builder, loc, op.getIndex(), last);
  op.getIndexMutable().assign(arith::MaxSIOp::create(builder, loc, low, zero));
}

/// Moves a step of a loop that is not positive to 1: with it the loop would not end.
static void clampStep(scf::ForOp loop) {
  if (loop.getConstantStep() && loop.getConstantStep()->isStrictlyPositive())
    return;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value step = loop.getStep();
  Value one = makeConstant(builder, loc, step.getType(),
                           APInt(widthOf(step.getType()), 1));
  Value positive = loop.getUnsignedCmp()
                       ? arith::MaxUIOp::create(builder, loc, step, one)
                       : Value(arith::MaxSIOp::create(builder, loc, step, one));
  loop.getStepMutable().assign(positive);
}

static void clampPlaces(ModuleOp module) {
  SliceClamper clamper;
  module.walk([&](Operation *op) {
    if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
      clamper.clamp(extract, extract.getSource());
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      clamper.clamp(insert, insert.getDest());
    else if (auto part = dyn_cast<tensor::ParallelInsertSliceOp>(op))
      clamper.clamp(part, part.getDest());
    else if (auto dim = dyn_cast<tensor::DimOp>(op))
      clampDimension(dim);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      clampStep(loop);
  });
}

void codegen::makeTotal(ModuleOp module) {
  clampPlaces(module);
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
            arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp, arith::FPToSIOp,
            arith::FPToUIOp, tensor::ExtractOp, tensor::InsertOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      clampIndices(extract, extract.getTensor(), extract.getIndicesMutable());
    else if (auto insert = dyn_cast<tensor::InsertOp>(op))
      makeInsertTotal(insert);
    else if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op))
      makeShiftTotal(op);
    else if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
      makeConversionTotal(op, isa<arith::FPToSIOp>(op));
    else
      makeDivisionTotal(op, isa<arith::DivSIOp, arith::RemSIOp,
                                arith::CeilDivSIOp, arith::FloorDivSIOp>(op));
  }
}
