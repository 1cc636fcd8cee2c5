//===- EvaluatedPlaces.h - Indices computed for each iteration --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frontends compute the row that upsampling reads with floats, roundings and clamps:
// floor((i + 0.5) * 0.5). An index that depends on one loop of static extent is computed here
// for each iteration, and the numbers tell what it is.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_EVALUATEDPLACES_H
#define SHARD_LIB_MODELS_EVALUATEDPLACES_H

#include "LoopPlaces.h"

namespace shard {

/// `index`, an integer in the body of `op`, as a multiple of a loop and a number, or as the
/// quotient of a loop by a number that divides its extent, if it is one for all iterations.
std::optional<LoopPlace> evaluatedPlace(mlir::Value index,
                                        mlir::linalg::GenericOp op);

} // namespace shard

#endif // SHARD_LIB_MODELS_EVALUATEDPLACES_H
