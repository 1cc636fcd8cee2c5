//===- PropagationFlags.h - Options of propagation --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_COMMON_PROPAGATIONFLAGS_H
#define SHARD_TOOLS_COMMON_PROPAGATIONFLAGS_H

#include "shard/Pipelines/Pipelines.h"
#include "shard/Propagation/Propagation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shard {

/// Sets what the command line says of propagation and partition.
void readPropagationFlags(SpmdPipelineOptions &options);

/// Why each value of `entry`, which is not partitioned, and of what it calls is sharded
/// as it is. Fails, with an error, where propagation fails.
mlir::FailureOr<PropagationExplanation>
explainProgram(mlir::func::FuncOp entry, const SpmdPipelineOptions &options);

/// With --explain, prints to standard error why each value of `entry` and of what it
/// calls is sharded as it is.
mlir::LogicalResult explainIfAsked(mlir::func::FuncOp entry,
                                   const SpmdPipelineOptions &options);

} // namespace shard

#endif // SHARD_TOOLS_COMMON_PROPAGATIONFLAGS_H
