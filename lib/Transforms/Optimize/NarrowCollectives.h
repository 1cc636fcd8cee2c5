//===- NarrowCollectives.h - Collectives of what is read --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One collective may serve several slices of a tensor. It then moves no more than these
// slices read:
//
//   slice(shift(x), 31..32), slice(shift(x), 33..34)
//     = slice(y, 0..1), slice(y, 1..2) with y = shift(join(slice(x, 31..32), slice(x, 33..34)))
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_NARROWCOLLECTIVES_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_NARROWCOLLECTIVES_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Narrows the collectives in `root` of whose results only slices at known places are read, where
/// that takes less time than the copies for it. Dimensions that a collective joins or cuts stay
/// whole. Returns whether anything changed.
bool narrowCollectives(mlir::Operation *root);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_NARROWCOLLECTIVES_H
