//===- TensorSlices.h - Slices of tensors with and without elements -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops tensor.extract_slice and tensor.insert_slice with strides of 1, also of tensors
// without elements. MLIR's verifier rejects a slice at a known offset of a dimension of
// static extent 0, the slice of no elements at offset 0 included. Code that does not know
// the extents makes its slices by these functions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_TENSORSLICES_H
#define SHARD_IR_TENSORSLICES_H

#include "mlir/IR/Builders.h"

namespace shard {

/// The part of `tensor` of the extents `sizes` that begins at `offsets`.
mlir::Value sliceOf(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value tensor,
                    llvm::ArrayRef<mlir::OpFoldResult> offsets,
                    llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// The leading part of `tensor`, of the extents `sizes`.
mlir::Value leadingSlice(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tensor,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// `whole` with `part`, of the extents `sizes`, from `offsets` on.
mlir::Value insertionOf(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value part, mlir::Value whole,
                        llvm::ArrayRef<mlir::OpFoldResult> offsets,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes);

} // namespace shard

#endif // SHARD_IR_TENSORSLICES_H
