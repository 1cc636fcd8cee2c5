//===- Explain.h - Why values are sharded as they are -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_EXPLAIN_H
#define SHARD_LIB_PROPAGATION_EXPLAIN_H

#include "Reader.h"

#include "shard/Propagation/Engine.h"

namespace shard::propagation {

/// Adds to `explanation` what can be said about `out`. `useOps` is what
/// writeSolution returned.
void explain(mlir::Operation *root, Reader &reader, const Solution &solution,
             const GridPropagation &out, llvm::ArrayRef<OpId> useOps,
             PropagationExplanation &explanation);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_EXPLAIN_H
