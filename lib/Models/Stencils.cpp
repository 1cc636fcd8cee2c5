//===- Stencils.cpp - Several steps of a stencil in one iteration ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Stencils.h"

#include "shard/IR/Steps.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/OpDefinition.h"

using namespace mlir;

namespace shard {

/// Whether an op of the body reads windows, and the loop carries a tensor.
static bool isStencil(scf::ForOp loop) {
  bool carriesTensor = llvm::any_of(loop.getResultTypes(), [](Type type) {
    return isa<RankedTensorType>(type);
  });
  return carriesTensor && llvm::any_of(*loop.getBody(), [](Operation &op) {
           if (!isa<ShardingInterface>(op))
             return false;
           LoopTable table = buildLoopTable(&op);
           return llvm::any_of(table.operands, [](const TensorLoops &tensor) {
             return !tensor.windows.empty();
           });
         });
}

Operation *findStencil(Operation *root) {
  Operation *found = nullptr;
  root->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (!isStencil(loop))
      return WalkResult::advance();
    found = loop;
    return WalkResult::interrupt();
  });
  return found;
}

static void unroll(scf::ForOp loop, int64_t steps) {
  for (Operation &op : *loop.getBody())
    if (auto model = dyn_cast<ShardingInterface>(op);
        model && !model.isView() && !op.hasTrait<OpTrait::ConstantLike>())
      op.setAttr(kRecomputeAttrName, UnitAttr::get(op.getContext()));
  (void)loopUnrollByFactor(loop, uint64_t(steps));
}

bool unrollStencils(Operation *root, int64_t steps) {
  bool changed = false;
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    int64_t own = steps;
    bool isHint = false;
    if (auto hint = loop->getAttrOfType<IntegerAttr>(kHaloStepsAttrName)) {
      own = hint.getInt();
      isHint = true;
      loop->removeAttr(kHaloStepsAttrName);
      changed = true;
    }
    // A loop of fewer iterations is unrolled as a whole.
    if (std::optional<APInt> trips = loop.getStaticTripCount();
        trips && trips->ult(uint64_t(own)))
      own = std::max<int64_t>(trips->getZExtValue(), 1);
    bool unrolls = own > 1 && isStencil(loop);
    changed |= unrolls;
    if (unrolls)
      unroll(loop, own);
    else if (own > 1 && isHint)
      emitRemark(loop.getLoc()) << '"' << kHaloStepsAttrName
                                << "\" has no effect: no op of the loop reads "
                                   "windows of a tensor, as "
                                   "a stencil does";
  }
  return changed;
}

} // namespace shard
