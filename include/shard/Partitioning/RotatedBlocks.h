//===- RotatedBlocks.h - Blocks that travel around a ring ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The devices of a group of k stand in a ring. A block that each device passes on to the
// next one comes, after s steps, from the device that stands s places in front: the one
// at position p then has block (p - s) mod k.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_ROTATEDBLOCKS_H
#define SHARD_PARTITIONING_ROTATEDBLOCKS_H

#include "shard/Geometry/Grid.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace shard {

/// The position of this device in its group along `axes`; `grid` has known sizes.
mlir::Value positionInGroup(mlir::OpBuilder &builder, mlir::Location loc,
                            const Grid &grid,
                            mlir::FlatSymbolRefAttr gridSymbol,
                            const AxisList &axes);

/// The first element of block (position - steps) mod `size`, of `extent` elements each, in
/// a group of `size` devices. `steps` is not negative.
mlir::Value rotatedOffset(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value position, int64_t size, int64_t steps,
                          int64_t extent);

/// The `extent` elements from `offset` on of dimension `dim` of `tensor`, of static shape.
mlir::Value sliceBlock(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value tensor, int64_t dim, mlir::Value offset,
                       int64_t extent);

/// `tensor` with `block` in place of the elements from `offset` on of dimension `dim`.
mlir::Value insertBlock(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value tensor, mlir::Value block, int64_t dim,
                        mlir::Value offset);

/// A tensor of the static type `type` whose elements are not specified.
mlir::Value unspecifiedTensor(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::RankedTensorType type);

/// The sums of the elements of two tensors of floats or integers.
mlir::Value sumOfTensors(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value a, mlir::Value b);

} // namespace shard

#endif // SHARD_PARTITIONING_ROTATEDBLOCKS_H
