//===- ProgramOptions.h - --grid and --hint of shard-opt --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shard-opt has the options --grid and --hint of shard-run. They change the program
// before the first pass runs.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_SHARD_OPT_PROGRAMOPTIONS_H
#define SHARD_TOOLS_SHARD_OPT_PROGRAMOPTIONS_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace shard {

/// Whether the command line, which has been parsed, gives one of the options.
bool hasProgramOptions();

/// MlirOptMain() of a command line that gives them.
llvm::LogicalResult optMainWithProgramOptions(int argc, char **argv,
                                              llvm::StringRef input,
                                              llvm::StringRef output,
                                              mlir::DialectRegistry &registry);

} // namespace shard

#endif // SHARD_TOOLS_SHARD_OPT_PROGRAMOPTIONS_H
