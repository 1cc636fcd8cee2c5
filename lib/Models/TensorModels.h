//===- TensorModels.h - Groups of models of the tensor dialect --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_TENSORMODELS_H
#define SHARD_LIB_MODELS_TENSORMODELS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace shard {

/// Ops that read or write one element. The tensor dialect must be loaded.
void attachElementModels(mlir::MLIRContext *context);
/// Casts and reshapes. The tensor dialect must be loaded.
void attachReshapeModels(mlir::MLIRContext *context);
/// Slices, pads and concatenations. The tensor dialect must be loaded.
void attachSliceModels(mlir::MLIRContext *context);

} // namespace shard

#endif // SHARD_LIB_MODELS_TENSORMODELS_H
