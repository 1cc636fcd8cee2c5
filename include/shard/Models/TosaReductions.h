//===- TosaReductions.h - Where maxima of tosa begin ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR lowers the maximum of floats along a dimension to one that begins with the least finite
// number, so that the maximum of infinities is that number. It folds the maximum of one element
// to this element, an infinity too. Which of both happens to a block of one element, or to the
// maximum of blocks, depends on the grid. Begun with an infinity, all are the same. The maximum
// over windows, tosa.max_pool2d, begins and is padded so too.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_TOSAREDUCTIONS_H
#define SHARD_MODELS_TOSAREDUCTIONS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace shard {

/// The reductions of linalg in `root`.
llvm::DenseSet<mlir::Operation *> findReductions(mlir::Operation *root);

/// Pads what the tosa.max_pool2d of floats in `root` read with infinities, and takes their padding
/// from them.
void padWithInfinities(mlir::Operation *root);

/// Lets the reductions of linalg in `root` but `others`, which the lowering of tosa has made,
/// begin with infinities instead of the least or the largest finite number.
void beginWithInfinities(mlir::Operation *root,
                         const llvm::DenseSet<mlir::Operation *> &others);

} // namespace shard

#endif // SHARD_MODELS_TOSAREDUCTIONS_H
