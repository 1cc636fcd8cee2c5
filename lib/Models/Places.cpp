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
// A maximum of zeros of both signs may be either of them, so that a maximum of floats that is
// used itself stays with its place.
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Places.h"

#include "BodyReductions.h"

#include "shard/Partitioning/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

namespace {

/// When an element is better than the best one before it.
struct Comparison {
  ReductionKind kind;
  /// Whether a NaN is better than all others; else it never is.
  bool takesNaN = false;

  bool isMax() const {
    return kind == ReductionKind::Max || kind == ReductionKind::UMax;
  }
};

/// The results of an op that are an extreme element and its place.
struct Extreme {
  Comparison comparison;
  /// The numbers of the inits.
  unsigned best, place;
  /// Values of the body: the element and its place.
  Value element, number;
};

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

/// Whether `value` is the iteration of loop `loop`, as a number that holds all of them.
bool isIteration(Value value, unsigned loop, int64_t extent) {
  auto fits = [&](Type type) {
    if (isa<IndexType>(type))
      return true;
    unsigned width = type.getIntOrFloatBitWidth();
    return width >= 32 || (ShapedType::isStatic(extent) && width > 1 &&
                           extent <= int64_t(1) << (width - 1));
  };
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>()) {
    if (!fits(cast.getType()))
      return false;
    value = cast.getIn();
  }
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() == loop;
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
  } else if (isa<arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
                 arith::MinUIOp>(bests)) {
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
  if (!choice) {
    auto kind =
        llvm::TypeSwitch<Operation *, ReductionKind>(bests)
            .Case<arith::MaxSIOp>([](auto) { return ReductionKind::Max; })
            .Case<arith::MinSIOp>([](auto) { return ReductionKind::Min; })
            .Case<arith::MaxUIOp>([](auto) { return ReductionKind::UMax; })
            .Default([](Operation *) { return ReductionKind::UMin; });
    if (kind != comparison->kind)
      return std::nullopt;
  }
  return Extreme{*comparison, best, place, element, places.getTrueValue()};
}

/// Whether the body of `op` may be computed twice, op by op.
bool canRepeat(linalg::GenericOp op) {
  return llvm::all_of(
      op.getBlock()->without_terminator(), [](Operation &inner) {
        return inner.getNumRegions() == 0 && isMemoryEffectFree(&inner);
      });
}

std::optional<Extreme> match(linalg::GenericOp op) {
  if (op->getNumResults() != 2 || !op.hasPureTensorSemantics() ||
      !op->getDiscardableAttrDictionary().empty() ||
      op.getNumReductionLoops() != 1 || !canRepeat(op))
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (map != op.getMatchingIndexingMap(op.getDpsInitOperand(1)) ||
      !map.isProjectedPermutation())
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
      (isa<FloatType>(element) && !op->getResult(found->best).use_empty()))
    return std::nullopt;
  return found;
}

/// Builds the ops that compute what an op does.
class Separator {
public:
  Separator(linalg::GenericOp op, const Extreme &extreme)
      : op(op), extreme(extreme), builder(op), loc(op.getLoc()),
        map(op.getMatchingIndexingMap(op.getDpsInitOperand(0))) {}

  void run() {
    Value best = buildBest();
    Value place = buildResult(best, buildFirst(best));
    op->getResult(extreme.best).replaceAllUsesWith(best);
    op->getResult(extreme.place).replaceAllUsesWith(place);
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

  /// The best element of all.
  Value buildBest() {
    return reduce({}, op.getDpsInits()[extreme.best],
                  [&](OpBuilder &inner, IRMapping &mapping, ValueRange args) {
                    Value element = cloned(inner, mapping, extreme.element);
                    Type type = element.getType();
                    if (isa<FloatType>(type) && !extreme.comparison.takesNaN) {
                      Value worst = arith::ConstantOp::create(
                          inner, loc,
                          neutralElement(extreme.comparison.kind, type));
                      element = arith::SelectOp::create(
                          inner, loc, isNaN(inner, element), worst, element);
                    }
                    return combine(inner, element, args.back());
                  });
  }

  /// The first place where the element is `best`; the largest number where there is none.
  Value buildFirst(Value best) {
    Value init = op.getDpsInits()[extreme.place];
    Type type = getElementTypeOrSelf(init.getType());
    Value most = arith::ConstantOp::create(
        builder, loc, neutralElement(ReductionKind::Min, type));
    Value empty = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, init), type);
    Value start =
        linalg::FillOp::create(builder, loc, most, empty).getResult(0);
    return reduce(
        best, start,
        [&](OpBuilder &inner, IRMapping &mapping, ValueRange args) {
          Value element = cloned(inner, mapping, extreme.element);
          Value number = cloned(inner, mapping, extreme.number);
          Value known = args[args.size() - 2];
          Value hit;
          if (isa<FloatType>(element.getType()))
            hit = arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OEQ,
                                        element, known);
          else
            hit = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq,
                                        element, known);
          if (extreme.comparison.takesNaN)
            hit = arith::OrIOp::create(inner, loc, hit, isNaN(inner, element));
          Value place = arith::SelectOp::create(inner, loc, hit, number, most);
          return arith::MinSIOp::create(inner, loc, place, args.back())
              .getResult();
        });
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

  /// `first`, or the place of the init where that is the best one.
  Value buildResult(Value best, Value first) {
    Value init = op.getDpsInits()[extreme.best],
          place = op.getDpsInits()[extreme.place];
    auto type = cast<RankedTensorType>(place.getType());
    Value empty = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, place),
        type.getElementType());
    SmallVector<AffineMap> maps(5,
                                builder.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto made = linalg::GenericOp::create(
        builder, loc, empty.getType(), ValueRange{best, init, first, place},
        empty, maps, loops,
        [&](OpBuilder &inner, Location loc, ValueRange args) {
          Value chosen = arith::SelectOp::create(
              inner, loc, isBetter(inner, args[0], args[1]), args[2], args[3]);
          linalg::YieldOp::create(inner, loc, chosen);
        });
    return builder.createOrFold<tensor::CastOp>(loc, type, made->getResult(0));
  }

  linalg::GenericOp op;
  Extreme extreme;
  OpBuilder builder;
  Location loc;
  AffineMap map;
};

} // namespace

bool separatePlaces(Operation *root) {
  SmallVector<std::pair<linalg::GenericOp, Extreme>> found;
  root->walk([&](linalg::GenericOp op) {
    if (std::optional<Extreme> extreme = match(op))
      found.emplace_back(op, *extreme);
  });
  for (auto &[op, extreme] : found)
    Separator(op, extreme).run();
  return !found.empty();
}

} // namespace shard
