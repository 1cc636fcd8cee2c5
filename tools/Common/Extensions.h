//===- Extensions.h - What others add to a program --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_COMMON_EXTENSIONS_H
#define SHARD_TOOLS_COMMON_EXTENSIONS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace llvm::cl {
class OptionCategory;
} // namespace llvm::cl

namespace shard {

/// The category of all options of the tool.
llvm::cl::OptionCategory &toolOptions();

/// Loads what the options --load-dialect-plugin, --load-pass-plugin and
/// --shared-libs name. Prints what does not load, and returns false.
bool loadExtensions(mlir::DialectRegistry &registry);

/// The paths of --shared-libs.
std::vector<std::string> sharedLibraryPaths();

/// Runs the passes of --pass-pipeline.
mlir::LogicalResult runGivenPasses(mlir::ModuleOp module);

} // namespace shard

#endif // SHARD_TOOLS_COMMON_EXTENSIONS_H
