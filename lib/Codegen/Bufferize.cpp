//===- Bufferize.cpp - Tensors to buffers ---------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "shard/Codegen/Workarounds.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

void codegen::copyTensor(OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type)
    return;
  OpBuilder builder(operand.getOwner());
  operand.set(bufferization::AllocTensorOp::create(
      builder, operand.getOwner()->getLoc(), type, ValueRange(),
      operand.get()));
}

/// A buffer whose size in bytes wraps would be allocated too small.
static LogicalResult rejectHugeBuffers(ModuleOp module) {
  WalkResult walked = module.walk([](memref::AllocOp op) {
    MemRefType type = op.getType();
    int64_t bytes = (type.getElementType().isIntOrFloat()
                         ? llvm::divideCeil(type.getElementTypeBitWidth(), 8)
                         : 16);
    bool empty = llvm::is_contained(type.getShape(), 0);
    for (int64_t extent : type.getShape())
      if (!empty && !ShapedType::isDynamic(extent) &&
          llvm::MulOverflow(bytes, extent, bytes)) {
        op.emitError() << "needs a buffer of type " << type
                       << ", which takes more than 2^63 bytes";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// What MLIR would say of such an op is that it was not bufferized.
static LogicalResult rejectUnknownOps(ModuleOp module) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  auto usesTensors = [&](Operation *op) {
    return llvm::any_of(op->getOperandTypes(), isTensor) ||
           llvm::any_of(op->getResultTypes(), isTensor);
  };
  WalkResult walked =
      module.walk(
          [&](Operation *op) {
            if (!usesTensors(op))
              return WalkResult::advance();
            auto parent = op->getParentOfType<ModuleOp>();
            if (parent != module) {
              parent->emitError("is a module inside of another one, whose "
                                "functions are not lowered; move them to the "
                                "outer module");
              return WalkResult::interrupt();
            }
            if (!op->getParentOfType<FunctionOpInterface>()) {
              op->emitOpError("is an op on tensors outside of a function, "
                              "where nothing runs it; move it into one");
              return WalkResult::interrupt();
            }
            if (isa<bufferization::BufferizableOpInterface>(op))
              return WalkResult::advance();
            op->emitError()
                << "'" << op->getName()
                << "' works on tensors, and no lowering of it to buffers is "
                   "known; lower it to ops of linalg, tensor, arith, scf or "
                   "func before";
            return WalkResult::interrupt();
          });
  return failure(walked.wasInterrupted());
}

/// MLIR takes a constant width of -2^63 for one without an operand, and has no such operand.
static LogicalResult rejectEndlessPadding(ModuleOp module) {
  auto isEndless = [](OpFoldResult width) {
    return getConstantIntValue(width) == ShapedType::kDynamic;
  };
  WalkResult walked = module.walk([&](tensor::PadOp op) {
    if (llvm::none_of(op.getLow(), isEndless) &&
        llvm::none_of(op.getHigh(), isEndless))
      return WalkResult::advance();
    op.emitOpError("cuts off 2^63 elements, and a tensor has fewer");
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult codegen::bufferize(ModuleOp module,
                                 ArrayRef<func::FuncOp> entries, bool hosted) {
  // Ops that take their own results may stand there; MLIR's analysis follows them without end.
  IRRewriter rewriter(module.getContext());
  for (auto function : module.getOps<func::FuncOp>())
    (void)eraseUnreachableBlocks(rewriter, function->getRegions());
  // Patterns may have folded something to a constant.
  if (failed(giveConstantsExtents(module)))
    return failure();
  if (failed(rejectUnknownOps(module)) || failed(rejectEndlessPadding(module)))
    return failure();
  copyCallResults(module, entries, hosted);
  copySwitchResults(module);
  copyOuterYields(module);
  copyRepeatedYields(module);
  copyDynamicBoundaries(module);
  OpBuilder builder(module.getContext());
  for (func::FuncOp entry : entries)
    for (unsigned i = 0, e = entry.getNumArguments(); i < e; ++i)
      if (isa<TensorType>(entry.getArgument(i).getType()))
        entry.setArgAttr(i,
                         bufferization::BufferizationDialect::kWritableAttrName,
                         builder.getBoolAttr(false));
  bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.allowReturnAllocsFromLoops = true;
  options.setFunctionBoundaryTypeConversion(
      bufferization::LayoutMapOption::IdentityLayoutMap);
  options.unknownTypeConverterFn =
      [](TensorType type, Attribute memorySpace,
         const bufferization::BufferizationOptions &) {
        return bufferization::getMemRefTypeWithStaticIdentityLayout(
            type, memorySpace);
      };
  cutWriteChains(module, options);
  bufferization::BufferizationState state;
  if (failed(bufferization::runOneShotModuleBufferize(module, options, state)))
    return failure();
  joinWriteChains(module);
  bufferization::removeBufferizationAttributesInModule(module);
  return rejectHugeBuffers(module);
}
