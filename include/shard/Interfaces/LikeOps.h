//===- LikeOps.h - Ops that have one loop table -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_INTERFACES_LIKEOPS_H
#define SHARD_INTERFACES_LIKEOPS_H

#include "shard/Geometry/Interner.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace shard {

/// Numbers ops: those of one name, with equal properties, types, bodies and index operands, of
/// whose other operands their models know the same (`getFactsOfOperands`), have one number.
/// Sharding models say the same of them, so that they have one loop table.
class LikeOps {
public:
  /// The number of `op`: that of an op before it, or the next one, from 0 on. `op` must live as
  /// long as this.
  uint32_t numberOf(mlir::Operation *op);

private:
  InternIndex index;
  using Facts = llvm::SmallVector<int64_t>;
  /// By number the first op, and what its model knows of its operands.
  std::vector<std::pair<mlir::Operation *, Facts>> known;
};

} // namespace shard

#endif // SHARD_INTERFACES_LIKEOPS_H
