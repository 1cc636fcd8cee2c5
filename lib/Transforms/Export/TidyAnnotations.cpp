//===- TidyAnnotations.cpp - Order among annotations ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Export/TidyAnnotations.h"

#include "SignatureAttrs.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace shard;

void shard::tidyHandles(Operation *root) {
  llvm::DenseMap<std::pair<mlir::Block *, Attribute>, ShardingOp> known;
  llvm::DenseMap<mlir::Block *, ShardingOp> last;
  /// For each handle the one that stands for it.
  llvm::MapVector<Operation *, ShardingOp> chosen;
  auto choose = [&](Operation *user, ShardingOp handle) {
    Operation *isolated =
        user->getParentWithTrait<OpTrait::IsIsolatedFromAbove>();
    mlir::Block *entry = &isolated->getRegion(0).front();
    ShardingOp &first = known[{entry, handle->getAttrDictionary()}];
    if (first)
      return first;
    first = handle;
    if (ShardingOp before = last.lookup(entry))
      handle->moveAfter(before);
    else
      handle->moveBefore(entry, entry->begin());
    return last[entry] = handle;
  };
  root->walk<WalkOrder::PreOrder>([&](Operation *user) {
    OpOperand *use = nullptr;
    if (auto annotation = dyn_cast<ShardOp>(user))
      use = &annotation.getShardingMutable();
    else if (auto question = dyn_cast<ShardShapeOp>(user))
      use = &question.getShardingMutable();
    ShardingOp handle = use ? getShardingOp(use->get()) : ShardingOp();
    // Halos and offsets that are SSA values bind a handle to its place.
    if (!handle || handle->getNumOperands() > 0)
      return;
    ShardingOp &stands = chosen[handle];
    if (!stands)
      stands = choose(user, handle);
    if (stands != handle)
      use->set(stands.getResult());
  });
  for (auto &[handle, stands] : chosen)
    if (handle != stands && handle->use_empty())
      handle->erase();
}

void shard::closeSignatures(Operation *root) {
  DenseMap<std::pair<Attribute, int64_t>, Attribute> closed;
  auto close = [&](Attribute hint, Type type) -> Attribute {
    auto sharding = dyn_cast_or_null<ShardingAttr>(hint);
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!sharding || !tensor)
      return hint;
    Attribute &known = closed[{sharding.getGrid(), tensor.getRank()}];
    if (!known)
      known = getShardingAttr(sharding.getGrid(),
                              Sharding::replicated(tensor.getRank()));
    return known;
  };
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return op->hasTrait<OpTrait::SymbolTable>() ? WalkResult::advance()
                                                  : WalkResult::skip();
    SignatureAttrs signature(function);
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      if (Attribute hint = function.getArgAttr(index, kShardingAttrName))
        signature.setArgument(index, kShardingAttrName, close(hint, type));
    for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
      if (Attribute hint = function.getResultAttr(index, kShardingAttrName))
        signature.setResult(index, kShardingAttrName, close(hint, type));
    signature.write();
    return WalkResult::skip();
  });
}
