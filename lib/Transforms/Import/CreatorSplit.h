//===- CreatorSplit.h - A constant for each user ----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that make a tensor out of nothing (constants, tensor.empty, tensor.splat,
// linalg.fill of these) cost nothing to make twice, but a value that many ops
// share would carry the sharding of one of them to all others: one fill that
// starts every matmul of a network ties all their results together. So before
// propagation each user gets its own copy, and afterwards copies that came out
// with the same sharding are merged.
//
// Source: Shardy ("constant splitter") does the same.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_CREATORSPLIT_H
#define SHARD_LIB_TRANSFORMS_CREATORSPLIT_H

#include "shard/Propagation/Propagation.h"

#include "llvm/ADT/DenseSet.h"

namespace shard {

class CreatorSplit {
public:
  /// Copies those of `creators`, in program order, that have several users.
  void split(llvm::ArrayRef<mlir::Operation *> creators);

  /// Lets users of copies with equal shardings use one of them. The others stay
  /// in place, without users, until eraseMerged.
  void merge(const PropagationResult &result);

  /// Whether `op` was merged into another one and is to be left alone.
  bool isMerged(mlir::Operation *op) const { return merged.contains(op); }

  void eraseMerged();

private:
  /// An original and its copies, in program order, original first.
  using Copies = llvm::SmallVector<mlir::Operation *, 2>;
  /// Users come before what they use.
  std::vector<Copies> families;
  llvm::DenseSet<mlir::Operation *> merged;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_CREATORSPLIT_H
