//===- RegionLoopsInterface.h - Loops that follow from a region -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of ops whose loop tables come from what their region does with
// tensors that its iterations share.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_INTERFACES_REGIONLOOPSINTERFACE_H
#define SHARD_INTERFACES_REGIONLOOPSINTERFACE_H

#include "shard/Interfaces/LoopTable.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "shard/Interfaces/RegionLoopsInterface.h.inc"

namespace shard {

/// `op` if it has the interface and `hasRegionLoops` holds, else null.
RegionLoopsInterface asRegionLoops(mlir::Operation *op);

/// The sharding of the one operand of `table` that fits `target`, the sharding of result 0:
/// the axes of the dimensions that share a loop.
Sharding operandFor(const LoopTable &table, const Sharding &target);

} // namespace shard

#endif // SHARD_INTERFACES_REGIONLOOPSINTERFACE_H
