//===- LoopGroups.h - The loops of a contraction in groups ------ -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction is a batch of matrix products. Which dimension of them a loop belongs to
// follows from the operands that move with it: rows move A and C, columns B and C, the depth
// A and B or one of them, batches all three.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_KERNELS_LOOPGROUPS_H
#define SHARD_LIB_RUNTIME_KERNELS_LOOPGROUPS_H

#include "shard/Runtime/Kernels/Contraction.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace shard {

/// The loops by the operands that move with them. Loops of extent 1 are in none.
struct LoopGroups {
  std::vector<ContractionLoop> batch, rows, columns, depth;
};

/// Groups `loops`, ordered so that steps shrink inwards; loops that go through memory like
/// one become one. Returns true if A and B were exchanged so that the columns are
/// contiguous in C.
bool groupLoops(const ContractionLoop *loops, int64_t numLoops,
                LoopGroups &groups);

/// A matrix product of which each dimension is one loop: the extents, and by how many
/// elements an operand moves with each.
struct PlainProduct {
  int64_t m, n, k;
  int64_t rowA, depthA, columnB, depthB, rowC, columnC;
};

/// The product of `groups` at each point of its batch, if it is plain.
std::optional<PlainProduct> plainProduct(const LoopGroups &groups);

/// Sets `first` and `second` to the offsets of all points of `loops`, first loop
/// outermost.
void flattenLoops(const std::vector<ContractionLoop> &loops,
                  int64_t ContractionLoop::*strideFirst,
                  int64_t ContractionLoop::*strideSecond,
                  std::vector<int64_t> &first, std::vector<int64_t> &second);

/// Calls `body` with the operands' offsets at every point of `batch`.
template <typename BodyFn>
void forEachBatch(const std::vector<ContractionLoop> &batch, size_t depth,
                  int64_t a, int64_t b, int64_t c, BodyFn &&body) {
  if (depth == batch.size())
    return body(a, b, c);
  const ContractionLoop &loop = batch[depth];
  for (int64_t i = 0; i < loop.extent; ++i)
    forEachBatch(batch, depth + 1, a + i * loop.strideA, b + i * loop.strideB,
                 c + i * loop.strideC, body);
}

} // namespace shard

#endif // SHARD_LIB_RUNTIME_KERNELS_LOOPGROUPS_H
