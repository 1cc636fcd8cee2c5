//===- CheckIndices.h - Indices that take more than they need ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKINDICES_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKINDICES_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shard::fuzz {

/// An index of `partitioned`, behind shard-partition, that is computed of the position of a device
/// along one axis and could be had for less, in words; empty if there is none. Such are sums that
/// are a number, a position or one op on a position, and minima and maxima that are the same operand
/// on all devices.
std::string checkIndices(mlir::ModuleOp partitioned);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKINDICES_H
