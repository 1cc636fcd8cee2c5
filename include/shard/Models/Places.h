//===- Places.h - Maxima and their places -----------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The place of a maximum cannot be combined over devices without the maximum itself. In two
// ops it can: the first one computes the maximum, the second one the least of the places where
// the maximum is.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_PLACES_H
#define SHARD_MODELS_PLACES_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Makes reductions of their own of the results of `linalg.generic` ops in `root` that are a
/// maximum or minimum and its first place along one dimension. All results are those of the
/// op, for NaNs too. Ops with attributes of other dialects, which may be hints, stay. Returns
/// whether there are any.
bool separatePlaces(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_PLACES_H
