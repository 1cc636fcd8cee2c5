//===- Scans.h - Running sums become scans of blocks ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan (running sum, running maximum, ...) comes from frontends as a window that is as
// long as its dimension: element i of the result combines elements 0 to i of the operand,
// which is padded with the neutral element in front. Split, each device needs all that
// lies before its block. The scan of blocks of equal length needs less:
//
//   1. the scan within each block;
//   2. the total of each block, and the scan of these totals;
//   3. the total of all blocks before a block, combined with each element of its scan.
//
// Only step 2 reads other blocks, one element of each. This is the scan by blocks of
// G. Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_SCANS_H
#define SHARD_MODELS_SCANS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Makes scans of `blocks` blocks of the scans in `root`: ops of linalg that combine
/// a window of as many elements as a dimension has, of an operand that tensor.pad has
/// padded with the neutral element, in front or behind. Those stay as they are that have
/// hints, that are not of static shape or not longer than `blocks`, and whose combination
/// is not associative. Floats are combined in another order than before. Returns whether
/// there are any.
bool blockScans(mlir::Operation *root, int64_t blocks);

} // namespace shard

#endif // SHARD_MODELS_SCANS_H
