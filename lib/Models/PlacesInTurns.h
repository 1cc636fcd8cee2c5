//===- PlacesInTurns.h - Look-ups that slices take turns in ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linear interpolation to twice the size reads the rows 0 0 0 1 1 2 2 ... and 1 1 1 2 2 3 3 ...,
// which frontends compute with floats and clamps. Every second one of these numbers is a loop
// plus a number, but for some at the ends. So what is read is two slices that take turns, with
// other elements at the ends, and each of them needs a halo where the rows are split. Where ends
// are aligned with ends, the numbers fall behind on the way, and each turn chooses among few
// slices by the place. As elements at places that are not known to be like that, the whole
// tensor would be gathered.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_PLACESINTURNS_H
#define SHARD_LIB_MODELS_PLACESINTURNS_H

#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace shard {

/// What a turn reads of a dimension at the k-th time: place `stride * k + o`, where o is
/// `offsets[which[k]]`, but for the times of `ends`, each with the place that is read then.
struct PlaceTurn {
  llvm::SmallVector<int64_t> offsets;
  llvm::SmallVector<uint8_t> which;
  llvm::SmallVector<std::pair<int64_t, int64_t>> ends;
};

/// The turns that read a dimension, each of them `times` times, one element of each after the
/// other. `stride * times` is the extent of the dimension.
struct PlacesInTurns {
  int64_t stride, times;
  llvm::SmallVector<PlaceTurn> turns;
};

/// `numbers`, elements of a dimension of `extent` elements, as turns; nothing where these are more
/// than 8 or come fewer than 6 times, where a turn reads slices that are more than 3 or far
/// apart, where exceptions are not in the first or last two times, and where they are all of the
/// dimension.
std::optional<PlacesInTurns> placesInTurns(llvm::ArrayRef<int64_t> numbers,
                                           int64_t extent);

/// What `places` read of dimension `dim` of `tensor`, of static type.
mlir::Value takeTurns(mlir::Value tensor, int64_t dim,
                      const PlacesInTurns &places, mlir::Location loc,
                      mlir::RewriterBase &rewriter);

} // namespace shard

#endif // SHARD_LIB_MODELS_PLACESINTURNS_H
