//===- BodyReductions.h - What bodies of linalg combine ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_BODYREDUCTIONS_H
#define SHARD_LIB_MODELS_BODYREDUCTIONS_H

#include "shard/Geometry/ReductionKind.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace shard {

/// How the body of an op of linalg combines the carried value of an init with what it
/// computes. To combine in parts and then the results of these by `kind` gives the same,
/// but for the order in which floats are rounded.
struct BodyReduction {
  ReductionKind kind;
  /// What is combined with the carried value, or taken from it; null if it is several
  /// values or none.
  mlir::Value term;
};

/// The reduction of init `index` of `op`; nothing where the body does something else with
/// the carried value than these, one after another, all of one kind:
///
///  * ops of arith that combine two values, and sums of complex numbers,
///  * the difference `carried - x`, which is a sum of negatives; `x - carried` is none,
///  * `arith.select` of the larger or smaller one of two integers by `arith.cmpi`.
///
/// A maximum of floats by `arith.cmpf` and `arith.select` is none: where there are NaNs or
/// zeros of both signs, its result depends on where the values are combined. Neither are
/// `arith.maxnumf` and `arith.minnumf`, which drop NaNs; no kind does.
std::optional<BodyReduction> matchBodyReduction(mlir::linalg::LinalgOp op,
                                                unsigned index);

/// Whether devices can combine elements of `type` by `kind`.
bool canReduce(ReductionKind kind, mlir::Type type);

/// Whether all elements of `value`, a constant or a fill, are neutral for `kind`. A sum may
/// start from either zero.
bool isNeutralTensor(mlir::Value value, ReductionKind kind);

/// A tensor like `init` of the neutral element of `kind`.
mlir::Value neutralTensor(mlir::OpBuilder &builder, mlir::Location loc,
                          ReductionKind kind, mlir::Value init);

} // namespace shard

#endif // SHARD_LIB_MODELS_BODYREDUCTIONS_H
