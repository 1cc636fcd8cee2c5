//===- Extents.h - Extents that are known to be equal -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_EXTENTS_H
#define SHARD_LIB_MODELS_EXTENTS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shard {

/// Whether `size` is the whole of dimension `dim` of `tensor`: its static extent, or the extent
/// that the dimension has from where it was first stated, whatever its sharding is. So is the
/// number that a tensor.empty took for an op that wrote into it, and a tensor.dim of what a
/// loop updates.
bool isExtentOf(mlir::OpFoldResult size, mlir::Value tensor, int64_t dim);

/// Lets `op` ask for the extent where it was first stated, or takes the number itself. Returns
/// whether it changed.
bool askOriginOf(mlir::tensor::DimOp op, mlir::RewriterBase &rewriter);

} // namespace shard

#endif // SHARD_LIB_MODELS_EXTENTS_H
