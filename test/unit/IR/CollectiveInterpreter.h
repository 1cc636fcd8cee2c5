//===- CollectiveInterpreter.h - What collectives mean, as code -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a function of collectives on all devices of a grid, one op after another,
// in the plainest way: the reference that rewrites are compared with.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_UNIT_IR_COLLECTIVEINTERPRETER_H
#define SHARD_TEST_UNIT_IR_COLLECTIVEINTERPRETER_H

#include "shard/IR/ShardOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <vector>

namespace shard {

/// A tensor on one device; elements in row-major order, nothing where the
/// content is unspecified.
struct DeviceTensor {
  std::vector<int64_t> shape;
  std::vector<std::optional<double>> elements;
};

/// The same value on each device, by linear index.
using DistributedTensor = std::vector<DeviceTensor>;

/// The results of `function`, whose arguments hold small pseudo-random integers
/// that differ from device to device; nothing if an op is unknown.
std::optional<std::vector<DistributedTensor>>
interpret(mlir::func::FuncOp function);

/// Whether `refined` agrees with `original` wherever that is specified.
bool refines(const DistributedTensor &refined,
             const DistributedTensor &original);

} // namespace shard

#endif // SHARD_TEST_UNIT_IR_COLLECTIVEINTERPRETER_H
