//===- MemRefForms.cpp - Collectives on memrefs ---------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

/// `value` as a `type`; null where no conversion is meant.
static Value convertElement(OpBuilder &builder, Location loc, Value value,
                            Type type) {
  Type from = value.getType();
  if (isa<FloatType>(from) && isa<FloatType>(type)) {
    if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(builder, loc, type, value);
    if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
      return arith::TruncFOp::create(builder, loc, type, value);
    // f16 and bf16.
    Value wide =
        arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    return arith::TruncFOp::create(builder, loc, type, wide);
  }
  if (!from.isSignlessInteger() || from.isInteger(1))
    return Value();
  if (isa<FloatType>(type))
    return arith::SIToFPOp::create(builder, loc, type, value);
  if (!type.isSignlessInteger())
    return Value();
  if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(builder, loc, type, value);
  return Value();
}

LogicalResult conversion::emitElementConversion(OpBuilder &builder,
                                                Operation *op, Value input,
                                                Value result) {
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(result.getType());
  OpBuilder::InsertionGuard guard(builder);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> indices;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Value bound = memref::DimOp::create(builder, loc, result, dim);
    auto loop = scf::ForOp::create(builder, loc, zero, bound, one);
    indices.push_back(loop.getInductionVar());
    builder.setInsertionPointToStart(loop.getBody());
  }
  Value element = memref::LoadOp::create(builder, loc, input, indices);
  Value converted =
      convertElement(builder, loc, element, type.getElementType());
  if (!converted)
    return op->emitOpError()
           << "converts elements of type " << element.getType() << " to "
           << type.getElementType()
           << " before it combines them; only floats, and signed integers to "
              "wider ones or to floats, are converted";
  memref::StoreOp::create(builder, loc, converted, result, indices);
  return success();
}

LogicalResult conversion::lowerMemRefForm(RewriterBase &rewriter, Operation *op,
                                          SymbolTableCollection &symbols,
                                          StringRef pass) {
  FailureOr<CollectiveCall> call = describeCollective(op);
  if (failed(call))
    return failure();
  Value input = op->getOperand(0);
  auto inputType = dyn_cast<MemRefType>(input.getType());
  auto type = dyn_cast<MemRefType>(op->getResult(0).getType());
  if (!type || !inputType)
    return op->emitOpError()
           << "is on " << op->getResult(0).getType()
           << "; only ranked memrefs can be lowered: run one-shot-bufferize "
              "before "
           << pass;
  if (isa<UpdateHaloOp>(op)) {
    if (failed(emitCollective(rewriter, op, *call, input, input, symbols)))
      return failure();
    rewriter.replaceOp(op, input);
    return success();
  }
  if (!type.getLayout().isIdentity())
    return op->emitOpError() << "has a result of type " << type
                             << "; fresh memory has the identity layout";
  if (inputType.getElementType() != type.getElementType()) {
    auto convertedType =
        MemRefType::get(inputType.getShape(), type.getElementType());
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < inputType.getRank(); ++dim)
      if (inputType.isDynamicDim(dim))
        sizes.push_back(
            memref::DimOp::create(rewriter, op->getLoc(), input, dim));
    Value converted =
        memref::AllocOp::create(rewriter, op->getLoc(), convertedType, sizes);
    if (failed(emitElementConversion(rewriter, op, input, converted)))
      return failure();
    input = converted;
  }
  FailureOr<SmallVector<Value>> sizes =
      resultSizes(rewriter, op, *call, type, input, symbols);
  if (failed(sizes))
    return failure();
  Value result = memref::AllocOp::create(rewriter, op->getLoc(), type, *sizes);
  if (failed(emitCollective(rewriter, op, *call, input, result, symbols)))
    return failure();
  rewriter.replaceOp(op, result);
  return success();
}
