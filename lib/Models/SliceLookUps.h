//===- SliceLookUps.h - Slices of few elements of a dimension ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a split dimension that a slice has one element of, one device has that element. It
// gives it, and the others give the neutral element of sums: the result is a partial sum. So
// it is with several elements at a place that only the run knows, which some devices have.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_SLICELOOKUPS_H
#define SHARD_MODELS_SLICELOOKUPS_H

#include "shard/Partitioning/PartitionContext.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shard {

/// Whether `op` looks up the elements that it has of dimension `dim` of its source: one, or
/// several next to each other at a place that is not known. The dimension has a known extent
/// above that. Slices that a loop takes one after another of a tensor in front of it are better
/// gathered at once, there. So are slices with more than half
/// of the elements of the source together, since a sum sends each element twice.
bool isLookUp(mlir::tensor::ExtractSliceOp op, int64_t dim);

/// Where the one element that a slice has of a dimension lies in the local tensor.
struct PlaceInBlock {
  /// The nearest place in it.
  mlir::Value nearest;
  /// Whether the block has the element.
  mlir::Value isInside;
};

/// The place of element `offset` of dimension `dim`, of `extent` elements, which `axes` split,
/// in the block `local` of this device. An offset that is out of range is moved into it.
PlaceInBlock placeInBlock(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::OpFoldResult offset, int64_t extent,
                          const AxisList &axes, mlir::Value local, int64_t dim,
                          const PartitionContext &context);

/// A tensor of type `type` that holds `slice` at `places`, and elsewhere the neutral element of
/// sums. Where `type` does not know an extent it is that of `extents`, or that of `slice` if there
/// is none.
mlir::Value inNeutral(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value slice, mlir::RankedTensorType type,
                      llvm::ArrayRef<mlir::OpFoldResult> places,
                      llvm::ArrayRef<mlir::OpFoldResult> extents);

/// `slice` on devices where `isInside` is true, elsewhere the neutral element of sums.
mlir::Value sliceOrNeutral(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value slice, mlir::Value isInside);

} // namespace shard

#endif // SHARD_MODELS_SLICELOOKUPS_H
