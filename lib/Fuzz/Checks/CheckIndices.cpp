//===- CheckIndices.cpp - Indices that take more than they need -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partition simplifies indices by formulas for bounds and multiples of a position. Here each index
// is computed for every position that there is, and what it could be is read off the numbers.
//
//===----------------------------------------------------------------------===//

#include "CheckIndices.h"

#include "shard/IR/ShardOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <optional>
#include <vector>

using namespace mlir;
using namespace shard;

namespace {

/// An index for each position of a device along one axis.
struct Numbers {
  /// Null for a constant, which has one number.
  Value position;
  std::vector<int64_t> values;
  /// Whether they are made by sums and products alone, and so are a multiple of the position and a
  /// constant. Others may be so by chance.
  bool isLinear = true;
  /// Whether the smallest and the largest number follow from those of the operands. Those of a sum
  /// of a maximum and a position need not.
  bool hasBounds = true;

  int64_t at(size_t place) const {
    return values.size() == 1 ? values.front() : values[place];
  }
};

/// Reads the ops of a module in order.
class IndexReader {
public:
  void read(ModuleOp module);

  /// The first index that could be had for less, in words.
  std::string wrong;

private:
  void readPositions(ProcessMultiIndexOp op, ModuleOp module);
  void compute(Operation *op);
  std::string reasonOf(Operation *op, const Numbers &a, const Numbers &b,
                       const Numbers &result) const;
  std::string reasonOfExtreme(const Numbers &a, const Numbers &b,
                              const Numbers &result) const;
  std::optional<Numbers> known(Value value) const;

  llvm::DenseMap<Value, Numbers> numbers;
};

} // namespace

std::optional<Numbers> IndexReader::known(Value value) const {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return Numbers{Value(), {*number}};
  auto found = numbers.find(value);
  return found != numbers.end() ? std::optional(found->second) : std::nullopt;
}

void IndexReader::readPositions(ProcessMultiIndexOp op, ModuleOp module) {
  auto grid = module.lookupSymbol<GridOp>(op.getGrid());
  if (!grid)
    return;
  ArrayRef<GridAxis> axes = op.getAxes();
  for (auto [number, position] : llvm::enumerate(op.getResults())) {
    int64_t size = grid.getShape()[axes.empty() ? number : axes[number]];
    // Of an axis of one device it is known later that the position is 0.
    if (ShapedType::isDynamic(size) || size < 2)
      continue;
    Numbers &all = numbers[position];
    all.position = position;
    for (int64_t at = 0; at < size; ++at)
      all.values.push_back(at);
  }
}

std::string IndexReader::reasonOfExtreme(const Numbers &a, const Numbers &b,
                                         const Numbers &result) const {
  // Two multiples of the position are compared everywhere, others by their bounds, which is enough
  // beside a constant.
  if (!result.hasBounds)
    return {};
  for (const Numbers *one : {&a, &b}) {
    bool isAlways = true;
    for (size_t place = 0; place < result.values.size(); ++place)
      isAlways &= result.at(place) == one->at(place);
    if (isAlways)
      return "is one of its operands on all devices";
  }
  return {};
}

std::string IndexReader::reasonOf(Operation *op, const Numbers &a,
                                  const Numbers &b,
                                  const Numbers &result) const {
  if (isa<arith::MaxSIOp, arith::MinSIOp>(op))
    return reasonOfExtreme(a, b, result);
  // Of sums of what is no multiple of the position bounds alone are known.
  if (!a.isLinear || !b.isLinear)
    return {};
  int64_t offset = result.at(0), scale = result.at(1) - offset;
  if (scale == 0)
    return "is a number";
  if (scale == 1 && offset == 0)
    return "is the position";
  bool isOne = scale == 1 || scale == -1 || offset == 0;
  if (isOne && !llvm::is_contained(op->getOperands(), result.position))
    return "takes one op on the position";
  return {};
}

/// What `op` computes of two numbers; nothing if that is too large, or `op` is another one.
static std::optional<int64_t> computed(Operation *op, int64_t x, int64_t y) {
  if (isa<arith::AddIOp>(op))
    return llvm::checkedAdd(x, y);
  if (isa<arith::SubIOp>(op))
    return llvm::checkedSub(x, y);
  if (isa<arith::MulIOp>(op))
    return llvm::checkedMul(x, y);
  if (isa<arith::MaxSIOp>(op))
    return std::max(x, y);
  if (isa<arith::MinSIOp>(op))
    return std::min(x, y);
  return std::nullopt;
}

void IndexReader::compute(Operation *op) {
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      !op->getResult(0).getType().isIndex())
    return;
  std::optional<Numbers> a = known(op->getOperand(0)),
                         b = known(op->getOperand(1));
  if (!a || !b || (a->position && b->position && a->position != b->position))
    return;
  // A product of positions is no multiple of one.
  if (isa<arith::MulIOp>(op) && a->position && b->position)
    return;
  Numbers result{a->position ? a->position : b->position, {}};
  result.isLinear =
      a->isLinear && b->isLinear && !isa<arith::MaxSIOp, arith::MinSIOp>(op);
  result.hasBounds =
      a->hasBounds && b->hasBounds &&
      (!a->position || !b->position || (a->isLinear && b->isLinear));
  for (size_t place = 0, end = std::max(a->values.size(), b->values.size());
       place < end; ++place) {
    std::optional<int64_t> number = computed(op, a->at(place), b->at(place));
    if (!number)
      return;
    result.values.push_back(*number);
  }
  // Partition keeps what the program computes of constants.
  std::string reason =
      result.position ? reasonOf(op, *a, *b, result) : std::string();
  if (!reason.empty())
    wrong = "an " + op->getName().getStringRef().str() + " of a position of " +
            std::to_string(result.values.size()) + " " + reason;
  numbers[op->getResult(0)] = std::move(result);
}

void IndexReader::read(ModuleOp module) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!wrong.empty())
      return;
    if (auto positions = dyn_cast<ProcessMultiIndexOp>(op))
      readPositions(positions, module);
    else
      compute(op);
  });
}

std::string shard::fuzz::checkIndices(ModuleOp partitioned) {
  IndexReader reader;
  reader.read(partitioned);
  return reader.wrong;
}
