//===- CheckOrder.h - The order of devices on nodes -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKORDER_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKORDER_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shard::fuzz {

/// Lets shard-assign-groups order the devices of `partitioned`, of which a part is on one node:
/// no order of the axes sends fewer bytes between nodes. What is wrong, in words; empty if
/// nothing is.
std::string checkOrder(mlir::ModuleOp partitioned, llvm::StringRef entry);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKORDER_H
