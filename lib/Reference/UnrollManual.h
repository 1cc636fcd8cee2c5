//===- UnrollManual.h - Manual computations on one device -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the Reference library.
//
// A shard.manual_computation means its body, once per coordinate on the manual
// axes. The reference takes that word for word: operands are cut into the blocks
// of all coordinates, each op of the body is copied once per coordinate, each
// collective becomes ops that combine the copies' values, and the results are
// put together. Nothing of it is shared with partition and the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_REFERENCE_UNROLLMANUAL_H
#define SHARD_LIB_REFERENCE_UNROLLMANUAL_H

#include "mlir/IR/BuiltinOps.h"

namespace shard::reference {

/// A body is copied at most this often, nested computations multiplied.
constexpr int64_t kMaxManualCopies = 64;

/// Replaces every shard.manual_computation of a module that is not partitioned
/// by ops for one device; annotations in bodies stay. Reports, at its location,
/// what it cannot express: unknown grid sizes, parts of axes, partial operands,
/// collectives in regions that are no control flow of scf.
mlir::LogicalResult unrollManualComputations(mlir::ModuleOp module);

/// Replaces the body of each function that has collectives outside of manual
/// computations, or arguments or results with `shard.local`, and that no other one
/// calls, by what all devices of the grid compute.
mlir::LogicalResult unrollSpmdFunctions(mlir::ModuleOp module);

} // namespace shard::reference

#endif // SHARD_LIB_REFERENCE_UNROLLMANUAL_H
