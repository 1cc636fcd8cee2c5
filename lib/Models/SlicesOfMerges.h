//===- SlicesOfMerges.h - Slices in front of merges -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_SLICESOFMERGES_H
#define SHARD_LIB_MODELS_SLICESOFMERGES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace shard {

/// Puts `op`, a slice of what `merge` gives, in front of it, if it takes the merged dimensions
/// whole: queries, keys and values are slices of one product, whose rows may be windows of images.
/// Returns whether it does.
bool sliceBeforeMerge(mlir::tensor::ExtractSliceOp op,
                      mlir::tensor::CollapseShapeOp merge,
                      mlir::PatternRewriter &rewriter);

} // namespace shard

#endif // SHARD_LIB_MODELS_SLICESOFMERGES_H
