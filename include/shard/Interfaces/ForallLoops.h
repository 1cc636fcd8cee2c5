//===- ForallLoops.h - What scf.forall leaves whole -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iterations of an scf.forall insert slices into its shared outputs. A
// dimension that all of them take whole can be split: each device then runs all
// iterations on its part of it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_INTERFACES_FORALLLOOPS_H
#define SHARD_INTERFACES_FORALLLOOPS_H

#include "shard/Interfaces/LoopTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shard {

/// `op` as an scf.forall whose shared outputs are tensors into which
/// tensor.parallel_insert_slice alone writes; null if it is anything else.
mlir::scf::ForallOp asTensorForall(mlir::Operation *op);

/// From the source of `insert` to its destination, result 0 of the table: one loop
/// for each dimension that is taken whole.
LoopTable insertTable(mlir::tensor::ParallelInsertSliceOp insert);

/// From shared output `number`, operand 0 of the table, to the block argument and
/// the result that stand for it, results 0 and 1: one loop for each dimension that
/// all insertions take whole.
LoopTable sharedOutTable(mlir::scf::ForallOp forall, unsigned number);

/// The axes that `target`, the sharding of result 0 of `table`, asks of its
/// operand 0: those of the dimensions that share a loop.
Sharding operandFor(const LoopTable &table, const Sharding &target);

} // namespace shard

#endif // SHARD_INTERFACES_FORALLLOOPS_H
