//===- Passes.cpp - The steps of code generation as passes ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Passes.h"
#include "shard/Codegen/Workarounds.h"

#include "Lowering.h"

#include "shard/Conversion/Conversion.h"
#include "shard/Conversion/Passes.h"
#include "shard/IR/PassRegistration.h"
#include "shard/IR/Poison.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

namespace shard {
#define GEN_PASS_DEF_SHARDBUFFERIZE
#define GEN_PASS_DEF_SHARDCHECKEXTENTS
#define GEN_PASS_DEF_SHARDCONVERTTOLLVM
#define GEN_PASS_DEF_SHARDEXPANDELEMENTARY
#define GEN_PASS_DEF_SHARDEXPANDMATH
#define GEN_PASS_DEF_SHARDEXPANDNARROWFLOATS
#define GEN_PASS_DEF_SHARDEXPANDNEGATIVEPADDING
#define GEN_PASS_DEF_SHARDREPLACEPOISON
#define GEN_PASS_DEF_SHARDSEPARATESTRIDEDPADDING
#define GEN_PASS_DEF_SHARDGUARDRECURSION
#define GEN_PASS_DEF_SHARDINSERTDEALLOCATIONS
#define GEN_PASS_DEF_SHARDLIFTBRANCHES
#define GEN_PASS_DEF_SHARDLOWERGLOBALS
#define GEN_PASS_DEF_SHARDLOWERLINALG
#define GEN_PASS_DEF_SHARDLOWERTENSOROPS
#define GEN_PASS_DEF_SHARDMAKETOTAL
#define GEN_PASS_DEF_SHARDOUTLINENESTS
#define GEN_PASS_DEF_SHARDPREPARETENSORS
#define GEN_PASS_DEF_SHARDSIMPLIFYDEALLOCATIONS
#define GEN_PASS_DEF_SHARDWIDENREDUCTIONS
#define GEN_PASS_DEF_SHARDWRAPSCALARS
#include "shard/Codegen/Passes.h.inc"
} // namespace shard

FailureOr<SmallVector<func::FuncOp>> codegen::findEntries(ModuleOp module,
                                                          StringRef name) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() &&
        (name.empty() ? function.isPublic() : function.getName() == name))
      entries.push_back(function);
  if (entries.empty() && !name.empty())
    return module.emitError()
           << "the module has no function '" << name << "' with a body";
  return entries;
}

namespace {

/// A pass that is a call of `run`, which returns whether it has failed.
#define SHARD_CODEGEN_PASS(NAME, RUN)                                          \
  struct NAME : public shard::impl::NAME##Base<NAME> {                         \
    using Base::Base;                                                          \
    void runOnOperation() override {                                           \
      if (failed(RUN))                                                         \
        signalPassFailure();                                                   \
    }                                                                          \
  };

/// For steps that cannot fail.
template <typename StepFn>
LogicalResult always(StepFn &&step, ModuleOp module) {
  step(module);
  return success();
}

/// Runs `step` with the entries of the module.
template <typename StepFn>
LogicalResult withEntries(ModuleOp module, StringRef entry, StepFn &&step) {
  FailureOr<SmallVector<func::FuncOp>> entries = findEntries(module, entry);
  return failed(entries) ? failure() : step(*entries);
}

/// A pass that is a call of `run`, which returns whether it has changed anything. The pass
/// manager verifies what a pass has changed, which takes longer than a walk.
#define SHARD_REWRITING_PASS(NAME, RUN)                                        \
  struct NAME : public shard::impl::NAME##Base<NAME> {                         \
    void runOnOperation() override {                                           \
      if (!RUN(getOperation()))                                                \
        markAllAnalysesPreserved();                                            \
    }                                                                          \
  };

SHARD_REWRITING_PASS(ShardExpandNegativePadding, expandNegativePadding)
SHARD_REWRITING_PASS(ShardReplacePoison, replacePoison)
SHARD_REWRITING_PASS(ShardSeparateStridedPadding, separateStridedPadding)
#undef SHARD_REWRITING_PASS

SHARD_CODEGEN_PASS(ShardLiftBranches, liftBranches(getOperation()))
SHARD_CODEGEN_PASS(ShardLowerTensorOps, lowerTensorOps(getOperation()))
SHARD_CODEGEN_PASS(ShardPrepareTensors, prepareTensors(getOperation()))
SHARD_CODEGEN_PASS(ShardMakeTotal, always(makeTotal, getOperation()))
SHARD_CODEGEN_PASS(ShardCheckExtents, always(checkExtents, getOperation()))
SHARD_CODEGEN_PASS(ShardWidenReductions,
                   always(widenReductions, getOperation()))
SHARD_CODEGEN_PASS(ShardInsertDeallocations,
                   always(insertDeallocations, getOperation()))
SHARD_CODEGEN_PASS(ShardOutlineNests,
                   (outlineNests(getOperation(), kernelCalls), success()))
SHARD_CODEGEN_PASS(ShardLowerLinalg, lowerLinalg(getOperation(), kernelCalls))
SHARD_CODEGEN_PASS(ShardExpandMath, always(expandMath, getOperation()))
SHARD_CODEGEN_PASS(ShardExpandElementary,
                   always(expandElementary, getOperation()))
SHARD_CODEGEN_PASS(ShardExpandNarrowFloats,
                   always(expandNarrowFloats, getOperation()))
SHARD_CODEGEN_PASS(ShardConvertToLLVM, lowerToLLVM(getOperation(), hosted, mpi))
SHARD_CODEGEN_PASS(ShardWrapScalars,
                   withEntries(getOperation(), entry,
                               [](ArrayRef<func::FuncOp> entries) {
                                 for (func::FuncOp function : entries)
                                   wrapScalars(function);
                                 return success();
                               }))
SHARD_CODEGEN_PASS(ShardLowerGlobals,
                   withEntries(getOperation(), entry,
                               [&](ArrayRef<func::FuncOp> entries) {
                                 return lowerGlobals(getOperation(), entries);
                               }))
SHARD_CODEGEN_PASS(ShardBufferize,
                   withEntries(getOperation(), entry,
                               [&](ArrayRef<func::FuncOp> entries) {
                                 return bufferize(getOperation(), entries,
                                                  hosted);
                               }))
SHARD_CODEGEN_PASS(ShardGuardRecursion, always(guardRecursion, getOperation()))

#undef SHARD_CODEGEN_PASS

struct ShardSimplifyDeallocations
    : public shard::impl::ShardSimplifyDeallocationsBase<
          ShardSimplifyDeallocations> {
  void getDependentDialects(DialectRegistry &registry) const override {
    createSimplification().getDependentDialects(registry);
  }

  void runOnOperation() override {
    OpPassManager simplification = createSimplification();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (canSimplify(function) &&
          failed(runPipeline(simplification, function)))
        return signalPassFailure();
  }

private:
  static OpPassManager createSimplification() {
    OpPassManager manager(func::FuncOp::getOperationName());
    manager.addPass(
        bufferization::createBufferDeallocationSimplificationPass());
    return manager;
  }

  /// Whether `function` has deallocations, and all of them are short.
  static bool canSimplify(func::FuncOp function) {
    constexpr unsigned most = 64;
    unsigned longest = 0;
    function.walk([&](bufferization::DeallocOp op) {
      unsigned length = op.getMemrefs().size() + op.getRetained().size();
      longest = std::max(longest, length);
    });
    return longest > 0 && longest <= most;
  }
};

} // namespace

/// The steps of bufferization::buildBufferDeallocationPipeline, but that the simplification
/// leaves out long lists of buffers.
static void buildDeallocation(OpPassManager &manager) {
  memref::ExpandReallocPassOptions expand;
  expand.emitDeallocs = false;
  manager.addPass(memref::createExpandReallocPass(expand));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createShardSimplifyDeallocations());
  manager.addPass(bufferization::createLowerDeallocationsPass());
  manager.addPass(createCSEPass());
  manager.addPass(createCanonicalizerPass());
}

void shard::buildLowerToLLVMPipeline(OpPassManager &manager,
                                     const LoweringOptions &options) {
  manager.addPass(createShardVerifyPartitioned());
  // First: conversions fold other ops too, and negative padding folds wrongly.
  manager.addPass(createShardReplacePoison());
  manager.addPass(createShardExpandNegativePadding());
  // Loops and branches of affine on tensors; what is left of affine goes at the end.
  manager.addPass(createLowerAffinePass());
  manager.addPass(createShardExpandCombiners());
  manager.addPass(createShardLegalizeElements());
  if (options.wrapScalars)
    manager.addPass(createShardWrapScalars({options.entry}));
  manager.addPass(createShardLiftBranches());
  manager.addPass(createShardLowerGlobals({options.entry}));
  manager.addPass(createShardLowerTensorOps());
  manager.addPass(createShardPrepareTensors());
  if (options.total)
    manager.addPass(createShardMakeTotal());
  manager.addPass(createShardWidenReductions());
  manager.addPass(createShardBufferize({options.entry, options.hosted}));
  if (options.checkExtents)
    manager.addPass(createShardCheckExtents());
  // Before anything takes the address of a buffer: uses are visible only here.
  if (options.hosted) {
    manager.addPass(createShardInsertDeallocations());
    manager.addPass(createShardGuardRecursion());
  } else {
    buildDeallocation(manager);
  }
  buildShardToRuntimePipeline(manager, /*mpi=*/!options.mpi.empty());
  manager.addPass(createShardOutlineNests({options.kernelCalls}));
  manager.addPass(createShardLowerLinalg({options.kernelCalls}));
  manager.addPass(createShardExpandMath());
  manager.addPass(createShardExpandNarrowFloats());
  manager.addPass(createShardExpandElementary());
  manager.addPass(createShardConvertToLLVM({options.hosted, options.mpi}));
}

namespace {
/// The options of the pipeline on the command line.
struct LoweringArguments : public PassPipelineOptions<LoweringArguments> {
  Option<std::string> entry{
      *this, "entry",
      llvm::cl::desc("The function that is called from outside; every public "
                     "function if empty")};
  Option<bool> wrapScalars{
      *this, "wrap-scalars",
      llvm::cl::desc("Scalars in the signature of the entry become tensors of "
                     "rank 0"),
      llvm::cl::init(false)};
  Option<bool> kernelCalls{
      *this, "kernel-calls",
      llvm::cl::desc("Sums of products call the kernel of libshard_kernels "
                     "instead of becoming loops"),
      llvm::cl::init(true)};
  Option<bool> hosted{
      *this, "hosted",
      llvm::cl::desc("The code runs inside a host that owns its memory, as "
                     "under shard-run: functions are renamed, and what the "
                     "program does not free is freed when the run ends"),
      llvm::cl::init(false)};
  Option<std::string> mpi{
      *this, "mpi",
      llvm::cl::desc("Collectives become calls of this MPI, openmpi or mpich, "
                     "instead of the runtime")};
};
} // namespace

void shard::registerCodegenPasses() {
  using Create = std::unique_ptr<Pass> (*)();
  Create passes[] = {
      [] { return createShardBufferize(); },
      [] { return createShardCheckExtents(); },
      [] { return createShardConvertToLLVM(); },
      [] { return createShardExpandElementary(); },
      [] { return createShardExpandMath(); },
      [] { return createShardExpandNarrowFloats(); },
      [] { return createShardExpandNegativePadding(); },
      [] { return createShardGuardRecursion(); },
      [] { return createShardInsertDeallocations(); },
      [] { return createShardLiftBranches(); },
      [] { return createShardLowerGlobals(); },
      [] { return createShardLowerLinalg(); },
      [] { return createShardLowerTensorOps(); },
      [] { return createShardMakeTotal(); },
      [] { return createShardOutlineNests(); },
      [] { return createShardPrepareTensors(); },
      [] { return createShardReplacePoison(); },
      [] { return createShardSeparateStridedPadding(); },
      [] { return createShardSimplifyDeallocations(); },
      [] { return createShardWidenReductions(); },
      [] { return createShardWrapScalars(); },
  };
  for (Create create : passes)
    registerPassOnce(create);
  registerModulePipelineOnce<LoweringArguments>(
      "shard-lower-to-llvm",
      "From the program of one device to LLVM and calls of the runtime",
      [](OpPassManager &manager, const LoweringArguments &arguments) {
        LoweringOptions options;
        options.entry = arguments.entry;
        options.wrapScalars = arguments.wrapScalars;
        options.kernelCalls = arguments.kernelCalls;
        options.hosted = arguments.hosted;
        options.mpi = arguments.mpi;
        buildLowerToLLVMPipeline(manager, options);
      });
}
