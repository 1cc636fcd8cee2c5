//===- Conversion.h - From collectives to runtime calls ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a partitioned program gets to LLVM:
//
//   shard-legalize-elements       collectives on elements that the runtime lacks
//                                 -> others
//   one-shot-bufferize            collectives on tensors -> runtime calls, by
//                                 the models registered here
//   any passes on buffers
//   convert-shard-to-runtime      the rest of the dialect; or, for calls of MPI instead
//   convert-shard-to-mpi          of the runtime, this
//   any passes on arith, cf, func, memref, scf ... to LLVM
//
// A program is linked with, or its JIT given the symbols of, a back end of
// shard/Runtime/Runtime.h.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_CONVERSION_CONVERSION_H
#define SHARD_CONVERSION_CONVERSION_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace shard {

/// Attaches BufferizableOpInterface to the collectives. Results are fresh
/// buffers that alias no input; update_halo works in place on its destination,
/// and the result of send is its input.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

/// Fails, with an error at the place, unless `module` is partitioned: it has no
/// annotation, hint or manual computation. Pass shard-verify-partitioned as a
/// function.
mlir::LogicalResult verifyPartitioned(mlir::ModuleOp module);

/// Reductions on tensors with a region become an all_gather and ops of linalg. Pass
/// shard-expand-combiners as a function.
mlir::LogicalResult expandCombiners(mlir::ModuleOp module);

/// Collectives on tensors whose elements the runtime does not know become others; fails,
/// with an error at the op, where there are none. Pass shard-legalize-elements as a
/// function.
mlir::LogicalResult legalizeElements(mlir::ModuleOp module);

/// Pass convert-shard-to-runtime as a function; on failure at least one error
/// has been emitted.
mlir::LogicalResult convertShardToRuntime(mlir::ModuleOp module);

/// Pass convert-shard-to-mpi as a function: in the place of convertShardToRuntime(). On
/// failure at least one error has been emitted.
mlir::LogicalResult convertShardToMPI(mlir::ModuleOp module);

/// Adds what turns a bufferized program into one without the dialects shard and
/// bufferization. For a pass manager on modules, behind the passes that insert
/// deallocations. With `mpi`, messages of LLVM's dialect
/// of that name take the place of the runtime.
void buildShardToRuntimePipeline(mlir::OpPassManager &manager,
                                 bool mpi = false);

} // namespace shard

#endif // SHARD_CONVERSION_CONVERSION_H
