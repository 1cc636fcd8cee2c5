//===- CheckHints.h - Annotations after propagation -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKHINTS_H
#define SHARD_LIB_FUZZ_CHECKHINTS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shard::fuzz {

/// Compares the annotations of `original` with those of `annotated`, which propagation
/// made of it: each value that a user has annotated, and that something uses, is
/// annotated there with the same blocks on every device, and no value is annotated for
/// users that has none. Ops are the same if their locations are. What is wrong, in words;
/// empty if nothing is.
std::string checkHints(mlir::ModuleOp original, mlir::ModuleOp annotated);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKHINTS_H
