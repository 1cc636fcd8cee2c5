//===- LowerToLLVM.cpp - The last step before LLVM ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "shard/Codegen/Workarounds.h"

#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MPIToLLVM/MPIToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

std::string codegen::mangledName(llvm::StringRef name) {
  return ("shard.fn." + name).str();
}

/// Views, affine maps and compound arithmetic in terms of simple ops.
static LogicalResult expandOps(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  memref::populateExpandStridedMetadataPatterns(patterns);
  memref::populateExpandOpsPatterns(patterns);
  memref::populateExpandReallocPatterns(patterns);
  populateAffineToStdConversionPatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateExpandScalingExtTruncPatterns(patterns);
  arith::populateExpandF8E8M0Patterns(patterns);
  arith::populateExpandF4E2M1Patterns(patterns);
  // Where the limit of iterations is reached, the pass fails.
  GreedyRewriteConfig config;
  config.setMaxIterations(kMaxRewrites);
  return applyPatternsGreedily(module, std::move(patterns), config);
}

/// Reductions that return an argument of their block return the result of an op instead. The
/// pattern for scf.parallel takes what they return after it has replaced the arguments, which are
/// gone then, as the rewriter replaces them at once.
static void returnResults(ModuleOp module) {
  module.walk([](scf::ReduceReturnOp op) {
    auto argument = dyn_cast<BlockArgument>(op.getResult());
    if (!argument || argument.getOwner() != op->getBlock())
      return;
    OpBuilder builder(op);
    Value isTrue = arith::ConstantIntOp::create(builder, op.getLoc(), 1, 1);
    op.getResultMutable().assign(arith::SelectOp::create(
        builder, op.getLoc(), isTrue, argument, argument));
  });
}

/// Loops and branches in terms of blocks. Each one moves what follows it in its block to a
/// new block. Therefore the last op of a block comes first: what follows it then is what lies
/// between it and the next one. The conversion of dialects begins with the first op, and its
/// rewriter records each op that is moved, which takes quadratic time.
static LogicalResult lowerControlFlow(ModuleOp module) {
  returnResults(module);
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  FrozenRewritePatternSet frozen(std::move(patterns));
  PatternApplicator applicator(frozen);
  applicator.applyDefaultCostModel();
  PatternRewriter rewriter(context);
  // Some patterns make other ops of scf.
  while (true) {
    SmallVector<Operation *> ops;
    module.walk<WalkOrder::PreOrder, ReverseIterator>([&](Operation *op) {
      if (isa_and_present<scf::SCFDialect>(op->getDialect()) &&
          !op->hasTrait<OpTrait::IsTerminator>())
        ops.push_back(op);
    });
    if (ops.empty())
      return success();
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (failed(applicator.matchAndRewrite(op, rewriter)))
        return op->emitOpError("did not lower to branches");
    }
  }
}

/// math ops that neither LLVM nor libm has, by others that they have.
static void expandLibraryMath(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  math::populateExpansionPatterns(patterns, {"clampf", "fpowi", "rsqrt"});
  (void)applyPatternsGreedily(module, std::move(patterns));
}

/// Gives functions with a body names of their own.
static void mangleFunctions(ModuleOp module) {
  llvm::StringSet<> defined;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      defined.insert(function.getName());
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      function.setName(mangledName(function.getName()));
  auto rename = [&](StringRef name) {
    return FlatSymbolRefAttr::get(module.getContext(), mangledName(name));
  };
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      if (defined.contains(call.getCallee()))
        call.setCalleeAttr(rename(call.getCallee()));
    } else if (auto constant = dyn_cast<func::ConstantOp>(op)) {
      if (defined.contains(constant.getValue()))
        constant.setValueAttr(rename(constant.getValue()));
    }
  });
}

/// Tells LLVM that fresh buffers alias nothing: without that it guards every
/// vector loop by overlap checks.
static void markAllocations(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function.isExternal() &&
        (function.getName() == "_mlir_memref_to_llvm_aligned_alloc" ||
         function.getName() == "aligned_alloc"))
      function.setResultAttr(0, LLVM::LLVMDialect::getNoAliasAttrName(),
                             UnitAttr::get(module.getContext()));
}

/// Turns the attribute of outlineNests() into those of the arguments.
static void markUnaliased(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto pointers = function->getAttrOfType<DenseI32ArrayAttr>(unaliasedName);
    if (!pointers)
      continue;
    for (int32_t position : pointers.asArrayRef())
      function.setArgAttr(position, LLVM::LLVMDialect::getNoAliasAttrName(),
                          UnitAttr::get(module.getContext()));
    function->removeAttr(unaliasedName);
  }
}

/// The conversion of scf.for keeps llvm.loop_annotation as an attribute that the
/// translation to LLVM IR does not read; branches have a property for it.
static void takeLoopAnnotations(ModuleOp module) {
  module.walk([](LLVM::BrOp branch) {
    auto annotation =
        branch->getAttrOfType<LLVM::LoopAnnotationAttr>(loopAnnotationName);
    if (!annotation)
      return;
    branch->removeAttr(loopAnnotationName);
    branch.setLoopAnnotationAttr(annotation);
  });
}

/// Says in the module which MPI its ops are for, as the lowering of LLVM wants it.
static LogicalResult chooseMpi(ModuleOp module, StringRef mpi) {
  StringRef name = llvm::StringSwitch<StringRef>(mpi)
                       .Case("openmpi", "OpenMPI")
                       .Case("mpich", "MPICH")
                       .Default("");
  if (name.empty())
    return module.emitError()
           << "'" << mpi << "' is no MPI that can be lowered for; expected "
           << "openmpi or mpich";
  MLIRContext *context = module.getContext();
  auto entry =
      DataLayoutEntryAttr::get(StringAttr::get(context, "MPI:Implementation"),
                               StringAttr::get(context, name));
  module->setAttr(DLTIDialect::kMapAttrName,
                  MapAttr::get(context, DataLayoutEntryInterface(entry)));
  return success();
}

/// Rejects what the conversion to LLVM has left, and drops the casts that it did not need.
static LogicalResult rejectOtherOps(ModuleOp module) {
  SmallVector<UnrealizedConversionCastOp> casts;
  WalkResult walked = module.walk([&](Operation *op) {
    if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op))
      casts.push_back(cast);
    else if (!isa_and_present<LLVM::LLVMDialect>(op->getDialect()) &&
             !isa<ModuleOp>(op)) {
      op->emitError() << "'" << op->getName()
                      << "' has no lowering to LLVM here; lower it to ops of "
                         "linalg, tensor, arith, scf or func before";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  reconcileUnrealizedCasts(casts);
  return success();
}

LogicalResult codegen::lowerToLLVM(ModuleOp module, bool hosted,
                                   StringRef mpi) {
  MLIRContext *context = module.getContext();
  if (!mpi.empty() && failed(chooseMpi(module, mpi)))
    return failure();
  if (hosted)
    mangleFunctions(module);
  expandReducingViews(module);
  expandDynamicSplits(module);
  narrowProducts(module);
  if (failed(expandOps(module)))
    return module.emitError("views of buffers did not lower");
  expandLibraryMath(module);
  if (failed(lowerControlFlow(module)))
    return failure();

  LowerToLLVMOptions options(context);
  options.allocLowering = LowerToLLVMOptions::AllocLowering::AlignedAlloc;
  options.useGenericFunctions = hosted;
  LLVMTypeConverter converter(context, options);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  RewritePatternSet patterns(context);
  SymbolTableCollection symbols;
  populateFuncToLLVMConversionPatterns(converter, patterns, &symbols);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  cf::populateAssertToLLVMConversionPattern(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns, &symbols);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateMathToLibmConversionPatterns(patterns);
  populateComplexToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  mpi::populateMPIToLLVMConversionPatterns(converter, patterns);
  // A full one says of an op that has no lowering nothing but that.
  if (failed(applyPartialConversion(module, target, std::move(patterns))) ||
      failed(rejectOtherOps(module)))
    return failure();
  markAllocations(module);
  markUnaliased(module);
  takeLoopAnnotations(module);
  return success();
}
