//===- FunctionPartitioner.h - The program of one device --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rebuilds the blocks of a function with local types. For each op in order: the
// option of its loops is chosen from how its operands come and how its results
// are wanted, operands are resharded to it, the op's model builds the local op,
// and the results are resharded to what their annotations say. Region and block
// arguments have the sharding of their class; whatever branches to them
// reshards to it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_FUNCTIONPARTITIONER_H
#define SHARD_LIB_TRANSFORMS_FUNCTIONPARTITIONER_H

#include "Partition/LocalFunction.h"

namespace shard {

class FunctionPartitioner {
public:
  FunctionPartitioner(LocalFunction &local,
                      mlir::SymbolTableCollection &symbols)
      : local(local), function(local.function), symbols(symbols) {}

  /// Replaces the body and the type of the function. Errors are emitted.
  llvm::LogicalResult run();

private:
  llvm::LogicalResult answerShardShapes();
  void updateSignature();

  /// Rebuilds the blocks of `from` in `to`; the arguments of the entry block of
  /// a function body are treated as the signature says.
  llvm::LogicalResult rebuild(mlir::Region &from, mlir::Region &to);
  /// Makes blocks of arguments that arrive whole.
  llvm::LogicalResult sliceArguments(mlir::Region &from, mlir::Region &to);
  llvm::LogicalResult rebuildOp(mlir::Operation *op);
  llvm::LogicalResult rebuildShardOp(mlir::Operation *op);
  llvm::LogicalResult rebuildAnnotation(ShardOp op);
  llvm::LogicalResult rebuildConstraint(ConstraintOp op);
  /// Fails, with an error, if the reshard of `op` is not the one step that it names.
  llvm::LogicalResult checkStep(ShardOp op, const Sharding *from,
                                const Sharding *to);

  LocalFunction &local;
  mlir::FunctionOpInterface function;
  mlir::SymbolTableCollection &symbols;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_FUNCTIONPARTITIONER_H
