//===- JoinedPlaces.h - Look-ups at known places are joins ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor that is reflected or repeated at its borders comes from frontends as a look-up of rows
// at places that are computed, or constant: 2 1 0 1 2 ... 14 15 14 13 of 16 rows. These are a few
// slices of the tensor, side by side, which devices read by windows:
//
//   [2] [1] [0 .. 15] [14] [13]
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_JOINEDPLACES_H
#define SHARD_LIB_MODELS_JOINEDPLACES_H

#include "mlir/IR/PatternMatch.h"

#include <optional>
#include <vector>

namespace shard {

/// Elements first, first + step, ..., `size` of them.
struct PlacePart {
  int64_t first, step, size;
};

/// Parts that follow one another.
using JoinedPlaces = std::vector<PlacePart>;

/// `numbers`, elements of a dimension, as parts; nothing where there are two numbers, which tell
/// nothing, where parts are more than 16, and where the longest has less than half of the numbers.
std::optional<JoinedPlaces> joinedPlaces(llvm::ArrayRef<int64_t> numbers);

/// No more elements in falling order are parts of their own: a window of one element is read by
/// a halo, and a reversed one from the device on the other side.
constexpr int64_t kMostSingles = 4;

/// `numbers` with a part for each of them.
JoinedPlaces singlePlaces(llvm::ArrayRef<int64_t> numbers);

/// What `places` name of dimension `dim` of `tensor`, of static type.
mlir::Value joinPlaces(mlir::Value tensor, int64_t dim,
                       const JoinedPlaces &places, mlir::Location loc,
                       mlir::RewriterBase &rewriter);

} // namespace shard

#endif // SHARD_LIB_MODELS_JOINEDPLACES_H
