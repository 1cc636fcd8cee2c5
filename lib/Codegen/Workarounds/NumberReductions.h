//===- NumberReductions.h - Maxima and minima that skip NaN ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fault: on x86-64 with AVX, LLVM 22.1.8 vectorises a loop that reduces by
// llvm.maxnum or llvm.minnum wrongly if an element may be NaN: the last elements of
// a row are lost (test/Codegen/Workarounds/number-reductions.test).
//
// Workaround: no such call reaches LLVM. A reduction of linalg replaces each NaN by
// the neutral infinity and reduces by arith.maximumf or arith.minimumf with the flag nnan,
// which LLVM vectorises correctly; a flag tells whether there was any number. All other
// arith.maxnumf and arith.minnumf become comparisons. Of two zeros the positive one is
// larger in both: MLIR leaves the sign open, and a grid is to have the same as one device.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CODEGEN_WORKAROUNDS_NUMBERREDUCTIONS_H
#define SHARD_LIB_CODEGEN_WORKAROUNDS_NUMBERREDUCTIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shard::codegen {

/// The reductions by arith.maxnumf and arith.minnumf of one linalg op. The loops of
/// the op carry its outputs and, behind them, one i1 for each such reduction.
class NumberReductions {
public:
  explicit NumberReductions(mlir::linalg::LinalgOp op);

  /// What the loops begin with: `outputs` hold the initial values.
  llvm::SmallVector<mlir::Value>
  begin(mlir::OpBuilder &builder, mlir::Location loc,
        llvm::ArrayRef<mlir::Value> outputs) const;

  /// One step. `results` are what a copy of the body yields for `carried`; they
  /// become all that is carried on.
  void step(mlir::OpBuilder &builder, mlir::Location loc,
            llvm::ArrayRef<mlir::Value> carried,
            llvm::SmallVector<mlir::Value> &results) const;

  /// The outputs after the loops, which end with `carried`.
  llvm::SmallVector<mlir::Value> end(mlir::OpBuilder &builder,
                                     mlir::Location loc,
                                     llvm::ArrayRef<mlir::Value> outputs,
                                     llvm::ArrayRef<mlir::Value> carried) const;

private:
  struct Reduction {
    unsigned output;
    bool isMax;
    mlir::FloatType type;
  };
  llvm::SmallVector<Reduction> reductions;
};

/// Turns every scalar arith.maxnumf and arith.minnumf of `root` that may see NaN into
/// comparisons and selections.
void expandNumberOps(mlir::Operation *root);

} // namespace shard::codegen

#endif // SHARD_LIB_CODEGEN_WORKAROUNDS_NUMBERREDUCTIONS_H
