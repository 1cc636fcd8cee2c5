//===- OpHints.h - Hints that stand on ops ----------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPHINTS_H
#define SHARD_LIB_TRANSFORMS_OPHINTS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Whether a hint stands on `op` itself.
bool hasOpHint(mlir::Operation *op);

/// Turns the hints that stand on the ops `hinted` into hints on values, which
/// propagation reads: `shard.sharding` into a shard.constraint of the result;
/// `shard.loops`, the axes of each loop, into the shardings that they ask of the
/// operands and the results. Fails with an error where loops cannot be split so.
llvm::LogicalResult expandOpHints(llvm::ArrayRef<mlir::Operation *> hinted);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPHINTS_H
