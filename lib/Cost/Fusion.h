//===- Fusion.h - Which tensors are never in memory -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code generation computes an elementwise op inside of the only op that reads its
// result (shard-prepare-tensors), so that the result takes no memory. These functions
// tell so from the loops of ops alone.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_COST_FUSION_H
#define SHARD_LIB_COST_FUSION_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace shard {

/// Whether `op` reads its operands element by element in one loop nest, into which what
/// makes the elements may move. False of products of matrices, whose operands a kernel
/// reads in blocks.
bool readsElements(mlir::Operation *op);

/// The ops of `block` that are computed inside of the only user of their result.
llvm::DenseSet<mlir::Operation *> fusedOps(mlir::Block &block);

} // namespace shard

#endif // SHARD_LIB_COST_FUSION_H
