//===- PlaceMatches.cpp - Ops that keep a place ---------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceMatches.h"

#include "BodyReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

namespace {

std::optional<ReductionKind> strictKind(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::sgt:
    return ReductionKind::Max;
  case arith::CmpIPredicate::slt:
    return ReductionKind::Min;
  case arith::CmpIPredicate::ugt:
    return ReductionKind::UMax;
  case arith::CmpIPredicate::ult:
    return ReductionKind::UMin;
  default:
    return std::nullopt;
  }
}

/// What `left` compared with `right` by `predicate` looks for.
std::optional<Comparison> comparisonOf(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OGT:
    return Comparison{ReductionKind::Max};
  case arith::CmpFPredicate::OLT:
    return Comparison{ReductionKind::Min};
  case arith::CmpFPredicate::UGT:
    return Comparison{ReductionKind::Max, true};
  case arith::CmpFPredicate::ULT:
    return Comparison{ReductionKind::Min, true};
  default:
    return std::nullopt;
  }
}

ReductionKind opposite(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Max:
    return ReductionKind::Min;
  case ReductionKind::Min:
    return ReductionKind::Max;
  case ReductionKind::UMax:
    return ReductionKind::UMin;
  default:
    return ReductionKind::UMax;
  }
}

/// Whether `condition` says that `element` is better than `best`. Adds the ops that it is made
/// of to `ops`.
std::optional<Comparison> matchComparison(Value condition, Value element,
                                          Value best,
                                          SmallPtrSetImpl<Operation *> &ops) {
  Operation *def = condition.getDefiningOp();
  if (!def)
    return std::nullopt;
  if (auto both = dyn_cast<arith::AndIOp>(def)) {
    // The best one must be no NaN, and the element better or one.
    for (bool swaps : {false, true}) {
      Value left = swaps ? both.getRhs() : both.getLhs(),
            right = swaps ? both.getLhs() : both.getRhs();
      auto ordered = right.getDefiningOp<arith::CmpFOp>();
      if (!ordered || ordered.getPredicate() != arith::CmpFPredicate::ORD ||
          ordered.getLhs() != best || ordered.getRhs() != best)
        continue;
      std::optional<Comparison> found =
          left.getDefiningOp<arith::CmpFOp>()
              ? matchComparison(left, element, best, ops)
              : std::nullopt;
      if (!found || !found->takesNaN)
        continue;
      ops.insert(ordered);
      return found;
    }
    return std::nullopt;
  }
  std::optional<Comparison> found;
  if (auto compare = dyn_cast<arith::CmpIOp>(def)) {
    if (std::optional<ReductionKind> kind = strictKind(compare.getPredicate()))
      found = Comparison{*kind};
  } else if (auto compare = dyn_cast<arith::CmpFOp>(def)) {
    found = comparisonOf(compare.getPredicate());
  }
  if (!found)
    return std::nullopt;
  bool swaps = def->getOperand(0) == best;
  if (def->getOperand(swaps ? 1 : 0) != element ||
      def->getOperand(swaps ? 0 : 1) != best)
    return std::nullopt;
  if (swaps)
    found->kind = opposite(found->kind);
  ops.insert(def);
  return found;
}

/// Whether `value` is the iteration of loop `loop`, as a number that holds all of them and a
/// larger one.
bool isIteration(Value value, unsigned loop, int64_t extent) {
  auto fits = [&](Type type) {
    if (isa<IndexType>(type))
      return true;
    unsigned width = type.getIntOrFloatBitWidth();
    return width >= 32 || (ShapedType::isStatic(extent) && width > 1 &&
                           extent < int64_t(1) << (width - 1));
  };
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>()) {
    if (!fits(cast.getType()))
      return false;
    value = cast.getIn();
  }
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() == loop;
}

/// What `op` combines elements by, if it is none but the larger or smaller one.
std::optional<ReductionKind> kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ReductionKind>>(op)
      .Case<arith::MaxSIOp, arith::MaximumFOp>(
          [](auto) { return ReductionKind::Max; })
      .Case<arith::MinSIOp, arith::MinimumFOp>(
          [](auto) { return ReductionKind::Min; })
      .Case<arith::MaxUIOp>([](auto) { return ReductionKind::UMax; })
      .Case<arith::MinUIOp>([](auto) { return ReductionKind::UMin; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The element of `op` and its place, if inits `best` and `place` carry these.
std::optional<Extreme> match(linalg::GenericOp op, unsigned best,
                             unsigned place, unsigned loop) {
  mlir::Block *body = op.getBlock();
  Operation *yield = body->getTerminator();
  Value carried = op.getRegionOutputArgs()[best],
        carriedPlace = op.getRegionOutputArgs()[place];
  auto places = yield->getOperand(place).getDefiningOp<arith::SelectOp>();
  Operation *bests = yield->getOperand(best).getDefiningOp();
  if (!places || !bests || bests->getBlock() != body ||
      places.getFalseValue() != carriedPlace || !carriedPlace.hasOneUse() ||
      !isIteration(places.getTrueValue(), loop, op.getStaticLoopRanges()[loop]))
    return std::nullopt;
  Value element;
  auto choice = dyn_cast<arith::SelectOp>(bests);
  if (choice) {
    if (choice.getCondition() != places.getCondition() ||
        choice.getFalseValue() != carried)
      return std::nullopt;
    element = choice.getTrueValue();
  } else if (kindOf(bests)) {
    element = bests->getOperand(bests->getOperand(0) == carried ? 1 : 0);
  } else {
    return std::nullopt;
  }
  llvm::SmallPtrSet<Operation *, 4> ops{bests};
  std::optional<Comparison> comparison =
      matchComparison(places.getCondition(), element, carried, ops);
  // All that looks at the best element before.
  if (!comparison || llvm::any_of(carried.getUsers(), [&](Operation *user) {
        return !ops.contains(user);
      }))
    return std::nullopt;
  // A NaN that is better than another one would move the place.
  if (comparison->takesNaN &&
      isa<arith::CmpFOp>(places.getCondition().getDefiningOp()))
    return std::nullopt;
  bool endsAtNaN = isa<arith::MaximumFOp, arith::MinimumFOp>(bests);
  if (!choice && (kindOf(bests) != comparison->kind ||
                  (endsAtNaN && comparison->takesNaN)))
    return std::nullopt;
  return Extreme{*comparison,           best,     place, element,
                 places.getTrueValue(), endsAtNaN};
}

/// Whether the body of `op` may be computed twice, op by op.
bool canRepeat(linalg::GenericOp op) {
  return llvm::all_of(
      op.getBlock()->without_terminator(), [](Operation &inner) {
        return inner.getNumRegions() == 0 && isMemoryEffectFree(&inner);
      });
}

} // namespace

std::optional<Extreme> matchExtreme(linalg::GenericOp op) {
  if (op->getNumResults() != 2 || !op.hasPureTensorSemantics() ||
      !op->getDiscardableAttrDictionary().empty() ||
      op.getNumReductionLoops() != 1 || !canRepeat(op))
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (map != op.getMatchingIndexingMap(op.getDpsInitOperand(1)) ||
      !map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return std::nullopt;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  std::optional<Extreme> found = match(op, 0, 1, reduced.front());
  if (!found)
    found = match(op, 1, 0, reduced.front());
  if (!found)
    return std::nullopt;
  Type element = found->element.getType(), number = found->number.getType();
  if (!canReduce(found->comparison.kind, element) ||
      !canReduce(ReductionKind::Min, number) ||
      (isa<FloatType>(element) && !canReduce(ReductionKind::Sum, element)))
    return std::nullopt;
  return found;
}

} // namespace shard
