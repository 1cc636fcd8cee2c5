//===- LateInits.h - What sums start from joins them late -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a sum over devices the first one of each group starts from the init, the others from
// zero. So each takes the whole init, which is gathered where it comes in blocks. If the sum
// is scattered into the same blocks, each device may add its block of the init behind the
// reduce_scatter instead, and nothing is gathered.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_LATEINITS_H
#define SHARD_MODELS_LATEINITS_H

#include "mlir/IR/PatternMatch.h"

namespace shard {

/// Adds the pattern that combines inits of linalg behind the reduce_scatters of results, where they are
/// gathered for the first device alone. Floats are combined in another order than before.
void populateLateInitPatterns(mlir::RewritePatternSet &patterns);

} // namespace shard

#endif // SHARD_MODELS_LATEINITS_H
