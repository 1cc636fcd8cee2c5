//===- VerifyPartitioned.cpp - Pass shard-verify-partitioned --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Conversion/Conversion.h"
#include "shard/Conversion/Passes.h"
#include "shard/IR/ShardOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace shard;

namespace shard {
#define GEN_PASS_DEF_SHARDVERIFYPARTITIONED
#include "shard/Conversion/Passes.h.inc"
} // namespace shard

static constexpr const char *remedy =
    ": the program is not partitioned; run shard-spmd, or "
    "sharding-propagation and shard-partition, first";

/// The names of the hints that stand in attributes.
static constexpr StringRef hintNames[] = {kShardingAttrName, kLoopsAttrName};

static LogicalResult verifySignature(FunctionOpInterface function) {
  for (StringRef name : hintNames) {
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (function.getArgAttr(i, name))
        return function->emitOpError()
               << "has the hint '" << name << "' on argument " << i << remedy;
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      if (function.getResultAttr(i, name))
        return function->emitOpError()
               << "has the hint '" << name << "' on result " << i << remedy;
  }
  return success();
}

/// Nothing runs what stands in the body of a module, where ops on tensors may take each
/// other's results, which MLIR's patterns do not expect.
static LogicalResult verifyTopLevel(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
      return op.emitOpError() << "is an op on tensors outside of a function, "
                                 "where nothing runs it; move it into one";
  return success();
}

LogicalResult shard::verifyPartitioned(ModuleOp module) {
  WalkResult walked = module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isa<ShardOp, ConstraintOp, GroupOp, ManualComputationOp>(op)) {
      op->emitOpError() << "is left" << remedy;
      return WalkResult::interrupt();
    }
    for (StringRef name : hintNames)
      if (op->getDiscardableAttr(name)) {
        op->emitOpError() << "has the hint '" << name << "'" << remedy;
        return WalkResult::interrupt();
      }
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (function && failed(verifySignature(function)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted() || failed(verifyTopLevel(module)));
}

namespace {
struct ShardVerifyPartitioned
    : public shard::impl::ShardVerifyPartitionedBase<ShardVerifyPartitioned> {
  void runOnOperation() override {
    if (failed(verifyPartitioned(getOperation())))
      signalPassFailure();
  }
};
} // namespace
