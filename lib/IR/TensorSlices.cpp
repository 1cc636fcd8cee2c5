//===- TensorSlices.cpp - Slices of tensors with and without elements -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/TensorSlices.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

static bool isEmpty(Value tensor) {
  return llvm::is_contained(cast<RankedTensorType>(tensor.getType()).getShape(),
                            0);
}

Value sliceOf(OpBuilder &builder, Location loc, Value tensor,
              ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  if (isEmpty(tensor)) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return tensor::EmptyOp::create(builder, loc, sizes, type.getElementType(),
                                   type.getEncoding());
  }
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, tensor, offsets, sizes,
                                        ones);
}

Value leadingSlice(OpBuilder &builder, Location loc, Value tensor,
                   ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0));
  return sliceOf(builder, loc, tensor, zeros, sizes);
}

Value insertionOf(OpBuilder &builder, Location loc, Value part, Value whole,
                  ArrayRef<OpFoldResult> offsets,
                  ArrayRef<OpFoldResult> sizes) {
  if (isEmpty(whole))
    return whole;
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return tensor::InsertSliceOp::create(builder, loc, part, whole, offsets,
                                       sizes, ones);
}

} // namespace shard
