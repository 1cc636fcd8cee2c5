//===- TosaModels.h - Groups of models of the tosa dialect ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_TOSAMODELS_H
#define SHARD_LIB_MODELS_TOSAMODELS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace shard {

/// Ops that move elements or search for them. The tosa dialect must be loaded.
void attachTosaMoveModels(mlir::MLIRContext *context);

} // namespace shard

#endif // SHARD_LIB_MODELS_TOSAMODELS_H
