//===- EvaluatedPlaces.cpp - Indices computed for each iteration ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluatedPlaces.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

/// Bounds of the work: iterations, and ops that compute an index.
static constexpr int64_t kMostIterations = 4096;
static constexpr unsigned kMostOps = 64;

/// Whether a fold of `op` computes the bits that a run computes: functions such as `exp` are
/// rounded otherwise on some machines, and flags of fast math allow other results.
static bool foldsExactly(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  if (flags && flags.getFastMathFlagsAttr() &&
      flags.getFastMathFlagsAttr().getValue() != arith::FastMathFlags::none)
    return false;
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) ||
         isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp,
             math::RoundEvenOp, tensor::DimOp>(op);
}

namespace {
/// Computes an index in the body of an op by folding.
class Evaluator {
public:
  explicit Evaluator(linalg::GenericOp op) : op(op) {}

  /// Whether `value` is computed of constants and of one loop.
  bool visit(Value value) {
    if (known.contains(value))
      return true;
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant))) {
      known[value] = constant;
      return true;
    }
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != op.getBlock() || def->getNumResults() != 1 ||
        def->getNumRegions() > 0 || steps.size() == kMostOps)
      return false;
    if (auto index = dyn_cast<linalg::IndexOp>(def)) {
      if (loop && *loop != index.getDim())
        return false;
      loop = index.getDim();
      indices.push_back(value);
    } else {
      if (def->getNumOperands() == 0 || !foldsExactly(def) ||
          !llvm::all_of(def->getOperands(),
                        [&](Value operand) { return visit(operand); }))
        return false;
      steps.push_back(def);
    }
    known[value] = nullptr;
    return true;
  }

  /// The number that the value visited last has in `iteration`.
  std::optional<int64_t> evaluate(int64_t iteration) {
    for (Value index : indices)
      known[index] = IntegerAttr::get(index.getType(), iteration);
    for (Operation *step : steps) {
      SmallVector<Attribute> operands;
      for (Value operand : step->getOperands())
        operands.push_back(known.lookup(operand));
      SmallVector<OpFoldResult> results;
      if (failed(step->fold(operands, results)) || results.size() != 1)
        return std::nullopt;
      Attribute result = dyn_cast<Attribute>(results.front());
      if (!result)
        result = known.lookup(cast<Value>(results.front()));
      if (!result)
        return std::nullopt;
      known[step->getResult(0)] = result;
    }
    auto number =
        dyn_cast<IntegerAttr>(known.lookup(steps.back()->getResult(0)));
    if (!number || number.getValue().getSignificantBits() > 32)
      return std::nullopt;
    return number.getValue().getSExtValue();
  }

  std::optional<unsigned> loop;
  SmallVector<Operation *> steps;

private:
  linalg::GenericOp op;
  SmallVector<Value> indices;
  llvm::DenseMap<Value, Attribute> known;
};
} // namespace

/// Whether the numbers are those of `expr`, a function of one loop, for all iterations.
static bool isFunction(ArrayRef<int64_t> numbers,
                       llvm::function_ref<int64_t(int64_t)> of) {
  return llvm::all_of(llvm::enumerate(numbers), [&](const auto &entry) {
    return entry.value() == of(entry.index());
  });
}

std::optional<LoopPlace> evaluatedPlace(Value index, linalg::GenericOp op) {
  Evaluator evaluator(op);
  if (!evaluator.visit(index) || !evaluator.loop || evaluator.steps.empty())
    return std::nullopt;
  int64_t extent = op.getStaticLoopRanges()[*evaluator.loop];
  // Two iterations tell nothing yet.
  if (ShapedType::isDynamic(extent) || extent < 3 || extent > kMostIterations)
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (int64_t iteration = 0; iteration < extent; ++iteration) {
    std::optional<int64_t> number = evaluator.evaluate(iteration);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  AffineExpr loop = getAffineDimExpr(*evaluator.loop, op.getContext());
  int64_t first = numbers.front(), step = numbers[1] - first;
  auto [least, most] = std::minmax(first, numbers.back());
  if (step != 0 &&
      isFunction(numbers, [&](int64_t i) { return first + step * i; }))
    return LoopPlace{loop * step + first, least, most};
  int64_t divisor =
      llvm::find_if(numbers, [&](int64_t number) { return number != first; }) -
      numbers.begin();
  if (extent % divisor == 0 &&
      isFunction(numbers, [&](int64_t i) { return i / divisor; }))
    return LoopPlace{loop.floorDiv(divisor), least, most};
  return std::nullopt;
}

} // namespace shard
