//===- Places.cpp - Maxima and their places -------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body that is looked for keeps the better one of two elements, and its place:
//
//     better = compare(x, best)
//     best   = better ? x : best
//     place  = better ? linalg.index : place
//
// `compare` is strict, so that the first one of equal elements counts. An element that is NaN
// is never better (`ogt`), or better than all others (`ugt` and `best` is no NaN). Three ops
// compute the same:
//
//     m = max of x                              NaN as the least element in the first case
//     p = min of (x == m ? linalg.index : most) or, in the second case, where x is NaN
//     compare(m, init) ? p : place of the init
//
// The maximum of floats may be a zero of the other sign than the first one. If it is used, it
// is the element at p, the sum of (linalg.index == p ? x : -0.0).
//
// PyTorch's body keeps `best = maximumf(x, best)` with `ogt`: no element behind a NaN is better.
// One more op finds n, the place of the first NaN, the elements in front of which count for m
// and p. The maximum is NaN if there is a NaN, else m.
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Places.h"

#include "PlaceMatches.h"

#include "shard/Partitioning/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

namespace {

/// Builds the ops that compute what an op does.
class Separator {
public:
  Separator(linalg::GenericOp op, const Extreme &extreme)
      : op(op), extreme(extreme), builder(op), loc(op.getLoc()),
        map(op.getMatchingIndexingMap(op.getDpsInitOperand(0))) {}

  void run() {
    if (extreme.endsAtNaN)
      end = buildEnd();
    Value best = buildBest();
    Value first = buildFirst(best);
    Value init = op.getDpsInits()[extreme.best];
    op->getResult(extreme.place)
        .replaceAllUsesWith(
            choose(best, init, first, op.getDpsInits()[extreme.place]));
    OpResult result = op->getResult(extreme.best);
    if (!result.use_empty())
      result.replaceAllUsesWith(buildElement(best, first, init));
    op.erase();
  }

private:
  using BodyBuilder =
      llvm::function_ref<Value(OpBuilder &, IRMapping &, ValueRange)>;

  /// An op with the iterators and inputs of `op`, and `more` inputs that the result maps
  /// index, whose body computes `body` of its arguments.
  Value reduce(ValueRange more, Value init, BodyBuilder body) {
    SmallVector<Value> inputs(op.getInputs());
    SmallVector<AffineMap> maps(op.getIndexingMapsArray());
    maps.resize(inputs.size());
    llvm::append_range(inputs, more);
    maps.append(more.size() + 1, map);
    auto made = linalg::GenericOp::create(
        builder, loc, init.getType(), inputs, init, maps,
        op.getIteratorTypesArray(),
        [&](OpBuilder &inner, Location loc, ValueRange args) {
          IRMapping mapping;
          for (auto [from, to] : llvm::zip(op.getRegionInputArgs(), args))
            mapping.map(from, to);
          linalg::YieldOp::create(inner, loc, body(inner, mapping, args));
        });
    return made->getResult(0);
  }

  /// `value` of the body, computed in another one.
  Value cloned(OpBuilder &inner, IRMapping &mapping, Value value) {
    Operation *def = value.getDefiningOp();
    if (mapping.contains(value) || !def || def->getBlock() != op.getBlock())
      return mapping.lookupOrDefault(value);
    for (Value operand : def->getOperands())
      cloned(inner, mapping, operand);
    inner.clone(*def, mapping);
    return mapping.lookup(value);
  }

  Value isNaN(OpBuilder &inner, Value value) {
    return arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::UNO, value,
                                 value);
  }

  Value combine(OpBuilder &inner, Value left, Value right) {
    bool isFloat = isa<FloatType>(left.getType());
    switch (extreme.comparison.kind) {
    case ReductionKind::Max:
      return isFloat ? arith::MaximumFOp::create(inner, loc, left, right)
                           .getResult()
                     : arith::MaxSIOp::create(inner, loc, left, right);
    case ReductionKind::Min:
      return isFloat ? arith::MinimumFOp::create(inner, loc, left, right)
                           .getResult()
                     : arith::MinSIOp::create(inner, loc, left, right);
    case ReductionKind::UMax:
      return arith::MaxUIOp::create(inner, loc, left, right);
    default:
      return arith::MinUIOp::create(inner, loc, left, right);
    }
  }

  Value constant(OpBuilder &at, ReductionKind kind, Type type) {
    return arith::ConstantOp::create(at, loc, neutralElement(kind, type));
  }

  /// A tensor like `init` of `number`.
  Value filled(Value number, Value init) {
    Value empty = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, init),
        number.getType());
    return linalg::FillOp::create(builder, loc, number, empty).getResult(0);
  }

  /// The least of the places where `isHit` is true of the element; `most`, a larger number,
  /// where it is nowhere.
  Value leastPlace(ValueRange more, BodyBuilder isHit) {
    Value init = op.getDpsInits()[extreme.place];
    Value most =
        constant(builder, ReductionKind::Min, extreme.number.getType());
    return reduce(
        more, filled(most, init),
        [&](OpBuilder &inner, IRMapping &mapping, ValueRange args) {
          Value number = cloned(inner, mapping, extreme.number);
          Value hit = isHit(inner, mapping, args);
          Value place = arith::SelectOp::create(inner, loc, hit, number, most);
          return arith::MinSIOp::create(inner, loc, place, args.back())
              .getResult();
        });
  }

  /// The place of the first NaN.
  Value buildEnd() {
    return leastPlace(
        {}, [&](OpBuilder &inner, IRMapping &mapping, ValueRange) {
          return isNaN(inner, cloned(inner, mapping, extreme.element));
        });
  }

  /// Whether the place of the element is in front of `last`.
  Value isInFront(OpBuilder &inner, IRMapping &mapping, Value last) {
    return arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::slt,
                                 cloned(inner, mapping, extreme.number), last);
  }

  /// The best element of all that count.
  Value buildBest() {
    return reduce(
        end ? ValueRange(end) : ValueRange(), op.getDpsInits()[extreme.best],
        [&](OpBuilder &inner, IRMapping &mapping, ValueRange args) {
          Value element = cloned(inner, mapping, extreme.element);
          Type type = element.getType();
          if (!isa<FloatType>(type) || extreme.comparison.takesNaN)
            return combine(inner, element, args.back());
          Value worst = constant(inner, extreme.comparison.kind, type);
          if (end)
            element = arith::SelectOp::create(
                inner, loc, isInFront(inner, mapping, args[args.size() - 2]),
                element, worst);
          else
            element = arith::SelectOp::create(inner, loc, isNaN(inner, element),
                                              worst, element);
          return combine(inner, element, args.back());
        });
  }

  /// The first place where the element is `best`.
  Value buildFirst(Value best) {
    SmallVector<Value> more{best};
    if (end)
      more.push_back(end);
    return leastPlace(more, [&](OpBuilder &inner, IRMapping &mapping,
                                ValueRange args) {
      Value element = cloned(inner, mapping, extreme.element);
      Value known = args[op.getNumDpsInputs()];
      Value hit;
      if (isa<FloatType>(element.getType()))
        hit = arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OEQ,
                                    element, known);
      else
        hit = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq,
                                    element, known);
      if (extreme.comparison.takesNaN)
        hit = arith::OrIOp::create(inner, loc, hit, isNaN(inner, element));
      if (end)
        hit = arith::AndIOp::create(
            inner, loc, hit, isInFront(inner, mapping, args[args.size() - 2]));
      return hit;
    });
  }

  /// The element that the op keeps, `best` but for the sign of zeros and for NaNs.
  Value buildElement(Value best, Value first, Value init) {
    if (!isa<FloatType>(extreme.element.getType()))
      return best;
    if (end)
      return elementwise(
          {best, end}, init, [&](OpBuilder &inner, ValueRange args) {
            auto type = cast<FloatType>(args[0].getType());
            Value none = constant(inner, ReductionKind::Min, args[1].getType());
            Value hasNone = arith::CmpIOp::create(
                inner, loc, arith::CmpIPredicate::eq, args[1], none);
            Value nan = arith::ConstantOp::create(
                inner, loc,
                FloatAttr::get(type,
                               APFloat::getQNaN(type.getFloatSemantics())));
            return arith::SelectOp::create(inner, loc, hasNone, args[0], nan);
          });
    Value nothing =
        constant(builder, ReductionKind::Sum, extreme.element.getType());
    Value found = reduce(
        first, filled(nothing, init),
        [&](OpBuilder &inner, IRMapping &mapping, ValueRange args) {
          Value element = cloned(inner, mapping, extreme.element);
          Value isFirst = arith::CmpIOp::create(
              inner, loc, arith::CmpIPredicate::eq,
              cloned(inner, mapping, extreme.number), args[args.size() - 2]);
          Value term =
              arith::SelectOp::create(inner, loc, isFirst, element, nothing);
          return arith::AddFOp::create(inner, loc, args.back(), term)
              .getResult();
        });
    return choose(best, init, found, init);
  }

  Value isBetter(OpBuilder &inner, Value element, Value best) {
    const Comparison &comparison = extreme.comparison;
    bool isMax = comparison.isMax();
    if (isa<FloatType>(element.getType())) {
      using P = arith::CmpFPredicate;
      Value better =
          arith::CmpFOp::create(inner, loc,
                                comparison.takesNaN ? (isMax ? P::UGT : P::ULT)
                                                    : (isMax ? P::OGT : P::OLT),
                                element, best);
      if (!comparison.takesNaN)
        return better;
      Value ordered = arith::CmpFOp::create(inner, loc, P::ORD, best, best);
      return arith::AndIOp::create(inner, loc, better, ordered);
    }
    using P = arith::CmpIPredicate;
    bool isSigned = comparison.kind == ReductionKind::Max ||
                    comparison.kind == ReductionKind::Min;
    return arith::CmpIOp::create(inner, loc,
                                 isSigned ? (isMax ? P::sgt : P::slt)
                                          : (isMax ? P::ugt : P::ult),
                                 element, best);
  }

  /// An elementwise op on `inputs` whose result is like `like`.
  Value elementwise(ValueRange inputs, Value like,
                    llvm::function_ref<Value(OpBuilder &, ValueRange)> body) {
    auto type = cast<RankedTensorType>(like.getType());
    Value empty = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, like),
        type.getElementType());
    SmallVector<AffineMap> maps(inputs.size() + 1,
                                builder.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto made = linalg::GenericOp::create(
        builder, loc, empty.getType(), inputs, empty, maps, loops,
        [&](OpBuilder &inner, Location loc, ValueRange args) {
          linalg::YieldOp::create(inner, loc, body(inner, args));
        });
    return builder.createOrFold<tensor::CastOp>(loc, type, made->getResult(0));
  }

  /// `found` where `best` is better than `init`, else `other`.
  Value choose(Value best, Value init, Value found, Value other) {
    return elementwise({best, init, found, other}, other,
                       [&](OpBuilder &inner, ValueRange args) {
                         return arith::SelectOp::create(
                                    inner, loc,
                                    isBetter(inner, args[0], args[1]), args[2],
                                    args[3])
                             .getResult();
                       });
  }

  linalg::GenericOp op;
  Extreme extreme;
  OpBuilder builder;
  Location loc;
  AffineMap map;
  /// The place of the first NaN, if that ends the search.
  Value end;
};

} // namespace

bool separatePlaces(Operation *root) {
  SmallVector<std::pair<linalg::GenericOp, Extreme>> found;
  root->walk([&](linalg::GenericOp op) {
    if (std::optional<Extreme> extreme = matchExtreme(op))
      found.emplace_back(op, *extreme);
  });
  for (auto &[op, extreme] : found)
    Separator(op, extreme).run();
  return !found.empty();
}

} // namespace shard
