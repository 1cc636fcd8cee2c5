//===- OverlapCollectives.h - Collectives beside other ops ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_OVERLAPCOLLECTIVES_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_OVERLAPCOLLECTIVES_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Starts the collectives of `root` early where that hides at least `minGain`
/// microseconds: the pass shard-overlap-collectives.
void overlapCollectives(mlir::Operation *root, double minGain);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_OVERLAPCOLLECTIVES_H
