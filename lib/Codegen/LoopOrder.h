//===- LoopOrder.h - The order of the loops of a linalg op -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CODEGEN_LOOPORDER_H
#define SHARD_LIB_CODEGEN_LOOPORDER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace shard::codegen {

/// The order of loops, and how outputs are kept while reducing.
struct LoopOrder {
  /// From the outermost on.
  llvm::SmallVector<unsigned> outer;
  /// Reduction loops inside these, around which the outputs live in registers. Empty
  /// if there are none.
  llvm::SmallVector<unsigned> carried;
};

/// The order for `op`, on buffers, that walks through memory in the smallest steps.
/// Parallel loops move freely; reduction loops keep their order.
LoopOrder chooseOrder(mlir::linalg::LinalgOp op);

/// Operands that are read along another dimension than the outputs are written along, as in a
/// transpose. In blocks of `size` x `size` of the two loops they are copied to buffers that
/// stay in the nearest cache, and are read from there.
struct TransposedReads {
  /// The loops along which the outputs and these operands are contiguous.
  unsigned written, read;
  llvm::SmallVector<mlir::OpOperand *> operands;
  int64_t size;
};

/// Finds such operands in `op`, whose loops run in `order`; none, if its extents are known to
/// be too small for that to pay.
std::optional<TransposedReads> findTransposedReads(mlir::linalg::LinalgOp op,
                                                   const LoopOrder &order);

} // namespace shard::codegen

#endif // SHARD_LIB_CODEGEN_LOOPORDER_H
