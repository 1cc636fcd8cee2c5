//===- TensorShapes.h - Tensor types as the planner takes them --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_TENSORSHAPES_H
#define SHARD_PARTITIONING_TENSORSHAPES_H

#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>
#include <vector>

namespace shard {

/// The size of one element of `type` in bytes, as communicated and stored: bits
/// rounded up to bytes, index as 8.
int64_t elementBytes(mlir::RankedTensorType type);

/// The shape of `type` as Geometry and the planner take it.
std::vector<int64_t> shapeOf(mlir::RankedTensorType type);

} // namespace shard

#endif // SHARD_PARTITIONING_TENSORSHAPES_H
