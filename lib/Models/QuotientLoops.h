//===- QuotientLoops.h - Maps with quotients of loops -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that repeats elements reads them at `d floordiv c`. As two loops, `q` and the minor
// `r` with `d = q * c + r`, that is a plain read at `q`. Blocks of `q` are blocks of `d`, and the
// local op has the maps of the op: blocks of `d` begin at multiples of `c`, or, where `r` is
// split too, lie between two of them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_QUOTIENTLOOPS_H
#define SHARD_LIB_MODELS_QUOTIENTLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shard {

/// A loop that counts as two: its quotient by `divisor`, under the number of the loop, and its
/// remainder, as one of the loops behind those of the op.
struct QuotientLoop {
  unsigned loop;
  int64_t divisor;
};

/// The parallel loops of `op` that some of its maps divide by a number, if all others index
/// with them, with that quotient, or with the remainder of it, and each reads the whole of a
/// static dimension. None in ops that ask for the numbers of their iterations.
llvm::SmallVector<QuotientLoop> quotientLoops(mlir::linalg::LinalgOp op);

/// `map` of the loops of the op in terms of those loops and of the remainders of `loops`.
mlir::AffineMap withRemainders(mlir::AffineMap map,
                               llvm::ArrayRef<QuotientLoop> loops);

} // namespace shard

#endif // SHARD_LIB_MODELS_QUOTIENTLOOPS_H
