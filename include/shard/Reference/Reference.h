//===- Reference.h - The program of one device -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The single-device program that a partitioned one is compared with. Annotations,
// hints and grids are dropped. A manual computation has per-device semantics: its
// body is repeated for each device of the grid, and its collectives become
// arithmetic on the values of the devices.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_REFERENCE_REFERENCE_H
#define SHARD_REFERENCE_REFERENCE_H

#include "mlir/IR/BuiltinOps.h"

namespace shard {

/// Removes grids, annotations, hints and groups: what is left is the program of
/// one device. Ops of the dialect that have no meaning there are errors.
mlir::LogicalResult dropShardings(mlir::ModuleOp module);

} // namespace shard

#endif // SHARD_REFERENCE_REFERENCE_H
