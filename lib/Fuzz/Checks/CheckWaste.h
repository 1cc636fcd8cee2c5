//===- CheckWaste.h - Collectives that need not be --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKWASTE_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKWASTE_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shard::fuzz {

/// A collective of `partitioned`, behind the pipeline, that any reader would strike out, in words;
/// empty if there is none.
std::string checkWaste(mlir::ModuleOp partitioned);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKWASTE_H
