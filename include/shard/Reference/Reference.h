//===- Reference.h - The program of one device -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The single-device program that a partitioned one is compared with. Annotations,
// hints and grids are dropped. A manual computation has per-device semantics: its
// body is repeated for each device of the grid, and its collectives become
// arithmetic on the values of the devices.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_REFERENCE_REFERENCE_H
#define SHARD_REFERENCE_REFERENCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shard {

/// Whether an argument or a result of `function` has `shard.local`, as partition
/// writes it.
bool isPartitioned(mlir::func::FuncOp function);

/// Turns a program into that of one device: removes grids, annotations, hints and
/// groups, and replaces what each device does (manual computations, functions of an
/// SPMD program) by ops that compute it for all devices. Arguments and results of
/// SPMD functions get their global types. Reports what it cannot express.
mlir::LogicalResult dropShardings(mlir::ModuleOp module);

} // namespace shard

#endif // SHARD_REFERENCE_REFERENCE_H
