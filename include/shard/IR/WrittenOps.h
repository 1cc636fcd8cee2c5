//===- WrittenOps.h - Which op of the program an op is part of --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rewrite in front of propagation may make several ops of one. Their location says so, so that
// remarks name the op that the user wrote.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_WRITTENOPS_H
#define SHARD_IR_WRITTENOPS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// The location of an op that is made of `written`.
mlir::Location locationAsPartOf(mlir::Operation *written);

/// The name of the op that `op` is made of, or its own.
llvm::StringRef writtenName(mlir::Operation *op);

} // namespace shard

#endif // SHARD_IR_WRITTENOPS_H
