//===- CheckSymbols.h - What machine code calls and nobody has -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CODEGEN_CHECKSYMBOLS_H
#define SHARD_LIB_CODEGEN_CHECKSYMBOLS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>
#include <vector>

namespace shard::codegen {

/// A symbol that an object file needs from outside.
struct NeededSymbol {
  std::string name;
  /// The function of the object that refers to it; empty if data does.
  std::string user;
};

/// The symbols that `object` refers to and does not define, each once.
llvm::Expected<std::vector<NeededSymbol>>
neededSymbols(const llvm::MemoryBuffer &object);

/// Reports every symbol that `object` needs and neither `known` nor this process
/// has, at the function of `source` that needs it.
mlir::LogicalResult checkSymbols(const llvm::MemoryBuffer &object,
                                 const llvm::StringMap<void *> &known,
                                 mlir::ModuleOp source);

} // namespace shard::codegen

#endif // SHARD_LIB_CODEGEN_CHECKSYMBOLS_H
