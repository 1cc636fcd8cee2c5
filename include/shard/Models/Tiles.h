//===- Tiles.h - Tiles that a dimension does not fill -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of a tile and the place inside are digits of an index where the tiles fill the
// dimension. Padding of the last tile is an op of its own then, which reads a window.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_TILES_H
#define SHARD_MODELS_TILES_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Pads in front of each `linalg.pack` in `root` whose last tiles are incomplete, and cuts
/// behind each such `linalg.unpack`, so that all tiles are complete. Ops of dynamic shapes and
/// with hints stay as they are. Returns whether there are any others.
bool completeTiles(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_TILES_H
