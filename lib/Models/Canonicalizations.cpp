//===- Canonicalizations.cpp - MLIR's patterns, mended --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Canonicalizations.h"

#include "TensorModels.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
} // namespace

void populateCanonicalizationPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName name : context->getRegisteredOperations())
    name.getCanonicalizationPatterns(patterns, context);
  llvm::erase_if(patterns.getNativePatterns(), [](const auto &pattern) {
    StringRef name = pattern->getDebugName();
    // It computes an element at an index that may lie outside of the tensor; shard-run
    // promises the element at the nearest place then.
    return name.ends_with("ExtractFromTensorGenerate") ||
           // It gives what a loop carries the static type of the first value. Those of
           // later iterations may have other extents
           // (test/Codegen/Workarounds/loop-casts.mlir).
           name.ends_with("ForOpTensorCastFolder") ||
           (name.contains("ConstantArgumentFolder") &&
            name.contains("tensor::ExtractSliceOp"));
  });
  patterns.add<FoldConstantsIntoSlice>(context);
}

} // namespace shard
