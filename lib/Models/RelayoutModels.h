//===- RelayoutModels.h - linalg ops outside of its interface ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_RELAYOUTMODELS_H
#define SHARD_LIB_MODELS_RELAYOUTMODELS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace shard {

/// linalg.pack, linalg.unpack and linalg.softmax. The linalg dialect must be
/// loaded.
void attachRelayoutModels(mlir::MLIRContext *context);

/// linalg.softmax alone; attachRelayoutModels does it.
void attachSoftmaxModel(mlir::MLIRContext *context);

} // namespace shard

#endif // SHARD_LIB_MODELS_RELAYOUTMODELS_H
