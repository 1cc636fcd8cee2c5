//===- LoopPlaces.cpp - Indices as sums of loops --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlaces.h"

#include "EvaluatedPlaces.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

/// Larger numbers are left alone, so that nothing overflows.
static constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) &&
      number.getSignificantBits() <= 32)
    return number.getSExtValue();
  auto dim = value.getDefiningOp<tensor::DimOp>();
  auto type =
      dim ? dyn_cast<RankedTensorType>(dim.getSource().getType()) : nullptr;
  std::optional<int64_t> at = dim ? dim.getConstantIndex() : std::nullopt;
  if (!type || !at || *at < 0 || *at >= type.getRank() ||
      type.isDynamicDim(*at) || type.getDimSize(*at) > kMost)
    return std::nullopt;
  return type.getDimSize(*at);
}

/// What `op` makes of two places.
static std::optional<LoopPlace> combine(Operation *op, const LoopPlace &a,
                                        const LoopPlace &b) {
  std::optional<LoopPlace> result;
  if (isa<arith::AddIOp>(op)) {
    result = LoopPlace{a.expr + b.expr, a.least + b.least, a.most + b.most};
  } else if (isa<arith::SubIOp>(op)) {
    result = LoopPlace{a.expr - b.expr, a.least - b.most, a.most - b.least};
  } else if (isa<arith::MulIOp>(op)) {
    bool isFactor = a.least == a.most;
    const LoopPlace &sum = isFactor ? b : a;
    const LoopPlace &factor = isFactor ? a : b;
    if (factor.least != factor.most)
      return std::nullopt;
    int64_t by = factor.least;
    result = LoopPlace{sum.expr * by, std::min(sum.least * by, sum.most * by),
                       std::max(sum.least * by, sum.most * by)};
  } else if (a.most <= b.least) {
    result = isa<arith::MinSIOp>(op) ? a : b;
  } else if (b.most <= a.least) {
    result = isa<arith::MinSIOp>(op) ? b : a;
  }
  if (!result || result->least < -kMost || result->most > kMost)
    return std::nullopt;
  return result;
}

/// The quotient or remainder of a loop by a number that divides its extent: such loops are
/// split by the one or the other.
static std::optional<LoopPlace> divide(Operation *op, const LoopPlace &a,
                                       const LoopPlace &b) {
  int64_t divisor = b.least;
  if (!isa<AffineDimExpr>(a.expr) || b.most != divisor || divisor < 1 ||
      a.least != 0 || (a.most + 1) % divisor != 0)
    return std::nullopt;
  if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    return LoopPlace{a.expr % divisor, 0, divisor - 1};
  return LoopPlace{a.expr.floorDiv(divisor), 0, a.most / divisor};
}

/// Whether a comparison of two places holds, if that is so everywhere or nowhere.
static std::optional<bool> holds(arith::CmpIPredicate predicate,
                                 const LoopPlace &a, const LoopPlace &b) {
  bool isLess = a.most < b.least, isAtLeast = a.least >= b.most;
  bool isMore = a.least > b.most, isAtMost = a.most <= b.least;
  auto known = [](bool yes, bool no) {
    return yes || no ? std::optional<bool>(yes) : std::nullopt;
  };
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return known(isLess, isAtLeast);
  case arith::CmpIPredicate::sle:
    return known(isAtMost, isMore);
  case arith::CmpIPredicate::sgt:
    return known(isMore, isAtMost);
  case arith::CmpIPredicate::sge:
    return known(isAtLeast, isLess);
  default:
    return std::nullopt;
  }
}

/// The place in the source of a reshape that only adds or drops dimensions of one element, of
/// the element at `at` in the result; none for other reshapes.
static std::optional<SmallVector<AffineExpr>>
sourcePlace(Operation *op, ArrayRef<AffineExpr> at) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  RankedTensorType apart =
      expand ? expand.getResultType() : collapse.getSrcType();
  AffineExpr zero = getAffineConstantExpr(0, op->getContext());
  SmallVector<AffineExpr> place(
      cast<RankedTensorType>(op->getOperand(0).getType()).getRank(), zero);
  for (auto [dim, group] :
       llvm::enumerate(expand ? expand.getReassociationIndices()
                              : collapse.getReassociationIndices())) {
    bool hasLong = false;
    for (int64_t inner : group) {
      if (apart.getDimSize(inner) == 1)
        continue;
      if (std::exchange(hasLong, true))
        return std::nullopt;
      (expand ? place[dim] : place[inner]) = expand ? at[inner] : at[dim];
    }
  }
  return place;
}

std::pair<Value, SmallVector<AffineExpr>> withoutUnits(OpOperand &operand,
                                                       linalg::LinalgOp op) {
  Value tensor = operand.get();
  SmallVector<AffineExpr> at(op.getMatchingIndexingMap(&operand).getResults());
  Operation *maker = tensor.getDefiningOp();
  while (
      isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(maker)) {
    std::optional<SmallVector<AffineExpr>> source = sourcePlace(maker, at);
    if (!source)
      break;
    at = std::move(*source);
    tensor = maker->getOperand(0);
    maker = tensor.getDefiningOp();
  }
  return {tensor, at};
}

namespace {
/// Reads integers in the body of an op, whose loops are at `loops`.
class PlaceReader {
public:
  PlaceReader(linalg::LinalgOp op, ArrayRef<AffineExpr> loops, unsigned depth)
      : op(op), loops(loops), ranges(op.getStaticLoopRanges()), depth(depth) {}

  std::optional<LoopPlace> read(Value index) {
    // No frontend nests indices more deeply.
    constexpr unsigned kDepth = 24;
    if (depth == kDepth)
      return std::nullopt;
    ++depth;
    std::optional<LoopPlace> place = readValue(index);
    --depth;
    return place;
  }

  std::optional<LoopComparison> readFlag(Value flag) {
    if (auto compare = flag.getDefiningOp<arith::CmpIOp>()) {
      std::optional<LoopPlace> a = read(compare.getLhs());
      std::optional<LoopPlace> b = a ? read(compare.getRhs()) : std::nullopt;
      if (!b)
        return std::nullopt;
      return LoopComparison{compare.getPredicate(), *a, *b};
    }
    auto argument = dyn_cast<BlockArgument>(flag);
    std::optional<PlaceReader> maker =
        argument ? makerOf(argument) : std::nullopt;
    // One op away: no frontend hides a comparison behind more.
    return maker && maker->result().getDefiningOp<arith::CmpIOp>()
               ? maker->readFlag(maker->result())
               : std::nullopt;
  }

private:
  std::optional<LoopPlace> readValue(Value index) {
    // Integers wide enough for all places.
    Type type = index.getType();
    if (!type.isIndex() && !type.isInteger(32) && !type.isInteger(64))
      return std::nullopt;
    if (std::optional<int64_t> number = constantOf(index))
      return LoopPlace{getAffineConstantExpr(*number, op.getContext()), *number,
                       *number};
    Operation *def = index.getDefiningOp();
    if (!def)
      return readArgument(cast<BlockArgument>(index));
    if (auto loop = dyn_cast<linalg::IndexOp>(def)) {
      int64_t extent = ranges[loop.getDim()];
      if (def->getBlock() != op.getBlock() || ShapedType::isDynamic(extent) ||
          extent == 0 || extent > kMost)
        return std::nullopt;
      return LoopPlace{loops[loop.getDim()], 0, extent - 1};
    }
    if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(def))
      return read(def->getOperand(0));
    if (auto select = dyn_cast<arith::SelectOp>(def))
      return readSelect(select);
    bool divides = isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp,
                       arith::RemUIOp, arith::RemSIOp>(def);
    if (!divides && !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                         arith::MinSIOp, arith::MaxSIOp>(def))
      return std::nullopt;
    std::optional<LoopPlace> a = read(def->getOperand(0));
    std::optional<LoopPlace> b = a ? read(def->getOperand(1)) : std::nullopt;
    if (!b)
      return std::nullopt;
    return divides ? divide(def, *a, *b) : combine(def, *a, *b);
  }

  std::optional<LoopPlace> readSelect(arith::SelectOp select) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!compare)
      return std::nullopt;
    std::optional<LoopPlace> a = read(compare.getLhs());
    std::optional<LoopPlace> b = a ? read(compare.getRhs()) : std::nullopt;
    std::optional<bool> isTrue =
        b ? holds(compare.getPredicate(), *a, *b) : std::nullopt;
    if (!isTrue)
      return std::nullopt;
    return read(*isTrue ? select.getTrueValue() : select.getFalseValue());
  }

  /// An element of an input, at the place where the op reads it.
  std::optional<LoopPlace> readArgument(BlockArgument argument) {
    std::optional<PlaceReader> maker = makerOf(argument);
    return maker ? maker->read(maker->result()) : std::nullopt;
  }

  /// What `op` gives, elementwise.
  Value result() { return op.getBlock()->getTerminator()->getOperand(0); }

  /// The op that makes the input whose element `argument` is, its loops at the place that is read.
  std::optional<PlaceReader> makerOf(BlockArgument argument) {
    if (argument.getOwner() != op.getBlock() ||
        argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
      return std::nullopt;
    auto [tensor, at] =
        withoutUnits(*op.getDpsInputOperand(argument.getArgNumber()), op);
    for (AffineExpr &expr : at)
      expr = expr.replaceDims(loops);
    auto made = tensor.getDefiningOp<linalg::GenericOp>();
    if (!made || made->getNumResults() != 1 ||
        made.getNumReductionLoops() > 0 ||
        !made.getMatchingIndexingMap(made.getDpsInitOperand(0)).isIdentity())
      return std::nullopt;
    return PlaceReader(made, at, depth);
  }

  linalg::LinalgOp op;
  SmallVector<AffineExpr> loops;
  SmallVector<int64_t> ranges;
  unsigned depth;
};
} // namespace

static SmallVector<AffineExpr> loopsOf(linalg::GenericOp op) {
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(getAffineDimExpr(loop, op.getContext()));
  return loops;
}

std::optional<LoopComparison> loopComparison(Value flag, linalg::GenericOp op) {
  return PlaceReader(op, loopsOf(op), 0).readFlag(flag);
}

std::optional<LoopPlace> loopPlace(Value index, linalg::GenericOp op) {
  std::optional<LoopPlace> place = PlaceReader(op, loopsOf(op), 0).read(index);
  if (!place)
    place = evaluatedPlace(index, op);
  if (place)
    place->expr = simplifyAffineExpr(place->expr, op.getNumLoops(), 0);
  return place;
}

} // namespace shard
