//===- PlaceEvaluator.h - Numbers of the iterations of a loop ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frontends compute the rows that an op reads by tensors of their own: 0, 1, 2, ... in one op of
// linalg, |i - 1| in the next, or a constant. An index that depends on one loop of static extent
// is computed here for each iteration, by folding what it is computed of.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_PLACEEVALUATOR_H
#define SHARD_LIB_MODELS_PLACEEVALUATOR_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shard {

/// The numbers that an index has in the iterations of a loop.
struct PlaceTable {
  unsigned loop;
  llvm::SmallVector<int64_t> numbers;
  /// Whether elements of tensors are among what they are computed of.
  bool readsTensors = false;
};

/// The numbers of `index`, an integer in the body of `op`, if it depends on one loop, of 2 to
/// 4096 iterations, and is computed of constants and places alone.
std::optional<PlaceTable> placeTable(mlir::Value index,
                                     mlir::linalg::GenericOp op);

} // namespace shard

#endif // SHARD_LIB_MODELS_PLACEEVALUATOR_H
