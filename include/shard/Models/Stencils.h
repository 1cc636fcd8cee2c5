//===- Stencils.h - Several steps of a stencil in one iteration -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that applies a stencil to what it carries exchanges halos in each iteration.
// Unrolled k times, with its ops marked to be recomputed (kRecomputeAttrName), it
// exchanges halos k times as wide in each k-th one.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_STENCILS_H
#define SHARD_MODELS_STENCILS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// The first loop (scf.for) in `root` that reads windows of tensors; null without one.
mlir::Operation *findStencil(mlir::Operation *root);

/// Unrolls the loops (scf.for) in `root` that read windows of tensors, `steps` times, or
/// as often as their attribute kHaloStepsAttrName says, which is removed. A remark tells
/// of a loop with this attribute that is no such loop. Returns whether anything changed.
bool unrollStencils(mlir::Operation *root, int64_t steps);

} // namespace shard

#endif // SHARD_MODELS_STENCILS_H
