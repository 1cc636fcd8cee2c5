//===- Bufferize.cpp - Tensors to buffers, and their lifetimes ------------===//
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
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

LogicalResult codegen::bufferize(ModuleOp module,
                                 ArrayRef<func::FuncOp> entries, bool hosted) {
  // Patterns may have folded something to a constant.
  if (failed(rejectDynamicConstants(module)))
    return failure();
  copyCallResults(module, entries, hosted);
  copySwitchResults(module);
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
  bufferization::BufferizationState state;
  if (failed(bufferization::runOneShotModuleBufferize(module, options, state)))
    return failure();
  bufferization::removeBufferizationAttributesInModule(module);
  return rejectHugeBuffers(module);
}

void codegen::insertDeallocations(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    BufferViewFlowAnalysis aliases(function);
    SmallVector<memref::AllocOp> allocations;
    function.walk([&](memref::AllocOp op) { allocations.push_back(op); });
    for (memref::AllocOp allocation : allocations) {
      Block *block = allocation->getBlock();
      Operation *last = allocation;
      bool escapes = false;
      for (Value alias : aliases.resolve(allocation.getResult())) {
        for (Operation *user : alias.getUsers()) {
          Operation *ancestor = block->findAncestorOpInBlock(*user);
          // Leaves the block, or may be kept by the callee's result.
          if (!ancestor || ancestor->hasTrait<OpTrait::IsTerminator>() ||
              (isa<CallOpInterface>(user) &&
               llvm::any_of(user->getResultTypes(), [](Type type) {
                 return isa<BaseMemRefType>(type);
               }))) {
            escapes = true;
            break;
          }
          if (last->isBeforeInBlock(ancestor))
            last = ancestor;
        }
        if (escapes)
          break;
      }
      if (escapes)
        continue;
      OpBuilder builder(last->getContext());
      builder.setInsertionPointAfter(last);
      memref::DeallocOp::create(builder, allocation.getLoc(), allocation);
    }
  }
}
