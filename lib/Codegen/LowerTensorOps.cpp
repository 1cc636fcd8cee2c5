//===- LowerTensorOps.cpp - Tensor ops that do not bufferize --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "shard/Codegen/Workarounds.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

/// tensor.gather as a linalg.generic that reads one element per result element.
static void lowerGather(RewriterBase &rewriter, tensor::GatherOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto resultType = op.getResultType();
  auto sourceType = op.getSourceType();
  int64_t batchRank = op.getIndicesType().getRank() - 1;
  bool reduced = resultType.getRank() != batchRank + sourceType.getRank();
  ArrayRef<int64_t> gathered = op.getGatherDims();
  // The sizes of the result: those of the batch, then those of the slice.
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, op.getIndices());
  sizes.pop_back();
  for (int64_t dim = 0; dim < sourceType.getRank(); ++dim) {
    if (!llvm::is_contained(gathered, dim))
      sizes.push_back(tensor::getMixedSize(rewriter, loc, op.getSource(), dim));
    else if (!reduced)
      sizes.push_back(rewriter.getIndexAttr(1));
  }
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes,
                                        resultType.getElementType());
  SmallVector<AffineMap> maps{
      rewriter.getMultiDimIdentityMap(resultType.getRank())};
  SmallVector<utils::IteratorType> iterators(resultType.getRank(),
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &builder, Location nested, ValueRange) {
    auto loopIndex = [&](int64_t loop) -> Value {
      return linalg::IndexOp::create(builder, nested, loop);
    };
    SmallVector<Value> batch;
    for (int64_t i = 0; i < batchRank; ++i)
      batch.push_back(loopIndex(i));
    SmallVector<Value> position;
    int64_t loop = batchRank;
    for (int64_t dim = 0; dim < sourceType.getRank(); ++dim) {
      const auto *found = llvm::find(gathered, dim);
      if (found == gathered.end()) {
        position.push_back(loopIndex(loop++));
        continue;
      }
      loop += reduced ? 0 : 1;
      SmallVector<Value> at = batch;
      at.push_back(arith::ConstantIndexOp::create(builder, nested,
                                                  found - gathered.begin()));
      Value index =
          tensor::ExtractOp::create(builder, nested, op.getIndices(), at);
      if (!index.getType().isIndex())
        index = arith::IndexCastOp::create(builder, nested,
                                           builder.getIndexType(), index);
      position.push_back(index);
    }
    Value element =
        tensor::ExtractOp::create(builder, nested, op.getSource(), position);
    linalg::YieldOp::create(builder, nested, element);
  };
  auto generic =
      linalg::GenericOp::create(rewriter, loc, empty.getType(), ValueRange{},
                                ValueRange{empty}, maps, iterators, body);
  Value result = generic.getResult(0);
  if (result.getType() != resultType)
    result = tensor::CastOp::create(rewriter, loc, resultType, result);
  rewriter.replaceOp(op, result);
}

/// `index`, as an index, moved to the nearest one below `extent`.
static Value clampIndex(OpBuilder &builder, Location loc, Value index,
                        Value extent) {
  if (!index.getType().isIndex())
    index =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), index);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value last = arith::SubIOp::create(builder, loc, extent, one);
  Value low = arith::MinSIOp::create(builder, loc, index, last);
  return arith::MaxSIOp::create(builder, loc, low, zero);
}

/// tensor.scatter as a loop over the batch that inserts one slice each time, so
/// that of two slices for one place the later stays. An index out of range
/// means the nearest one in range.
static void lowerScatter(RewriterBase &rewriter, tensor::ScatterOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  RankedTensorType sourceType = op.getSourceType();
  RankedTensorType destType = op.getDestType();
  int64_t batchRank = op.getIndicesType().getRank() - 1;
  ArrayRef<int64_t> scattered = op.getScatterDims();
  auto value = [&](OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, size);
  };
  SmallVector<Value> begins, ends, steps;
  for (int64_t dim = 0; dim < batchRank; ++dim) {
    begins.push_back(arith::ConstantIndexOp::create(rewriter, loc, 0));
    ends.push_back(
        value(tensor::getMixedSize(rewriter, loc, op.getIndices(), dim)));
    steps.push_back(arith::ConstantIndexOp::create(rewriter, loc, 1));
  }
  SmallVector<OpFoldResult> destSizes =
      tensor::getMixedSizes(rewriter, loc, op.getDest());
  SmallVector<OpFoldResult> sourceSizes =
      tensor::getMixedSizes(rewriter, loc, op.getSource());
  std::fill_n(sourceSizes.begin(), batchRank, rewriter.getIndexAttr(1));
  SmallVector<OpFoldResult> destOnes(destType.getRank(),
                                     rewriter.getIndexAttr(1));
  SmallVector<OpFoldResult> sourceOnes(sourceType.getRank(),
                                       rewriter.getIndexAttr(1));
  auto sliceType = RankedTensorType::get(
      sourceType.getShape().drop_front(batchRank), sourceType.getElementType());
  auto body = [&](OpBuilder &builder, Location nested, ValueRange batch,
                  ValueRange carried) -> scf::ValueVector {
    SmallVector<OpFoldResult> from(batch.begin(), batch.end());
    from.resize(sourceType.getRank(), builder.getIndexAttr(0));
    Value slice = tensor::ExtractSliceOp::create(builder, nested, sliceType,
                                                 op.getSource(), from,
                                                 sourceSizes, sourceOnes);
    SmallVector<OpFoldResult> to(destType.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> sizes = destSizes;
    for (auto [number, dim] : llvm::enumerate(scattered)) {
      SmallVector<Value> at(batch);
      at.push_back(arith::ConstantIndexOp::create(builder, nested, number));
      Value index =
          tensor::ExtractOp::create(builder, nested, op.getIndices(), at);
      Value extent =
          getValueOrCreateConstantIndexOp(builder, nested, destSizes[dim]);
      to[dim] = clampIndex(builder, nested, index, extent);
      sizes[dim] = builder.getIndexAttr(1);
    }
    return {tensor::InsertSliceOp::create(builder, nested, slice, carried[0],
                                          to, sizes, destOnes)
                .getResult()};
  };
  scf::LoopNest nest = scf::buildLoopNest(rewriter, loc, begins, ends, steps,
                                          ValueRange{op.getDest()}, body);
  rewriter.replaceOp(op, nest.results);
}

/// What the destination held is not read, and it may be an argument, which a run
/// does not write: a fresh copy of the source serves. It is in conflict with
/// nothing, as the op itself would be where another branch yields its source.
static void lowerStore(RewriterBase &rewriter,
                       bufferization::MaterializeInDestinationOp op) {
  if (!isa<RankedTensorType>(op.getDest().getType()))
    return;
  Location loc = op.getLoc();
  Type type = op.getResult().getType();
  Value copy = bufferization::AllocTensorOp::create(
      rewriter, loc, cast<RankedTensorType>(op.getSource().getType()),
      ValueRange(), op.getSource());
  if (copy.getType() != type)
    copy = tensor::CastOp::create(rewriter, loc, type, copy);
  rewriter.replaceOp(op, copy);
}

/// A splat of more elements is filled when it is needed. Up to this size it stays a
/// constant: loading a few cache lines is cheaper than a loop.
static constexpr int64_t kMaxConstantSplat = 64;

/// A large splat is filled when it is needed; fusion then makes a scalar of it.
static void lowerSplat(RewriterBase &rewriter, arith::ConstantOp op) {
  auto value = cast<DenseElementsAttr>(op.getValue());
  auto type = cast<RankedTensorType>(op.getType());
  Value scalar = arith::ConstantOp::create(
      rewriter, op.getLoc(), cast<TypedAttr>(value.getSplatValue<Attribute>()));
  Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(),
                                        type.getElementType());
  auto fill = linalg::FillOp::create(rewriter, op.getLoc(), ValueRange{scalar},
                                     ValueRange{empty});
  rewriter.replaceOp(op, fill.getResult(0));
}

static bool isLargeSplat(arith::ConstantOp op) {
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  return value && type && value.isSplat() &&
         type.getNumElements() > kMaxConstantSplat && !type.getEncoding();
}

/// The transforms of Winograd's convolutions become loops of products of matrices.
static void lowerWinograd(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<linalg::WinogradFilterTransformOp, linalg::WinogradInputTransformOp,
            linalg::WinogradOutputTransformOp>(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  RewritePatternSet patterns(module.getContext());
  linalg::populateDecomposeWinogradOpsPatterns(patterns);
  // What is left is rejected by name where tensors become buffers.
  (void)applyOpPatternsGreedily(ops, std::move(patterns));
}

/// tensor.bitcast as one of arith, elementwise. Ops of arith take no signed or unsigned
/// integers; the conversion to LLVM, which has signless ones alone, drops the casts to and
/// from them.
static void lowerBitcast(RewriterBase &rewriter, tensor::BitcastOp op) {
  Location loc = op.getLoc();
  Value source = op.getSource();
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !isa<RankedTensorType>(source.getType()))
    return;
  Type from = getElementTypeOrSelf(source.getType()),
       to = type.getElementType();
  if (from.isSignlessIntOrFloat() && to.isSignlessIntOrFloat()) {
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, source);
    return;
  }
  if (!from.isIntOrFloat() || !to.isIntOrFloat())
    return;
  auto signless = [&](Type element) -> Type {
    return isa<IntegerType>(element)
               ? rewriter.getIntegerType(element.getIntOrFloatBitWidth())
               : element;
  };
  auto cast = [](OpBuilder &builder, Location at, Value value,
                 Type result) -> Value {
    if (value.getType() == result)
      return value;
    return UnrealizedConversionCastOp::create(builder, at, result, value)
        .getResult(0);
  };
  SmallVector<AffineMap> maps(2,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, source), to);
  auto body = [&](OpBuilder &builder, Location at, ValueRange arguments) {
    Value bits = cast(builder, at, arguments[0], signless(from));
    if (bits.getType() != signless(to))
      bits = arith::BitcastOp::create(builder, at, signless(to), bits);
    linalg::YieldOp::create(builder, at, cast(builder, at, bits, to));
  };
  Value result = linalg::GenericOp::create(rewriter, loc, empty.getType(),
                                           source, empty, maps, loops, body)
                     .getResult(0);
  if (result.getType() != type)
    result = tensor::CastOp::create(rewriter, loc, type, result);
  rewriter.replaceOp(op, result);
}

LogicalResult codegen::lowerTensorOps(ModuleOp module) {
  if (failed(giveConstantsExtents(module)))
    return failure();
  lowerWinograd(module);
  IRRewriter rewriter(module.getContext());
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<tensor::GatherOp, tensor::ScatterOp, tensor::BitcastOp,
            linalg::PackOp, linalg::UnPackOp, bufferization::DeallocTensorOp,
            bufferization::MaterializeInDestinationOp>(op) ||
        (isa<arith::ConstantOp>(op) &&
         isLargeSplat(cast<arith::ConstantOp>(op))))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      lowerSplat(rewriter, constant);
    } else if (auto gather = dyn_cast<tensor::GatherOp>(op)) {
      lowerGather(rewriter, gather);
    } else if (isa<bufferization::DeallocTensorOp>(op)) {
      // Every buffer is freed after its last use anyway.
      rewriter.eraseOp(op);
    } else if (auto store =
                   dyn_cast<bufferization::MaterializeInDestinationOp>(op)) {
      lowerStore(rewriter, store);
    } else if (auto scatter = dyn_cast<tensor::ScatterOp>(op)) {
      lowerScatter(rewriter, scatter);
    } else if (auto cast = dyn_cast<tensor::BitcastOp>(op)) {
      lowerBitcast(rewriter, cast);
    } else if (auto pack = dyn_cast<linalg::PackOp>(op)) {
      if (failed(linalg::lowerPack(rewriter, pack)))
        return pack.emitError("cannot be lowered to a pad and a transpose");
    } else if (auto unpack = dyn_cast<linalg::UnPackOp>(op)) {
      // MLIR takes an unpack of one block for a slice, whatever dimensions it
      // unpacks.
      if (failed(linalg::lowerUnPack(rewriter, unpack,
                                     /*lowerUnpadLikeWithExtractSlice=*/false)))
        return unpack.emitError("cannot be lowered to a transpose and a slice");
    }
  }
  copyBetweenOutputs(rewriter, module);
  return success();
}
