//===- HaloWindows.h - The windows of an exchange of halos ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute "shard.windows" of shard.update_halo tells what devices read of the
// dimensions, so that nothing else is sent; elements of halos that a device does not read
// keep the values of the destination or become those of the neighbour. It has a list for
// each dimension:
//
//   shard.windows = [array<i64: 28, 2, 0, 1, 0, 56>, array<i64: 9, 1, 0, 3, 0, 9, 2>, array<i64>]
//
// The numbers are iterations, stride, offset, reach, first and size, and a step of 1 where
// there is no seventh one. The iterations of a loop are split like the dimension;
// iteration i reads those of the elements first, first + step, ... in front of first + size
// that lie in [stride * i + offset, stride * i + offset + reach). Of a dimension without
// numbers, and of one behind the last list, the block with its halos is read. A pass may
// drop the attribute: then all is sent. A step is stated where the elements between have
// one value, which the destination has in its halos already.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_HALOWINDOWS_H
#define SHARD_IR_HALOWINDOWS_H

#include "shard/Geometry/HaloReads.h"
#include "shard/IR/ShardOps.h"

namespace shard {

constexpr llvm::StringLiteral kWindowsAttrName = "shard.windows";

/// For each dimension of the tensor what is read of it, or nothing: all. Empty without
/// windows.
using HaloWindows = llvm::SmallVector<std::optional<WindowReads>>;

HaloWindows getWindows(UpdateHaloOp op);
/// Windows with numbers that the attribute does not take are not set.
void setWindows(UpdateHaloOp op, const HaloWindows &windows);

/// Whether `attribute`, kWindowsAttrName of `op`, is as it should be.
mlir::LogicalResult
verifyWindows(mlir::Operation *op, mlir::Attribute attribute,
              llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace shard

#endif // SHARD_IR_HALOWINDOWS_H
