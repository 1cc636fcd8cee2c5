//===- TosaReshapes.h - Reshapes beside an unknown extent -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_TOSARESHAPES_H
#define SHARD_MODELS_TOSARESHAPES_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Makes tensor.collapse_shape and tensor.expand_shape of each tosa.reshape in `root` whose shapes
/// have one unknown extent, which is the same one if all other extents are told apart. MLIR's
/// lowering makes one dimension of all from the first extent that differs, be it 1: where
/// blocks may have different extents, no device could then tell rows apart.
void lowerDynamicTosaReshapes(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_TOSARESHAPES_H
