//===- LoopPlaces.h - Indices as sums of loops ------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index in the body of an op of linalg is often a sum of its loops. Frontends hide that:
// those of PyTorch read the number of a row from a tensor of the numbers 0, 1, 2, ..., and add the
// number of rows if it is negative, which it never is.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_LOOPPLACES_H
#define SHARD_LIB_MODELS_LOOPPLACES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shard {

/// A sum of loops, and the least and the largest number that it reaches.
struct LoopPlace {
  mlir::AffineExpr expr;
  int64_t least, most;
};

/// `index`, an integer in the body of `op`, as a sum of the loops of `op`, if it is one. Reads
/// elements of inputs that ops of linalg make of places alone.
std::optional<LoopPlace> loopPlace(mlir::Value index,
                                   mlir::linalg::GenericOp op);

/// A comparison of two sums of loops.
struct LoopComparison {
  mlir::arith::CmpIPredicate predicate;
  LoopPlace left, right;
};

/// `flag`, an i1 in the body of `op`, as a comparison of sums of the loops of `op`, if it is one.
std::optional<LoopComparison> loopComparison(mlir::Value flag,
                                             mlir::linalg::GenericOp op);

/// What the input `operand` of `op` is, without reshapes that only add or drop dimensions of one
/// element, and the place in it that the loops of `op` read.
std::pair<mlir::Value, llvm::SmallVector<mlir::AffineExpr>>
withoutUnits(mlir::OpOperand &operand, mlir::linalg::LinalgOp op);

} // namespace shard

#endif // SHARD_LIB_MODELS_LOOPPLACES_H
