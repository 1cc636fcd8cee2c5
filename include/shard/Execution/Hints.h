//===- Hints.h - Put shardings on a program, or take them off ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a runner does to a module before it is compiled: choose the entry, set
// the grid, attach hints that came from outside, turn constants into arguments.
//
// A hint is text, TARGET=SHARDING:
//
//   arg0=[[0], []]              an argument of the entry
//   result0=[[], ["model"]]     a result
//   linalg.matmul#2=[[0], []]   the result of the third linalg.matmul of the
//                               entry, in the order of the text; of an op with
//                               several results linalg.generic#2:result1
//   linalg.matmul#2:1=[[], [0]] operand 1 of that op, for that op alone
//
// The sharding is what stands in #shard.sharding<@grid, ...> behind the grid:
// one list of axes per dimension, by number or name (quotes may be left out),
// `?` for open, and what may follow it, `partial = sum [1]`.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_EXECUTION_HINTS_H
#define SHARD_EXECUTION_HINTS_H

#include "shard/IR/ShardOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shard {

/// The function called `name`; for an empty name the only public function with a
/// body, or "main". Reports what functions there are if there is no such; `question` is
/// what to say where a name is missing.
mlir::FailureOr<mlir::func::FuncOp> findEntry(
    mlir::ModuleOp module, llvm::StringRef name,
    llvm::StringRef question = "which function to run? name one by --entry");

/// Erases the functions that `entry` does not name, directly or through others: what a run
/// does not reach needs not fit its grid.
void dropOtherFunctions(mlir::ModuleOp module, mlir::func::FuncOp entry);

/// Inlines what `entry` calls, where that is possible.
mlir::LogicalResult inlineCalls(mlir::ModuleOp module);

/// The grid of `module`: the first shard.grid that refines no other and that
/// `entry`, with what it calls, names (any function where `entry` is null). Null if
/// there is none; failure, reported, if those that are named differ in their
/// numbers of devices.
mlir::FailureOr<GridOp> findGrid(mlir::ModuleOp module,
                                 mlir::func::FuncOp entry = {});

/// Gives the module's grid the shape `text` ("2x4"); creates @grid if there is
/// none. Axis names stay where the rank does. Errors are located at the option.
mlir::LogicalResult setGrid(mlir::ModuleOp module, llvm::StringRef text);

/// Gives the module's grid `shape` and, if there are some, one name per axis; creates
/// @grid if there is none. Errors are located at the module.
mlir::LogicalResult setGrid(mlir::ModuleOp module,
                            llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<std::string> axisNames);

/// States on every grid of `module` that dynamic dimensions need not divide evenly
/// (`uneven_dynamic`). Without a grid an error, located at the option --uneven-dynamic.
mlir::LogicalResult setUnevenDynamic(mlir::ModuleOp module);

/// What a hint with fewer dimensions than its tensor is.
enum class MissingDims {
  Error,
  /// A hint for the first dimensions; the others stay whole.
  Whole
};

/// Attaches hints. Errors are located in the text of a hint. Two hints of one target
/// must state the same.
mlir::LogicalResult applyHints(mlir::func::FuncOp entry,
                               llvm::ArrayRef<std::string> hints,
                               MissingDims missing = MissingDims::Error);

/// Whether `op` is a constant whose elements were left out when the program was
/// printed: `dense_resource` of a resource that the text does not have.
bool hasElidedValue(mlir::Operation *op);

/// Turns float constants of more than `threshold` elements of `entry`, splats
/// included, and constants without elements into arguments behind the others. Returns
/// their number.
unsigned liftConstants(mlir::func::FuncOp entry, int64_t threshold = 64);

/// Lowers ops of TOSA to linalg, arith and tensor, if there are any.
mlir::LogicalResult lowerTosa(mlir::ModuleOp module);

} // namespace shard

#endif // SHARD_EXECUTION_HINTS_H
