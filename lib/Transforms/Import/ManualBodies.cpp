//===- ManualBodies.cpp - Bodies without captured tensors -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/ManualBodies.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shard {

/// The sharding of a tensor of `rank` that is open but for the manual axes of `op`.
static ShardingAttr openButManual(ManualComputationOp op, int64_t rank) {
  auto open = DimShardingAttr::get(op.getContext(), ArrayRef<AxisRefAttr>(),
                                   /*open=*/true, /*priority=*/-1);
  SmallVector<DimShardingAttr> dims(rank, open);
  SmallVector<AxisRefAttr> manual(op.getManualAxes().getAsRange<AxisRefAttr>());
  return ShardingAttr::get(op.getContext(), op.getGridAttr(), dims,
                           ReductionKindAttr(), ArrayRef<AxisRefAttr>(), manual,
                           ArrayRef<int64_t>(), ArrayRef<int64_t>());
}

/// Calls `visit` with the uses in `body` of tensors from outside.
static void forEachCapture(Region &body,
                           llvm::function_ref<void(OpOperand &)> visit) {
  body.walk([&](Operation *inner) {
    for (OpOperand &use : inner->getOpOperands())
      if (isa<RankedTensorType>(use.get().getType()) &&
          !body.isAncestor(use.get().getParentRegion()))
        visit(use);
  });
}

/// Makes anew in `body` what costs nothing to make.
static void copyCreators(Region &body) {
  OpBuilder builder(body);
  llvm::MapVector<Operation *, Operation *> copies;
  bool found = true;
  // A copied fill uses the tensor.empty outside.
  while (found) {
    found = false;
    forEachCapture(body, [&](OpOperand &use) {
      Operation *def = use.get().getDefiningOp();
      if (!def || !isMadeForEachUser(def))
        return;
      Operation *&copy = copies[def];
      if (!copy) {
        builder.setInsertionPointToStart(&body.front());
        copy = builder.clone(*def);
      }
      use.set(copy->getResult(0));
      found = true;
    });
  }
  for (auto [def, copy] : copies)
    if (def->use_empty() && isOpTriviallyDead(def))
      def->erase();
}

static void passCaptures(ManualComputationOp op) {
  Region &body = op.getBody();
  copyCreators(body);
  llvm::MapVector<Value, SmallVector<OpOperand *>> captured;
  forEachCapture(body,
                 [&](OpOperand &use) { captured[use.get()].push_back(&use); });
  if (captured.empty())
    return;
  SmallVector<Attribute> shardings(op.getInShardings().getValue());
  for (auto &[value, uses] : captured) {
    auto type = cast<RankedTensorType>(value.getType());
    op->insertOperands(op->getNumOperands(), value);
    shardings.push_back(openButManual(op, type.getRank()));
    BlockArgument argument = body.addArgument(type, value.getLoc());
    for (OpOperand *use : uses)
      use->set(argument);
  }
  op.setInShardingsAttr(ArrayAttr::get(op.getContext(), shardings));
}

static void reshardLaidOut(Value end) {
  for (Operation *user : end.getUsers()) {
    if (auto constraint = dyn_cast<ConstraintOp>(user)) {
      ShardingAttr old = constraint.getSharding();
      if (constraint.getResult().use_empty())
        constraint.setShardingAttr(ShardingAttr::get(
            old.getContext(), old.getGrid(), old.getDims(),
            old.getPartialKind(), old.getPartialAxes(), old.getReplicatedAxes(),
            ArrayRef<int64_t>(), ArrayRef<int64_t>()));
      continue;
    }
    auto annotation = dyn_cast<ShardOp>(user);
    ShardingOp sharding =
        annotation ? getShardingOp(annotation.getSharding()) : ShardingOp();
    if (sharding && (!sharding.getStaticHaloSizes().empty() ||
                     !sharding.getStaticShardedDimsOffsets().empty()))
      annotation.setAnnotateForUsers(true);
  }
}

void prepareManualBodies(ArrayRef<ManualComputationOp> computations) {
  // What outer ones get is from outside for those in their bodies.
  for (ManualComputationOp op : computations)
    passCaptures(op);
  for (ManualComputationOp op : computations) {
    for (Value argument : op.getBody().getArguments())
      reshardLaidOut(argument);
    for (Value result : op.getResults())
      reshardLaidOut(result);
  }
}

} // namespace shard
