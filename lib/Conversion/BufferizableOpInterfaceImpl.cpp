//===- Bufferize.cpp - Collectives on tensors to runtime calls ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveCalls.h"

#include "shard/Conversion/Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace shard;
using namespace shard::conversion;

namespace {

MemRefType freshBufferType(Type tensor) {
  return cast<MemRefType>(
      getMemRefTypeWithStaticIdentityLayout(cast<TensorType>(tensor)));
}

/// Collectives that read their input and write a fresh buffer.
template <typename OpTy>
struct FreshResult
    : public BufferizableOpInterface::ExternalModel<FreshResult<OpTy>, OpTy> {
  bool bufferizesToAllocation(Operation *, Value) const { return true; }
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    // recv takes but the shape of its input.
    return !std::is_same_v<OpTy, RecvOp>;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  FailureOr<BufferLikeType> getBufferType(Operation *, Value value,
                                          const BufferizationOptions &,
                                          const BufferizationState &,
                                          SmallVector<Value> &) const {
    return cast<BufferLikeType>(freshBufferType(value.getType()));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    SymbolTableCollection &symbols = state.getSymbolTables();
    FailureOr<CollectiveCall> call = describeCollective(op);
    if (failed(call))
      return failure();
    FailureOr<Value> buffer =
        getBuffer(rewriter, op->getOperand(0), options, state);
    if (failed(buffer))
      return failure();
    Value input = *buffer;
    Location loc = op->getLoc();
    MemRefType type = freshBufferType(op->getResult(0).getType());
    auto inputType = cast<MemRefType>(input.getType());

    if (call->combines && inputType.getElementType() != type.getElementType()) {
      auto convertedType =
          MemRefType::get(inputType.getShape(), type.getElementType());
      SmallVector<Value> sizes;
      for (int64_t dim = 0; dim < inputType.getRank(); ++dim)
        if (inputType.isDynamicDim(dim))
          sizes.push_back(memref::DimOp::create(rewriter, loc, input, dim));
      FailureOr<Value> converted =
          options.createAlloc(rewriter, loc, convertedType, sizes);
      if (failed(converted) ||
          failed(emitElementConversion(rewriter, op, input, *converted)))
        return failure();
      input = *converted;
    }

    FailureOr<SmallVector<Value>> sizes =
        resultSizes(rewriter, op, *call, type, input, symbols);
    if (failed(sizes))
      return failure();
    FailureOr<Value> result = options.createAlloc(rewriter, loc, type, *sizes);
    if (failed(result) ||
        failed(emitCollective(rewriter, op, *call, input, *result, symbols)))
      return failure();
    replaceOpWithBufferizedValues(rewriter, op, *result);
    return success();
  }
};

/// Collectives whose result is the buffer of their operand.
template <typename OpTy, bool writes>
struct SameBuffer
    : public BufferizableOpInterface::ExternalModel<SameBuffer<OpTy, writes>,
                                                    OpTy> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return writes;
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &,
                                      const AnalysisState &) const {
    return {{op->getResult(0), BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    FailureOr<CollectiveCall> call = describeCollective(op);
    if (failed(call))
      return failure();
    FailureOr<Value> buffer =
        getBuffer(rewriter, op->getOperand(0), options, state);
    if (failed(buffer) ||
        failed(emitCollective(rewriter, op, *call, *buffer, *buffer,
                              state.getSymbolTables())))
      return failure();
    replaceOpWithBufferizedValues(rewriter, op, *buffer);
    return success();
  }
};

/// The wait reads its input: no op in front of it may write to that buffer.
struct WaitBuffers
    : public BufferizableOpInterface::ExternalModel<WaitBuffers, WaitOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    if (operand.getOperandNumber() != 0)
      return {};
    return {{op->getResult(0), BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto wait = cast<WaitOp>(op);
    FailureOr<Value> value =
        getBuffer(rewriter, wait.getValue(), options, state);
    FailureOr<Value> input =
        getBuffer(rewriter, wait.getInput(), options, state);
    if (failed(value) || failed(input))
      return failure();
    emitWait(rewriter, wait, *value, *input, state.getSymbolTables());
    replaceOpWithBufferizedValues(rewriter, op, *value);
    return success();
  }
};

template <typename... Ops>
void attachFreshResult(MLIRContext *context) {
  (Ops::template attachInterface<FreshResult<Ops>>(*context), ...);
}

} // namespace

void shard::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ShardDialect *) {
    attachFreshResult<AllGatherOp, AllReduceOp, AllSliceOp, AllToAllOp,
                      BroadcastOp, GatherOp, PermuteOp, RecvOp, RedistributeOp,
                      ReduceOp, ReduceScatterOp, ScatterOp, ShiftOp>(context);
    WaitOp::attachInterface<WaitBuffers>(*context);
    SendOp::attachInterface<SameBuffer<SendOp, false>>(*context);
    UpdateHaloOp::attachInterface<SameBuffer<UpdateHaloOp, true>>(*context);
    // What bufferization creates.
    context->loadDialect<arith::ArithDialect, func::FuncDialect,
                         memref::MemRefDialect, scf::SCFDialect>();
  });
}
