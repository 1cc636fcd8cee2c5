//===- OptionLoc.h - Places in options --------------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_EXECUTION_OPTIONLOC_H
#define SHARD_LIB_EXECUTION_OPTIONLOC_H

#include "mlir/IR/Location.h"

namespace shard::execution {

/// A place in the text of a command-line option, for messages.
inline mlir::Location optionLoc(mlir::MLIRContext *context,
                                llvm::StringRef option, llvm::StringRef text,
                                size_t offset) {
  return mlir::FileLineColLoc::get(context, (option + " '" + text + "'").str(),
                                   1, static_cast<unsigned>(offset + 1));
}

} // namespace shard::execution

#endif // SHARD_LIB_EXECUTION_OPTIONLOC_H
