//===- Canonicalizations.cpp - MLIR's patterns, mended --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Canonicalizations.h"

#include "TensorModels.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shard {

namespace {
/// Writes offsets, sizes and strides that are constants into the op. MLIR's own pattern
/// forgets which dimensions the slice drops: it takes the first ones of one element, so that
/// `[0, 0, %c0] [1, 4, 1]` of type 1x4 becomes `[0, 0, 0] [1, 1, 4]`.
struct FoldConstantsIntoSlice
    : public OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    return success(foldIntoSlice(op, /*sizesOnly=*/false, rewriter));
  }
};

/// The same for insertions. MLIR's pattern casts a source of type 1x? that goes to
/// `[1, %c2, 1]` to type 2x1.
template <typename OpTy>
struct FoldConstantsIntoInsertion : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                              sizes = op.getMixedSizes(),
                              strides = op.getMixedStrides();
    if (!foldIntoBounds(op.getDestType(), offsets, sizes, strides))
      return failure();
    SmallVector<int64_t> shape;
    llvm::SmallBitVector dropped = op.getDroppedDims();
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (!dropped.test(dim))
        shape.push_back(
            getConstantIntValue(size).value_or(ShapedType::kDynamic));
    RankedTensorType was = op.getSourceType();
    auto type =
        RankedTensorType::get(shape, was.getElementType(), was.getEncoding());
    if (!tensor::CastOp::areCastCompatible(was, type))
      return failure();
    Value source = op.getSource();
    if (type != was) {
      OpBuilder::InsertionGuard guard(rewriter);
      if (isa<tensor::ParallelInsertSliceOp>(op))
        rewriter.setInsertionPoint(op->getParentOp());
      source = tensor::CastOp::create(rewriter, op.getLoc(), type, source);
    }
    DictionaryAttr attributes = op->getDiscardableAttrDictionary();
    auto made = rewriter.replaceOpWithNewOp<OpTy>(op, source, op.getDest(),
                                                  offsets, sizes, strides);
    made->setDiscardableAttrs(attributes);
    return success();
  }
};

/// unpack(pack(x)) = x. MLIR's pattern for `linalg.unpack`, which does that too, takes a slice of
/// an unpacked tensor for the unpacked tensor, also where the slice cuts a dimension without
/// tiles: the result is wrong, or no op.
struct DropUnpackOfPack : public OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &rewriter) const override {
    Value packed = unpackedAgain(op);
    if (!packed || packed.getType() != op.getResult().getType())
      return failure();
    rewriter.replaceOp(op, packed);
    return success();
  }
};
} // namespace

void populateCanonicalizationPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName name : context->getRegisteredOperations())
    name.getCanonicalizationPatterns(patterns, context);
  OperationName unpack(linalg::UnPackOp::getOperationName(), context);
  llvm::erase_if(patterns.getNativePatterns(), [&](const auto &pattern) {
    StringRef name = pattern->getDebugName();
    // It computes an element at an index that may lie outside of the tensor; shard-run
    // promises the element at the nearest place then.
    return name.ends_with("ExtractFromTensorGenerate") ||
           // It gives what a loop carries the static type of the first value. Those of
           // later iterations may have other extents
           // (test/Codegen/Workarounds/loop-casts.mlir).
           name.ends_with("ForOpTensorCastFolder") ||
           (pattern->getRootKind() == unpack &&
            !name.ends_with("FoldTensorCastUnPackOp")) ||
           (name.contains("ConstantArgumentFolder") &&
            name.contains("SliceOp"));
  });
  patterns.add<DropUnpackOfPack, FoldConstantsIntoSlice,
               FoldConstantsIntoInsertion<tensor::InsertSliceOp>,
               FoldConstantsIntoInsertion<tensor::ParallelInsertSliceOp>>(
      context);
}

void dropIdentityTransposes(Operation *root) {
  SmallVector<linalg::TransposeOp> found;
  root->walk([&](linalg::TransposeOp op) {
    if (op.hasPureTensorSemantics() &&
        isIdentityPermutation(op.getPermutation()))
      found.push_back(op);
  });
  for (linalg::TransposeOp op : found) {
    OpBuilder builder(op);
    Value same = builder.createOrFold<tensor::CastOp>(
        op.getLoc(), op->getResult(0).getType(), op.getInput());
    op->getResult(0).replaceAllUsesWith(same);
    op.erase();
  }
}

} // namespace shard
