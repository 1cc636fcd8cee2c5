//===- StaticShardings.cpp - Constant halos and offsets become numbers ----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardingUtils.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

namespace {

/// Folds values, each once.
class ConstantFolder {
public:
  /// `value` as an attribute; null if it is not constant.
  Attribute fold(Value value, unsigned depth = 0) {
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant)))
      return constant;
    auto [entry, isNew] = known.try_emplace(value);
    Operation *op = value.getDefiningOp();
    if (!isNew || !op || depth == maxDepth || op->getNumRegions() != 0 ||
        op->getNumResults() != 1)
      return entry->second;
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      operands.push_back(fold(operand, depth + 1));
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)) || results.size() != 1)
      return {};
    Attribute folded = dyn_cast<Attribute>(results.front());
    if (!folded)
      folded = fold(cast<Value>(results.front()), depth + 1);
    return known[value] = folded;
  }

private:
  /// Values at the end of longer chains of ops count as not constant, so that
  /// recursion is bounded.
  static constexpr unsigned maxDepth = 64;
  llvm::DenseMap<Value, Attribute> known;
};

/// Puts numbers for the dynamic entries of `statics` that are constant. `dynamics`, the
/// values of all dynamic entries, keeps those of the others.
void takeConstants(SmallVectorImpl<int64_t> &statics,
                   SmallVectorImpl<Value> &dynamics, ConstantFolder &folder) {
  SmallVector<Value> values(dynamics.begin(), dynamics.end());
  dynamics.clear();
  auto *next = values.begin();
  for (int64_t &entry : statics) {
    if (!ShapedType::isDynamic(entry))
      continue;
    Value value = *next++;
    if (auto number = dyn_cast_or_null<IntegerAttr>(folder.fold(value)))
      entry = number.getValue().getSExtValue();
    else
      dynamics.push_back(value);
  }
}

} // namespace

LogicalResult makeShardingsStatic(ArrayRef<ShardingOp> shardings) {
  ConstantFolder folder;
  SymbolTableCollection symbols;
  for (ShardingOp op : shardings) {
    if (op->getNumOperands() == 0)
      continue;
    SmallVector<int64_t> halos(op.getStaticHaloSizes()),
        offsets(op.getStaticShardedDimsOffsets());
    SmallVector<Value> dynamicHalos(op.getDynamicHaloSizes()),
        dynamicOffsets(op.getDynamicShardedDimsOffsets());
    takeConstants(halos, dynamicHalos, folder);
    takeConstants(offsets, dynamicOffsets, folder);
    op.setStaticHaloSizes(halos);
    op.getDynamicHaloSizesMutable().assign(dynamicHalos);
    op.setStaticShardedDimsOffsets(offsets);
    op.getDynamicShardedDimsOffsetsMutable().assign(dynamicOffsets);
    if (failed(op.verify()) || failed(op.verifySymbolUses(symbols)))
      return failure();
    for (Operation *user : op.getResult().getUsers())
      if (auto shard = dyn_cast<ShardOp>(user))
        if (failed(shard.verifySymbolUses(symbols)))
          return failure();
  }
  return success();
}

} // namespace shard
