//===- WindowSteps.h - Steps about halos and offsets ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PARTITIONING_WINDOWSTEPS_H
#define SHARD_LIB_PARTITIONING_WINDOWSTEPS_H

#include "shard/Partitioning/Emitter.h"

namespace shard {

/// Builds the ops of a step that is about halos or explicit offsets: `local` is
/// the block of a tensor of global `type` under `before`. Null, without an error,
/// for other kinds.
mlir::Value emitWindowStep(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::RankedTensorType type, const Step &step,
                           const Sharding &before, mlir::Value local,
                           const Emission &emission);

} // namespace shard

#endif // SHARD_LIB_PARTITIONING_WINDOWSTEPS_H
