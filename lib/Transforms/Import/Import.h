//===- Import.h - What propagation wants prepared ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_IMPORT_IMPORT_H
#define SHARD_LIB_TRANSFORMS_IMPORT_IMPORT_H

#include "Import/CreatorSplit.h"

#include "shard/IR/ShardOps.h"

namespace shard {

/// The ops that the steps of import work on, in program order. One walk finds all
/// of them: programs are long.
struct ImportWork {
  explicit ImportWork(mlir::Operation *root);

  llvm::SmallVector<ShardingOp> shardings;
  llvm::SmallVector<ShardOp> annotations;
  llvm::SmallVector<mlir::Operation *> opHints, creators, encoded;
  llvm::SmallVector<ManualComputationOp> computations;
};

/// Makes halos and offsets that are constants static, fails where an annotation has
/// a sharding that nobody states, marks annotations that reshard what another one annotates, and erases annotations for users that no
/// user has: they would count as uses of their values.
llvm::LogicalResult normalizeAnnotations(ImportWork &work);

/// Prepares `root` for propagation: all steps of import that work inside of
/// functions. Fails with an error where a hint is wrong. Returns the creators that
/// were copied.
llvm::FailureOr<CreatorFamilies> importHints(mlir::Operation *root);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_IMPORT_IMPORT_H
