//===- VaryingExtents.cpp - Which extents differ between devices ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VaryingExtents.h"

#include "shard/IR/ShardOps.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shard {

AxisSet unionOf(const ExtentSets &sets) {
  AxisSet all = 0;
  for (AxisSet set : sets)
    all |= set;
  return all;
}

ExtentSets everyDim(Value value, AxisSet set) {
  auto tensor = dyn_cast<ShapedType>(value.getType());
  return ExtentSets(tensor && tensor.hasRank() ? tensor.getRank() : 1, set);
}

/// Whether each dimension of a result has the extent of that dimension of the operands,
/// or a multiple or a part of it that is the same on all devices.
static bool keepsShape(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isa<CastOpInterface>(op) ||
         isa_and_present<ShardDialect>(op->getDialect());
}

/// The extents of a result of `type` if `op` makes it of numbers, one for each dynamic
/// dimension.
static std::optional<ExtentSets>
statedExtents(Operation *op, RankedTensorType type, const ExtentRules &rules) {
  if (!type || !isa<ShardingInterface>(op) || op->getNumResults() != 1)
    return std::nullopt;
  SmallVector<Value> numbers;
  for (Value operand : op->getOperands()) {
    if (isa<ShapedType>(operand.getType()))
      return std::nullopt;
    if (operand.getType().isIndex())
      numbers.push_back(operand);
  }
  if (numbers.size() != type.getNumDynamicDims())
    return std::nullopt;
  ExtentSets sets;
  auto *next = numbers.begin();
  for (int64_t extent : type.getShape())
    sets.push_back(ShapedType::isDynamic(extent) ? rules.along(*next++) : 0);
  return sets;
}

/// Any axis along which an extent of a result of `op` may vary.
static AxisSet anyExtent(Operation *op, const ExtentRules &rules) {
  AxisSet of = 0;
  auto model = dyn_cast<ShardingInterface>(op);
  bool elementwise = op->hasTrait<OpTrait::Elementwise>();
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    of |= unionOf(rules.extents(operand));
    // Nothing is known of ops that no dialect has registered.
    bool shapeByContent = !op->getDialect() ||
                          (model && model.isShapeOperand(number)) ||
                          (!elementwise && !isa<TensorType>(operand.getType()));
    if (shapeByContent)
      of |= rules.along(operand);
  }
  return of;
}

/// As the loops of the model of `op` say: a dimension of a result has the extents of the
/// dimensions that its loops index. Those of `any` where nothing else is known.
static ExtentSets extentsByLoops(OpResult result, RankedTensorType type,
                                 AxisSet any, const ExtentRules &rules) {
  Operation *op = result.getOwner();
  LoopTable table = buildLoopTable(op);
  SmallVector<AxisSet> ofLoop(table.loops.size(), 0);
  llvm::SmallBitVector known(table.loops.size());
  for (auto [tensor, operand] :
       llvm::zip_equal(table.operands, op->getOperands())) {
    ExtentSets of = rules.extents(operand);
    for (auto [dim, loops] : llvm::enumerate(tensor.dims))
      for (int32_t loop : loops) {
        known.set(loop);
        ofLoop[loop] |= of.size() == tensor.dims.size() ? of[dim] : unionOf(of);
      }
  }
  ExtentSets sets;
  for (const DimLoops &loops : table.results[result.getResultNumber()].dims) {
    AxisSet set = loops.empty() ? any : 0;
    for (int32_t loop : loops)
      set |= known.test(loop) ? ofLoop[loop] : any;
    sets.push_back(set);
  }
  return int64_t(sets.size()) == type.getRank() ? sets : everyDim(result, any);
}

ExtentSets resultExtents(OpResult result, const ExtentRules &rules) {
  Operation *op = result.getOwner();
  if (auto wait = dyn_cast<WaitOp>(op))
    return rules.extents(wait.getValue());
  if (auto written = dyn_cast<DestinationStyleOpInterface>(op))
    if (OpOperand *init = written.getTiedOpOperand(result))
      return rules.extents(init->get());
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op)) {
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    ExtentSets sets;
    for (OpFoldResult size : sizes)
      sets.push_back(isa<Value>(size) ? rules.along(cast<Value>(size)) : 0);
    return type && type.getRank() == int64_t(sizes.size())
               ? sets
               : everyDim(result, unionOf(sets));
  }
  if (std::optional<ExtentSets> sets = statedExtents(op, type, rules))
    return *sets;
  AxisSet any = anyExtent(op, rules);
  if (any != 0 && type && isa<ShardingInterface>(op))
    return extentsByLoops(result, type, any, rules);
  if (any == 0 || !type || !keepsShape(op))
    return everyDim(result, any);
  ExtentSets sets = everyDim(result, 0);
  for (Value operand : op->getOperands())
    if (ExtentSets of = rules.extents(operand); !of.empty())
      for (size_t dim = 0; dim < sets.size(); ++dim)
        sets[dim] |= of.size() == sets.size() ? of[dim] : unionOf(of);
  return sets;
}

} // namespace shard
