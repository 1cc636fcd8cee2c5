//===- ImportMesh.h - Reads programs of the mesh dialect --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 18 to 20 had this dialect's ancestor under the name `mesh`. Its text is
// rewritten, line by line, into that of `shard`:
//
//   mesh.cluster, mesh.mesh              shard.grid
//   mesh.mesh_shape, mesh.cluster_shape  shard.grid_shape
//   mesh.shard %x to <@m, [[0]]>         shard.sharding and shard.shard
//   mesh.OP, mesh_axes, reduction = <k>  shard.OP, grid_axes, reduction = k
//
// The forms of the RFC that proposed the dialect are read too (docs/Moving.md).
//
// The custom form is read, not the generic one.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_IMPORTMESH_H
#define SHARD_IR_IMPORTMESH_H

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"

#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace mlir {
class MLIRContext;
class Operation;
} // namespace mlir

namespace shard {

/// The text of the `mesh` program `text` in the `shard` dialect, with the same
/// lines. On failure calls `emitError` once, with the offset in `text` and what is
/// wrong.
llvm::FailureOr<std::string> rewriteMeshText(
    llvm::StringRef text,
    llvm::function_ref<void(size_t, const llvm::Twine &)> emitError);

/// Parses and verifies the `mesh` program of the main buffer of `source`, a
/// module; null after an error, which has been emitted.
mlir::OwningOpRef<mlir::Operation *> importMesh(llvm::SourceMgr &source,
                                                mlir::MLIRContext *context);

} // namespace shard

#endif // SHARD_IR_IMPORTMESH_H
