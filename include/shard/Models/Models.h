//===- Models.h - Sharding models of upstream dialects ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// External models of ShardingInterface, one file per kind of op. They attach
// when the op's dialect is loaded, so registering costs nothing for dialects
// that a program does not use.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_MODELS_H
#define SHARD_MODELS_MODELS_H

#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class MLIRContext;
} // namespace mlir

namespace shard {

/// arith and math ops that are elementwise by trait, and arith.constant.
void registerArithModels(mlir::DialectRegistry &registry);
/// Tensor ops of the bufferization dialect.
void registerBufferizationModels(mlir::DialectRegistry &registry);
/// Collectives of the shard dialect, as they stand in manual computations.
void registerCollectiveModels(mlir::DialectRegistry &registry);
/// Every linalg op with LLVM's LinalgOp interface, softmax, pack and unpack.
void registerLinalgModels(mlir::DialectRegistry &registry);
/// Loads and stores of globals.
void registerMLProgramModels(mlir::DialectRegistry &registry);
/// scf.forall, by RegionLoopsInterface. Other ops of scf need no model: tensors
/// flow through them along edges that MLIR's interfaces tell.
void registerScfModels(mlir::DialectRegistry &registry);
/// Ops of the tensor dialect.
void registerTensorModels(mlir::DialectRegistry &registry);

/// The common ops of tosa; the others are replicated unless they are lowered
/// first.
void registerTosaModels(mlir::DialectRegistry &registry);

/// All of the above.
void registerAllModels(mlir::DialectRegistry &registry);

/// The names of the ops with a sharding model, of the dialects that `context`
/// has loaded, sorted: e.g. "arith.addf", ..., "tensor.splat". All other ops are
/// replicated, unless partition treats them itself (control flow, calls).
std::vector<std::string> modelledOps(mlir::MLIRContext &context);

} // namespace shard

#endif // SHARD_MODELS_MODELS_H
