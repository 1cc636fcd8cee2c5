//===- CheckRings.h - Is every product cut that can be? ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKRINGS_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKRINGS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shard::fuzz {

/// A product that alone takes the result of an all_gather, or whose result a reduce_scatter
/// alone takes, and that shard-decompose-collectives has left in one piece although parts of it
/// give the same numbers; empty if there is none. For programs in which it cuts what can be
/// cut, whatever that costs.
std::string checkRings(mlir::ModuleOp partitioned);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKRINGS_H
