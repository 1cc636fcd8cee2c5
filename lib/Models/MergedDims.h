//===- MergedDims.h - What becomes of merged dimensions ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `tensor.collapse_shape` may move behind the ops that take its result where a
// `tensor.expand_shape` behind them takes the same dimensions apart again, or where an op combines
// all elements anyway. Ops of linalg and elementwise ops on tensors may stand between.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_MERGEDDIMS_H
#define SHARD_LIB_MODELS_MERGEDDIMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

namespace shard {

/// How many users are looked at for an op that takes a merge back: chains of a layer
/// are shorter.
constexpr unsigned kMaxVisits = 64;

/// The dimensions of the result of `op` that are made of two or more that have several
/// elements.
llvm::SmallBitVector mergedDims(mlir::tensor::CollapseShapeOp op);

/// Whether `op` combines all elements of its inputs, merged or not.
bool combinesAll(mlir::Operation *op);

/// Whether a dimension that is merged in a result of `op` is taken apart again, or combined, behind
/// ops of linalg, elementwise ops, slices and other merges. Looks at no more than `budget` users.
bool reachesSplit(mlir::Operation *op, unsigned &budget);

/// Whether an op of one input combines the elements along the dimension that `loop` of `op`
/// indexes, behind ops of linalg and elementwise ops. Looks at no more than `budget` users.
bool isCombinedLater(mlir::linalg::LinalgOp op, unsigned loop,
                     unsigned &budget);

/// Whether dimension `dim` of `value` costs nothing to take apart: an op merges it, or
/// it is made of values that it does not index, such as those of a broadcast.
bool comesApart(mlir::Value value, unsigned dim);

/// The merge that the elementwise op `op` may move in front of: that of one of its operands, whose
/// dimensions are taken apart or combined behind `op`. Each other operand that is a tensor comes
/// from a merge of the same dimensions, or comes apart. Null if there is none.
mlir::tensor::CollapseShapeOp mergeOfOperands(mlir::Operation *op);

} // namespace shard

#endif // SHARD_LIB_MODELS_MERGEDDIMS_H
