//===- TensorModels.h - Groups of models of the tensor dialect --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_TENSORMODELS_H
#define SHARD_LIB_MODELS_TENSORMODELS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shard {

/// Ops that read or write one element. The tensor dialect must be loaded.
void attachElementModels(mlir::MLIRContext *context);
/// tensor.gather and tensor.scatter. The tensor dialect must be loaded.
void attachGatherModels(mlir::MLIRContext *context);
/// Casts and reshapes. The tensor dialect must be loaded.
void attachReshapeModels(mlir::MLIRContext *context);
/// Pads. The tensor dialect must be loaded.
void attachPadModel(mlir::MLIRContext *context);

/// Slices and concatenations. The tensor dialect must be loaded.
void attachSliceModels(mlir::MLIRContext *context);

/// The value whose sharding shard.shard and shard.constraint change into `value`.
mlir::Value beforeShardings(mlir::Value value);
/// Whether `op`, if there is one, states a sharding of its operands. The results of a manual
/// computation are stated by that op, whatever its body returns.
bool isHint(mlir::Operation *op);
/// Whether `op` has an attribute that may be a hint.
bool mayHaveHint(mlir::Operation *op);
/// What all elements of `tensor` are, if it is a constant, or a fill by one; else null. An array
/// of two numbers stands for a complex one.
mlir::Attribute splatElement(mlir::Value tensor);
/// The same for integers and floats.
mlir::TypedAttr splatNumber(mlir::Value tensor);
/// The element that `pad` puts around its source: an attribute if it is a constant, a
/// scalar that is defined outside of the op, or null.
mlir::OpFoldResult fillOfPad(mlir::tensor::PadOp pad);
/// Whether `pad` has an operand for each width that is not static. The verifier of the op
/// does not ask for that.
bool hasAllWidths(mlir::tensor::PadOp pad);
/// Replaces constants in the lists of a slice of a tensor of `type` by numbers: all of them, or
/// the sizes alone where the slice would reach beyond the tensor, which does not verify. Along
/// dimensions of unknown size offsets other than 0 stay, as they may turn out to do that. MLIR
/// folds casts of static sizes into such a slice and leaves its sizes as they are. Returns
/// whether there were any.
bool foldIntoBounds(mlir::RankedTensorType type,
                    llvm::SmallVector<mlir::OpFoldResult> &offsets,
                    llvm::SmallVector<mlir::OpFoldResult> &sizes,
                    llvm::SmallVector<mlir::OpFoldResult> &strides);
/// Writes the sizes of `op` that are constants into it and, unless `sizesOnly`, its offsets
/// and strides. Its type states the extents that follow, with a cast to the old one; it drops
/// the same dimensions and keeps its attributes. Returns whether there were any and the slice
/// lies in its tensor.
bool foldIntoSlice(mlir::tensor::ExtractSliceOp op, bool sizesOnly,
                   mlir::RewriterBase &rewriter);

/// What `op` unpacks after it was packed; null if that is another tensor, or may have other
/// extents: the destination of `op` says how much of the last tiles is taken.
mlir::Value unpackedAgain(mlir::linalg::UnPackOp op);

/// Whether all that the ops in `region` do is to compute numbers: they have no effects, and none
/// takes a tensor.
bool readsNoTensor(mlir::Region &region);

/// Whether the runtime adds up elements of `type` without another result than the one
/// that is not neutral.
bool isSummable(mlir::Type type);

} // namespace shard

#endif // SHARD_LIB_MODELS_TENSORMODELS_H
