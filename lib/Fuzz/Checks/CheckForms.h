//===- CheckForms.h - Programs written and read again -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKFORMS_H
#define SHARD_LIB_FUZZ_CHECKFORMS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shard::fuzz {

/// How a program is written.
enum class Form {
  Text,
  /// Every op in quotes, with its properties.
  Generic,
  /// Of MLIR and this dialect as they are now.
  Bytecode,
  /// For older readers: version 5 of MLIR's, 0 of this dialect's.
  OldBytecode
};
inline constexpr unsigned numForms = 4;

/// The program as text, without locations.
std::string print(mlir::ModuleOp module);

/// The first lines that differ, in one line.
std::string difference(llvm::StringRef a, llvm::StringRef b);

/// Writes the program, whose text is `text`, in `form` and reads it back. What
/// has changed or does not read, in words; empty if nothing has.
std::string checkForm(mlir::ModuleOp module, llvm::StringRef text, Form form);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKFORMS_H
