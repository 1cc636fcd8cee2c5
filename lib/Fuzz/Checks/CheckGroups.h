//===- CheckGroups.h - Groups of physical devices ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKGROUPS_H
#define SHARD_LIB_FUZZ_CHECKGROUPS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shard::fuzz {

/// Compares what shard-assign-groups writes on the collectives of `partitioned` with the
/// groups and messages that follow from the coordinates of each device alone. What is
/// wrong, in words; empty if nothing is.
std::string checkGroups(mlir::ModuleOp partitioned);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKGROUPS_H
