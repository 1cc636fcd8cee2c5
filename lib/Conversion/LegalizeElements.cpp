//===- LegalizeElements.cpp - Elements that the runtime does not know -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime moves elements of 1, 8, 16, 32 and 64 bits. A collective on others
// becomes one on wider integers, or on the parts of an element: these stand in a row, as
// one call costs less than two, or, where the collective speaks of each dimension, there
// is one collective for each.
//
//===----------------------------------------------------------------------===//

#include "CollectiveCalls.h"

#include "shard/Conversion/Conversion.h"
#include "shard/Conversion/Passes.h"
#include "shard/IR/ShardOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

namespace shard {
#define GEN_PASS_DEF_SHARDLEGALIZEELEMENTS
#include "shard/Conversion/Passes.h.inc"
} // namespace shard

namespace {

using ComputeFn =
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange elements)>;

/// How an element is cut into parts that the runtime knows, and put together.
struct ElementParts {
  SmallVector<Type> types;
  std::function<Value(OpBuilder &, Location, Value element, unsigned part)>
      split;
  std::function<Value(OpBuilder &, Location, ValueRange parts)> join;
};

} // namespace

/// A tensor of what `compute` makes of the elements of `sources`, which have one shape.
static Value mapElements(OpBuilder &builder, Location loc, ValueRange sources,
                         Type element, ComputeFn compute) {
  int64_t rank = cast<RankedTensorType>(sources[0].getType()).getRank();
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, sources[0]), element);
  SmallVector<AffineMap> maps(sources.size() + 1,
                              builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), sources, ValueRange{empty}, maps,
             iterators,
             [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
               Value result = compute(nested, nestedLoc, args.drop_back());
               linalg::YieldOp::create(nested, nestedLoc, result);
             })
      .getResult(0);
}

/// An integer of `width` bits as one of the next width that the runtime has, or as
/// several of 64 bits. The sign is extended, which keeps the order of unsigned numbers, too.
static ElementParts partsOfInteger(MLIRContext *context, unsigned width) {
  ElementParts parts;
  Type whole = IntegerType::get(context, width);
  if (width < 64) {
    Type wide = IntegerType::get(
        context, std::max<unsigned>(8, llvm::PowerOf2Ceil(width)));
    parts.types = {wide};
    parts.split = [=](OpBuilder &builder, Location loc, Value element,
                      unsigned) -> Value {
      return arith::ExtSIOp::create(builder, loc, wide, element);
    };
    parts.join = [=](OpBuilder &builder, Location loc,
                     ValueRange values) -> Value {
      return arith::TruncIOp::create(builder, loc, whole, values[0]);
    };
    return parts;
  }
  Type word = IntegerType::get(context, 64);
  parts.types.assign(llvm::divideCeil(width, 64), word);
  auto shift = [=](OpBuilder &builder, Location loc, unsigned part) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(whole, 64 * part));
  };
  parts.split = [=](OpBuilder &builder, Location loc, Value element,
                    unsigned part) -> Value {
    Value moved = arith::ShRUIOp::create(builder, loc, element,
                                         shift(builder, loc, part));
    return arith::TruncIOp::create(builder, loc, word, moved);
  };
  parts.join = [=](OpBuilder &builder, Location loc,
                   ValueRange values) -> Value {
    Value result;
    for (auto [part, value] : llvm::enumerate(values)) {
      Value wide = arith::ExtUIOp::create(builder, loc, whole, value);
      Value moved =
          arith::ShLIOp::create(builder, loc, wide, shift(builder, loc, part));
      result =
          result ? arith::OrIOp::create(builder, loc, result, moved) : moved;
    }
    return result;
  };
  return parts;
}

/// A float as the integer of its bits, in the parts of that.
static ElementParts partsOfFloat(FloatType type) {
  MLIRContext *context = type.getContext();
  Type bits = IntegerType::get(context, type.getWidth());
  ElementParts inner = partsOfInteger(context, type.getWidth());
  ElementParts parts;
  parts.types = inner.types;
  parts.split = [=](OpBuilder &builder, Location loc, Value element,
                    unsigned part) {
    Value raw = arith::BitcastOp::create(builder, loc, bits, element);
    return inner.split(builder, loc, raw, part);
  };
  parts.join = [=](OpBuilder &builder, Location loc,
                   ValueRange values) -> Value {
    return arith::BitcastOp::create(builder, loc, type,
                                    inner.join(builder, loc, values));
  };
  return parts;
}

/// The real and the imaginary part.
static ElementParts partsOfComplex(ComplexType type) {
  Type half = type.getElementType();
  ElementParts parts;
  parts.types = {half, half};
  parts.split = [=](OpBuilder &builder, Location loc, Value element,
                    unsigned part) -> Value {
    if (part == 0)
      return complex::ReOp::create(builder, loc, half, element);
    return complex::ImOp::create(builder, loc, half, element);
  };
  parts.join = [=](OpBuilder &builder, Location loc,
                   ValueRange values) -> Value {
    return complex::CreateOp::create(builder, loc, type, values[0], values[1]);
  };
  return parts;
}

/// The parts of elements of `type` that serve for `op`; nothing if none do.
static std::optional<ElementParts> partsFor(Operation *op, Type type) {
  auto attribute = op->getAttrOfType<ReductionKindAttr>("reduction");
  std::optional<ReductionKind> kind;
  if (attribute)
    kind = attribute.getValue();
  if (auto complex = dyn_cast<ComplexType>(type)) {
    bool isLinear =
        !kind || *kind == ReductionKind::Sum || *kind == ReductionKind::Average;
    if (isLinear && isa<FloatType>(complex.getElementType()) &&
        runtimeType(complex.getElementType(), kind.has_value()))
      return partsOfComplex(complex);
    return std::nullopt;
  }
  if (type.isSignlessInteger()) {
    unsigned width = type.getIntOrFloatBitWidth();
    if (kind && width > 64)
      return std::nullopt;
    return partsOfInteger(op->getContext(), width);
  }
  if (auto number = dyn_cast<FloatType>(type); number && !kind)
    return partsOfFloat(number);
  return std::nullopt;
}

/// Whether a collective like `op` may move a further dimension along: it says nothing of
/// each dimension of its tensors.
static bool takesFurtherDimension(Operation *op) {
  return !isa<UpdateHaloOp, RedistributeOp>(op);
}

/// The parts of the elements of `source` behind one another, in a further dimension at the
/// end.
static Value partsInARow(OpBuilder &builder, Location loc, Value source,
                         const ElementParts &parts) {
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, source);
  sizes.push_back(builder.getIndexAttr(parts.types.size()));
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, parts.types.front());
  AffineMap all = builder.getMultiDimIdentityMap(rank + 1);
  SmallVector<AffineMap> maps = {all.dropResult(rank), all};
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &nested, Location at, ValueRange elements) {
    Value place = linalg::IndexOp::create(nested, at, rank);
    Value result = parts.split(nested, at, elements[0], 0);
    for (unsigned part = 1; part < parts.types.size(); ++part) {
      Value number = arith::ConstantIndexOp::create(nested, at, part);
      Value isPart = arith::CmpIOp::create(nested, at, arith::CmpIPredicate::eq,
                                           place, number);
      Value other = parts.split(nested, at, elements[0], part);
      result = arith::SelectOp::create(nested, at, isPart, other, result);
    }
    linalg::YieldOp::create(nested, at, result);
  };
  return linalg::GenericOp::create(builder, loc, empty.getType(), source, empty,
                                   maps, iterators, body)
      .getResult(0);
}

/// The elements of `type` whose parts stand in a row in `row`.
static Value elementsOfRow(OpBuilder &builder, Location loc, Value row,
                           RankedTensorType type, const ElementParts &parts) {
  unsigned rank = type.getRank(), count = parts.types.size();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, row);
  sizes.pop_back();
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps;
  for (unsigned part = 0; part < count; ++part)
    maps.push_back(all.insertResult(builder.getAffineConstantExpr(part), rank));
  maps.push_back(all);
  SmallVector<Value> sources(count, row);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &nested, Location at, ValueRange elements) {
    linalg::YieldOp::create(nested, at,
                            parts.join(nested, at, elements.take_front(count)));
  };
  return linalg::GenericOp::create(builder, loc, type, sources, empty, maps,
                                   iterators, body)
      .getResult(0);
}

/// What `op` makes, by one collective of elements whose parts stand in a row.
static Value collectiveOfParts(OpBuilder &builder, Operation *op,
                               const ElementParts &parts) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      mapping.map(operand, partsInARow(builder, loc, operand, parts));
  Operation *clone = builder.clone(*op, mapping);
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(parts.types.size());
  Value row = clone->getResult(0);
  row.setType(RankedTensorType::get(shape, parts.types.front()));
  return elementsOfRow(builder, loc, row, type, parts);
}

/// The same by a collective for each part of an element.
static Value collectivesOfParts(OpBuilder &builder, Operation *op,
                                const ElementParts &parts) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<Value> results;
  for (unsigned part = 0; part < parts.types.size(); ++part) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        mapping.map(operand,
                    mapElements(builder, loc, operand, parts.types[part],
                                [&](OpBuilder &nested, Location at,
                                    ValueRange elements) {
                                  return parts.split(nested, at, elements[0],
                                                     part);
                                }));
    Operation *clone = builder.clone(*op, mapping);
    clone->getResult(0).setType(type.clone(parts.types[part]));
    results.push_back(clone->getResult(0));
  }
  return mapElements(builder, loc, results, type.getElementType(), parts.join);
}

/// Replaces `op` by collectives on the parts of its elements.
static void replaceByParts(Operation *op, const ElementParts &parts) {
  OpBuilder builder(op);
  assert(llvm::all_equal(parts.types) && "parts have one type");
  bool isOne = parts.types.size() > 1 && takesFurtherDimension(op);
  op->getResult(0).replaceAllUsesWith(
      isOne ? collectiveOfParts(builder, op, parts)
            : collectivesOfParts(builder, op, parts));
  op->erase();
}

LogicalResult shard::legalizeElements(ModuleOp module) {
  SmallVector<Operation *> collectives;
  module.walk([&](Operation *op) {
    if (isa<AllGatherOp, AllReduceOp, AllSliceOp, AllToAllOp, BroadcastOp,
            GatherOp, PermuteOp, RecvOp, RedistributeOp, ReduceOp,
            ReduceScatterOp, ScatterOp, SendOp, ShiftOp, UpdateHaloOp>(op) &&
        isa<RankedTensorType>(op->getResult(0).getType()))
      collectives.push_back(op);
  });
  for (Operation *op : collectives) {
    Type type = getElementTypeOrSelf(op->getResult(0).getType());
    bool combines = op->hasAttr("reduction");
    bool converts = llvm::any_of(op->getOperandTypes(), [&](Type operand) {
      return isa<RankedTensorType>(operand) &&
             getElementTypeOrSelf(operand) != type;
    });
    if (runtimeType(type, combines) != 0 || converts) {
      if (failed(describeCollective(op)))
        return failure();
      continue;
    }
    std::optional<ElementParts> parts = partsFor(op, type);
    if (!parts)
      return op->emitOpError()
             << (combines ? "combines" : "moves") << " elements of type "
             << type << "; "
             << (combines
                     ? "reductions are defined on f16, bf16, f32, f64, index, "
                       "signless integers of up to 64 bits, and, sums and "
                       "averages, on complex numbers of these floats"
                     : "elements that are no floats, signless integers or "
                       "complex floats have 8, 16, 32 or 64 bits");
    replaceByParts(op, *parts);
  }
  return success();
}

namespace {
struct ShardLegalizeElements
    : public shard::impl::ShardLegalizeElementsBase<ShardLegalizeElements> {
  void runOnOperation() override {
    if (failed(legalizeElements(getOperation())))
      signalPassFailure();
  }
};
} // namespace
