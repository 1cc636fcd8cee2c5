//===- PlaceEvaluator.cpp - Numbers of the iterations of a loop -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceEvaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shard {

/// Bounds of the work: iterations, folds for each of them, ops that use one another.
static constexpr int64_t kMostIterations = 4096;
static constexpr int64_t kMostFolds = 128;
static constexpr unsigned kMostDepth = 64;

/// Whether a fold of `op` computes the bits that a run computes: functions such as `exp` are
/// rounded otherwise on some machines, and flags of fast math allow other results.
static bool foldsExactly(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  if (flags && flags.getFastMathFlagsAttr() &&
      flags.getFastMathFlagsAttr().getValue() != arith::FastMathFlags::none)
    return false;
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) ||
         isa<math::AbsIOp, math::FloorOp, math::CeilOp, math::TruncOp,
             math::RoundOp, math::RoundEvenOp>(op);
}

static std::optional<int64_t> numberOf(Attribute attribute) {
  auto number = dyn_cast_or_null<IntegerAttr>(attribute);
  if (!number || number.getValue().getSignificantBits() > 32)
    return std::nullopt;
  return number.getValue().getSExtValue();
}

/// The number of the element at `place` of a tensor of `shape`, or -1 if there is none.
static int64_t linearize(ArrayRef<int64_t> place, ArrayRef<int64_t> shape) {
  int64_t linear = 0;
  for (auto [at, extent] : llvm::zip_equal(place, shape)) {
    if (ShapedType::isDynamic(extent) || at < 0 || at >= extent)
      return -1;
    linear = linear * extent + at;
  }
  return linear;
}

static SmallVector<int64_t> delinearize(int64_t linear,
                                        ArrayRef<int64_t> shape) {
  SmallVector<int64_t> place(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; linear /= shape[dim])
    place[dim] = linear % shape[dim];
  return place;
}

/// The element with number `linear` of a constant.
static Attribute constantElement(Attribute constant, int64_t linear) {
  if (auto dense = dyn_cast<DenseElementsAttr>(constant))
    return dense.getValues<Attribute>()[linear];
  auto at = [&](auto resource, Type type) -> Attribute {
    auto numbers = resource.tryGetAsArrayRef();
    if (!numbers || linear >= int64_t(numbers->size()))
      return nullptr;
    return IntegerAttr::get(type, (*numbers)[linear]);
  };
  if (auto resource = dyn_cast<DenseI64ResourceElementsAttr>(constant))
    return at(resource, resource.getType().getElementType());
  if (auto resource = dyn_cast<DenseI32ResourceElementsAttr>(constant))
    return at(resource, resource.getType().getElementType());
  return nullptr;
}

namespace {
/// The body of an op of linalg in one iteration.
struct Iteration {
  linalg::GenericOp op;
  ArrayRef<int64_t> loops;
  llvm::DenseMap<Value, Attribute> known{};
};

/// Computes scalars in the bodies of ops, and elements of tensors, by folding. Null is what is
/// not known.
class Evaluator {
public:
  explicit Evaluator(int64_t folds) : folds(folds) {}

  Attribute scalar(Value value, Iteration &in) {
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant)))
      return constant;
    if (auto known = in.known.find(value); known != in.known.end())
      return known->second;
    if (depth == kMostDepth)
      return nullptr;
    ++depth;
    Attribute result = compute(value, in);
    --depth;
    in.known[value] = result;
    return result;
  }

  bool readsTensors = false;

private:
  Attribute compute(Value value, Iteration &in) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != in.op.getBlock() ||
          argument.getArgNumber() >= unsigned(in.op.getNumDpsInputs()))
        return nullptr;
      OpOperand *input = in.op.getDpsInputOperand(argument.getArgNumber());
      return element(input->get(),
                     in.op.getMatchingIndexingMap(input).compose(in.loops));
    }
    Operation *def = value.getDefiningOp();
    if (def->getBlock() != in.op.getBlock() || def->getNumRegions() > 0 ||
        def->getNumResults() != 1)
      return nullptr;
    if (auto index = dyn_cast<linalg::IndexOp>(def))
      return IntegerAttr::get(value.getType(), in.loops[index.getDim()]);
    SmallVector<Attribute> operands;
    auto extract = dyn_cast<tensor::ExtractOp>(def);
    for (Value operand : extract ? ValueRange(extract.getIndices())
                                 : ValueRange(def->getOperands())) {
      operands.push_back(scalar(operand, in));
      if (!operands.back())
        return nullptr;
    }
    if (!extract)
      return fold(def, operands, in);
    SmallVector<int64_t> place;
    for (Attribute operand : operands)
      place.push_back(numberOf(operand).value_or(-1));
    return element(extract.getTensor(), place);
  }

  /// MLIR does not fold an f64 that is rounded to f32.
  static Attribute rounded(Operation *op, Attribute operand) {
    auto round = dyn_cast<arith::TruncFOp>(op);
    auto number = round ? dyn_cast<FloatAttr>(operand) : nullptr;
    if (!number || !round.getType().isF32() || round.getRoundingmodeAttr())
      return nullptr;
    APFloat result = number.getValue();
    bool isInexact;
    result.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &isInexact);
    return FloatAttr::get(round.getType(), result);
  }

  Attribute fold(Operation *op, ArrayRef<Attribute> operands, Iteration &in) {
    SmallVector<OpFoldResult> results;
    if (operands.empty() || !foldsExactly(op) || folds-- <= 0)
      return nullptr;
    if (failed(op->fold(operands, results)))
      return rounded(op, operands.front());
    if (results.size() != 1)
      return nullptr;
    if (auto result = dyn_cast<Attribute>(results.front()))
      return result;
    return scalar(cast<Value>(results.front()), in);
  }

  Attribute element(Value tensor, ArrayRef<int64_t> place) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    int64_t linear = type ? linearize(place, type.getShape()) : -1;
    if (linear < 0 || depth == kMostDepth)
      return nullptr;
    readsTensors = true;
    auto [known, isNew] = elements.try_emplace({tensor, linear});
    if (!isNew)
      return known->second;
    ++depth;
    Attribute result = computeElement(tensor, place, linear);
    --depth;
    elements[{tensor, linear}] = result;
    return result;
  }

  Attribute computeElement(Value tensor, ArrayRef<int64_t> place,
                           int64_t linear) {
    Attribute constant;
    if (matchPattern(tensor, m_Constant(&constant)))
      return constantElement(constant, linear);
    Operation *def = tensor.getDefiningOp();
    if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def)) {
      Value source = def->getOperand(0);
      auto type = cast<RankedTensorType>(source.getType());
      return type.hasStaticShape()
                 ? element(source, delinearize(linear, type.getShape()))
                 : nullptr;
    }
    auto op = dyn_cast_or_null<linalg::GenericOp>(def);
    if (!op || op->getNumResults() != 1 || op.getNumReductionLoops() > 0 ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
      return nullptr;
    Iteration in{op, place};
    return scalar(op.getBlock()->getTerminator()->getOperand(0), in);
  }

  int64_t folds;
  unsigned depth = 0;
  llvm::DenseMap<std::pair<Value, int64_t>, Attribute> elements;
};
} // namespace

/// Adds the loops of `op` that `value`, in its body, depends on. Loops of one iteration are none.
static void addLoops(Value value, linalg::GenericOp op,
                     llvm::SmallBitVector &loops,
                     llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBlock())
      return;
    AffineMap map = op.getIndexingMapsArray()[argument.getArgNumber()];
    SmallVector<int64_t, 4> ranges = op.getStaticLoopRanges();
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (map.isFunctionOfDim(loop) && ranges[loop] != 1)
        loops.set(loop);
    return;
  }
  Operation *def = value.getDefiningOp();
  if (def->getBlock() != op.getBlock() || !seen.insert(def).second)
    return;
  if (auto index = dyn_cast<linalg::IndexOp>(def))
    if (op.getStaticLoopRanges()[index.getDim()] != 1)
      loops.set(index.getDim());
  for (Value operand : def->getOperands())
    addLoops(operand, op, loops, seen);
}

std::optional<PlaceTable> placeTable(Value index, linalg::GenericOp op) {
  llvm::SmallBitVector loops(op.getNumLoops());
  llvm::SmallPtrSet<Operation *, 16> seen;
  addLoops(index, op, loops, seen);
  if (loops.count() != 1)
    return std::nullopt;
  PlaceTable table;
  table.loop = loops.find_first();
  int64_t extent = op.getStaticLoopRanges()[table.loop];
  if (ShapedType::isDynamic(extent) || extent > kMostIterations)
    return std::nullopt;
  Evaluator evaluator(extent * kMostFolds);
  SmallVector<int64_t> places(op.getNumLoops(), 0);
  for (int64_t &at = places[table.loop]; at < extent; ++at) {
    Iteration in{op, places};
    std::optional<int64_t> number = numberOf(evaluator.scalar(index, in));
    if (!number)
      return std::nullopt;
    table.numbers.push_back(*number);
  }
  table.readsTensors = evaluator.readsTensors;
  return table;
}

} // namespace shard
