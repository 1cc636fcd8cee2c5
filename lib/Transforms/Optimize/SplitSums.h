//===- SplitSums.h - Sums of which slices are kept --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_SPLITSUMS_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_SPLITSUMS_H

#include "shard/Geometry/Grid.h"
#include "shard/IR/ShardOps.h"

namespace shard {

/// What a reduction over the axes `all` to a value of type `whole` takes longer, in seconds,
/// where `slice` cuts it along some of these axes and nothing else uses it: folding makes a
/// reduce_scatter over those of it and an all_reduce over the others. `part` is the type of
/// the slice. 0 if the slice has all axes or others, and if that takes less.
double secondsOfSplitSum(GridOp gridOp, const Grid &sizes,
                         llvm::ArrayRef<int16_t> all, AllSliceOp slice,
                         mlir::Type whole, mlir::Type part);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_SPLITSUMS_H
