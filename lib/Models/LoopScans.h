//===- LoopScans.h - Scans that are written as loops over slices ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_LOOPSCANS_H
#define SHARD_LIB_MODELS_LOOPSCANS_H

#include "mlir/IR/OpDefinition.h"

#include <string>

namespace shard {

/// Whether `value` is in `region`. An op without a model may have moved to the program of a
/// device, whose regions have no op yet.
bool isIn(mlir::Value value, mlir::Region &region);

/// What a user could write instead, if `slice` reads the slice at `offset` of a
/// dimension and a loop around it goes along that dimension and carries a value that
/// it computes from the slices before. Empty otherwise.
std::string adviceOnLoopScan(mlir::Operation *slice, mlir::OpFoldResult offset);

/// The same of a tensor.extract_slice, which may also be a part of a tensor.pad.
std::string adviceOnSlice(mlir::Operation *slice, mlir::OpFoldResult offset);

} // namespace shard

#endif // SHARD_LIB_MODELS_LOOPSCANS_H
