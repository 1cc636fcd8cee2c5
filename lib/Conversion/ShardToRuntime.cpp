//===- ShardToRuntime.cpp - Pass convert-shard-to-runtime -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveCalls.h"
#include "GridArithmetic.h"

#include "shard/Conversion/Conversion.h"
#include "shard/Conversion/Passes.h"
#include "shard/IR/PassRegistration.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

namespace shard {
#define GEN_PASS_DEF_CONVERTSHARDTORUNTIME
#include "shard/Conversion/Passes.h.inc"
} // namespace shard

namespace {

/// Rewrites one op after another, in place.
class Lowering {
public:
  explicit Lowering(ModuleOp module)
      : module(module), rewriter(module.getContext()) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    module.walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (isa_and_nonnull<ShardDialect>(op->getDialect()) ||
          isa<cf::AssertOp>(op))
        ops.push_back(op);
    });
    // Users first, so that handles without a use are seen as such.
    for (Operation *op : llvm::reverse(ops))
      if (failed(lower(op)))
        return failure();
    eraseGridsAndAttributes(module);
    return success();
  }

private:
  LogicalResult lower(Operation *op);
  LogicalResult lowerAssert(cf::AssertOp op);

  ModuleOp module;
  IRRewriter rewriter;
  SymbolTableCollection symbols;
};

} // namespace

LogicalResult Lowering::lowerAssert(cf::AssertOp op) {
  Location loc = op.getLoc();
  Value isTrue = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
  Value fails = arith::XOrIOp::create(rewriter, loc, op.getArg(), isTrue);
  auto branch = scf::IfOp::create(rewriter, loc, fails, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  RuntimeEmitter emitter(rewriter, op, symbols);
  std::string message =
      "at " + describeLocation(loc) + ": " + op.getMsg().str();
  emitter.call("shard_rt_fail", emitter.constantText(message));
  rewriter.eraseOp(op);
  return success();
}

LogicalResult Lowering::lower(Operation *op) {
  rewriter.setInsertionPoint(op);
  if (isa<GridOp>(op))
    return success();
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return lowerAssert(assertion);
  if (isa<AllReduceOp, UpdateHaloOp>(op))
    return lowerMemRefForm(rewriter, op, symbols, "convert-shard-to-runtime");
  if (isProcessOp(op))
    return lowerProcessOp(rewriter, op, symbols, BackEnd::Runtime);
  // Handles of the compiler that nothing refers to.
  if (isa<ShardingOp, GetShardingOp>(op) && op->use_empty()) {
    rewriter.eraseOp(op);
    return success();
  }
  bool onTensors =
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
  if (onTensors && !isa<ShardOp>(op) && op->hasAttr("grid"))
    return op->emitOpError("is on tensors: run one-shot-bufferize before "
                           "convert-shard-to-runtime");
  return op->emitOpError("has no lowering");
}

LogicalResult shard::convertShardToRuntime(ModuleOp module) {
  SymbolTableCollection symbols;
  if (failed(verifyPartitioned(module)) ||
      failed(expandShardShapes(module, symbols)))
    return failure();
  return Lowering(module).run();
}

namespace {
struct ConvertShardToRuntimePass
    : public shard::impl::ConvertShardToRuntimeBase<ConvertShardToRuntimePass> {
  void runOnOperation() override {
    if (failed(convertShardToRuntime(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void shard::buildShardToRuntimePipeline(OpPassManager &manager, bool mpi) {
  // Copies that the deallocation passes leave behind.
  manager.addPass(createConvertBufferizationToMemRefPass());
  manager.addPass(mpi ? createConvertShardToMPI()
                      : createConvertShardToRuntime());
}

void shard::registerConversionPasses() {
  registerPassOnce([] { return createConvertShardToRuntime(); });
  registerPassOnce([] { return createShardExpandCombiners(); });
  registerPassOnce([] { return createShardLegalizeElements(); });
  registerPassOnce([] { return createShardVerifyPartitioned(); });
}
