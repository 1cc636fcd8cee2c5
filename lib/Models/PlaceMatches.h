//===- PlaceMatches.h - Ops that keep a place -------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ops of linalg keep the best one of their elements and its place (Places.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_PLACEMATCHES_H
#define SHARD_LIB_MODELS_PLACEMATCHES_H

#include "shard/Geometry/ReductionKind.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace shard {

/// When an element is better than the best one before it.
struct Comparison {
  ReductionKind kind;
  /// Whether a NaN is better than all others; else it never is.
  bool takesNaN = false;

  bool isMax() const {
    return kind == ReductionKind::Max || kind == ReductionKind::UMax;
  }
};

/// The results of an op that are an extreme element and its place.
struct Extreme {
  Comparison comparison;
  /// The numbers of the inits.
  unsigned best, place;
  /// Values of the body: the element and its place.
  mlir::Value element, number;
  /// Whether the first NaN is the best element, but has no place, and nor has what follows.
  bool endsAtNaN = false;
};

/// The element that `op` keeps and its place, if all results can be computed by reductions
/// that each combine one value.
std::optional<Extreme> matchExtreme(mlir::linalg::GenericOp op);

} // namespace shard

#endif // SHARD_LIB_MODELS_PLACEMATCHES_H
