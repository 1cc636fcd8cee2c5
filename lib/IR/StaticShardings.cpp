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

/// `statics` with the numbers for its dynamic entries; nothing if one of them is
/// not constant.
std::optional<SmallVector<int64_t>> numbers(ArrayRef<int64_t> statics,
                                            ValueRange dynamics,
                                            ConstantFolder &folder) {
  SmallVector<int64_t> result(statics);
  for (int64_t &entry : result) {
    if (!ShapedType::isDynamic(entry))
      continue;
    auto number = dyn_cast_or_null<IntegerAttr>(folder.fold(dynamics.front()));
    if (!number)
      return std::nullopt;
    entry = number.getValue().getSExtValue();
    dynamics = dynamics.drop_front();
  }
  return result;
}

} // namespace

LogicalResult makeShardingsStatic(ArrayRef<ShardingOp> shardings) {
  ConstantFolder folder;
  SymbolTableCollection symbols;
  for (ShardingOp op : shardings) {
    if (op->getNumOperands() == 0)
      continue;
    auto halos =
        numbers(op.getStaticHaloSizes(), op.getDynamicHaloSizes(), folder);
    auto offsets = numbers(op.getStaticShardedDimsOffsets(),
                           op.getDynamicShardedDimsOffsets(), folder);
    if (!halos || !offsets)
      continue;
    op.setStaticHaloSizes(*halos);
    op.getDynamicHaloSizesMutable().clear();
    op.setStaticShardedDimsOffsets(*offsets);
    op.getDynamicShardedDimsOffsetsMutable().clear();
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
