//===- Overlap.h - Collectives that run beside other ops --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_OVERLAP_H
#define SHARD_IR_OVERLAP_H

#include "shard/IR/ShardOps.h"

namespace shard {

/// Whether `op` is a collective of a kind that may be started, with one type of
/// elements: the conditions of shard.wait on the collective alone.
bool canStart(mlir::Operation *op);

/// Whether `op` is started where it stands and ends at the waits that use it, by all
/// conditions of shard.wait.
bool isStarted(mlir::Operation *op);

} // namespace shard

#endif // SHARD_IR_OVERLAP_H
