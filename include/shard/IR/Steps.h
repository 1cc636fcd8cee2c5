//===- Steps.h - Reshards that name their step ------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `shard.step = "all_gather"` on a shard.shard that annotates for users: the change from
// the sharding of its source to that of its result is this one step of the planner.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_STEPS_H
#define SHARD_IR_STEPS_H

#include "shard/IR/ShardingUtils.h"

namespace shard {

inline constexpr llvm::StringLiteral kStepAttrName = "shard.step";

/// On an op: a device computes of its result also what others read of the neighbours'
/// blocks, instead of an exchange of halos.
inline constexpr llvm::StringLiteral kRecomputeAttrName = "shard.recompute";

/// On a loop: how many of its iterations one exchange of halos is to serve.
inline constexpr llvm::StringLiteral kHaloStepsAttrName = "shard.halo_steps";

/// No loop is unrolled more often.
inline constexpr int64_t kMostHaloSteps = 64;

/// Whether `attribute`, one of these two of `op`, is as it should be.
mlir::LogicalResult verifyRecompute(mlir::Operation *op,
                                    mlir::Attribute attribute,
                                    EmitErrorFn emitError);
mlir::LogicalResult verifyHaloSteps(mlir::Operation *op,
                                    mlir::Attribute attribute,
                                    EmitErrorFn emitError);

/// Whether `attribute`, kStepAttrName of `op`, is as it should be. Partition checks
/// that the step is the one between the two shardings.
mlir::LogicalResult verifyStep(mlir::Operation *op, mlir::Attribute attribute,
                               EmitErrorFn emitError);

} // namespace shard

#endif // SHARD_IR_STEPS_H
