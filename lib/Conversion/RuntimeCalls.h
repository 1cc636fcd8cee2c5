//===- RuntimeCalls.h - Emitting calls of the runtime -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ABI of shard/Runtime/Runtime.h in terms of func, memref and arith: every
// argument is an `index`, addresses included, so that no LLVM types are needed
// before the program is lowered. Axis lists and strings are constant globals.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CONVERSION_RUNTIMECALLS_H
#define SHARD_LIB_CONVERSION_RUNTIMECALLS_H

#include "shard/IR/ShardOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shard {
namespace conversion {

/// Emits into the module around an op.
class RuntimeEmitter {
public:
  /// Emits at the insertion point of `builder`; `op` tells the module and the
  /// place in the user's program. Symbols are added to the tables of `symbols`.
  RuntimeEmitter(mlir::OpBuilder &builder, mlir::Operation *op,
                 mlir::SymbolTableCollection &symbols);

  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value index(int64_t value);
  /// The address of constant words.
  mlir::Value constantWords(llvm::ArrayRef<int64_t> words);
  /// Element `at` of constant words, all of them not negative.
  mlir::Value constantWord(llvm::ArrayRef<int64_t> words, mlir::Value at);
  /// The address of a constant string, terminated by zero.
  mlir::Value constantText(llvm::StringRef text);
  /// The address of a string that says where the op stands.
  mlir::Value location();
  /// The address of words on the stack that hold `values`. Only in a function
  /// of its own: in a loop the stack would grow.
  mlir::Value stackWords(mlir::ValueRange values);
  /// The address of the words that describe a buffer; on the stack.
  mlir::Value describeBuffer(mlir::Value memref);

  /// Calls a function of the runtime; all operands are of type index.
  mlir::func::CallOp call(llvm::StringRef name, mlir::ValueRange operands,
                          bool hasResult = false);

  /// A private function with a body, called `name` or something like it.
  mlir::func::FuncOp createFunction(llvm::StringRef name,
                                    mlir::TypeRange inputs);

private:
  mlir::Value constantMemRef(llvm::StringRef name, mlir::ElementsAttr value);
  mlir::Value constantGlobal(llvm::StringRef name, mlir::ElementsAttr value);

  mlir::SymbolTable &table;
};

/// The shape of a grid as the runtime takes it: -1 for `?`.
llvm::SmallVector<int64_t> runtimeShape(GridOp grid);

} // namespace conversion
} // namespace shard

#endif // SHARD_LIB_CONVERSION_RUNTIMECALLS_H
