//===- CreatorSplit.h - A constant for each user ----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that make a tensor out of nothing (constants, tensor.empty, tensor.splat, linalg.fill of
// these) cost nothing to make twice, and ops whose elements follow from their places
// (isMadeForEachUser) cost little, as does what is computed of these element by element: the table
// of a rotary embedding, a mask. But a value that many ops share would carry the sharding of
// one of them to all others: one fill that starts every matmul of a network ties all their
// results together. So before propagation each user gets its own copy, and afterwards copies
// that came out with the same sharding are merged (Export/CreatorMerge.h).
//
// Source: Shardy ("constant splitter") does the same.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_IMPORT_CREATORSPLIT_H
#define SHARD_LIB_TRANSFORMS_IMPORT_CREATORSPLIT_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace shard {

/// Originals and their copies, in program order, original first. Families of users
/// come before those of what they use.
using CreatorFamilies = std::vector<llvm::SmallVector<mlir::Operation *, 2>>;

/// Finds ops that each user may get a copy of.
class CreatorFinder {
public:
  /// Whether `op` is one. All ops that it depends on were asked about before it.
  bool add(mlir::Operation *op);

private:
  bool isComputedOfPlaces(mlir::Operation *op);

  /// How many ops compute the result of an op from places, one after another; 0 for creators.
  llvm::DenseMap<mlir::Operation *, unsigned> steps;
};

/// Copies those of `creators`, in program order, that have several users; returns
/// them.
CreatorFamilies splitCreators(llvm::ArrayRef<mlir::Operation *> creators);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_IMPORT_CREATORSPLIT_H
