//===- Registration.h - What a tool or a host registers ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler that embeds the project calls, in any order relative to MLIR's own
// registerAllDialects, registerAllExtensions and registerAllPasses:
//
//   mlir::DialectRegistry registry;
//   shard::registerShard(registry);   // dialect, models, lowering interfaces
//   shard::registerShardPasses();     // passes and pipelines
//
// LLVM has a dialect named `shard` and passes named `sharding-propagation` and
// `shard-partition` too. In a context made from `registry` the namespace
// `shard` is this project's; LLVM's dialect may stay in the registry but is
// never loaded. Running LLVM's own passes over it stops with an error of MLIR.
//
// A tool that wants the names of LLVM's passes for this project's passes, as
// shard-opt does, registers MLIR's passes by registerUpstreamPasses() and then
// calls registerShardPassesUnderUpstreamNames().
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PIPELINES_REGISTRATION_H
#define SHARD_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace shard {

/// Adds the dialect `shard` and everything attached to it and to MLIR's
/// dialects: sharding models, bufferization of the collectives.
void registerShard(mlir::DialectRegistry &registry);

/// Registers the project's passes and named pipelines under names that no pass
/// of MLIR 22 has: `shard-propagate`, `shard-spmdize`, ... Calling it twice
/// is harmless, and so is a later or earlier mlir::registerAllPasses().
void registerShardPasses();

/// Registers the same passes once more as `sharding-propagation` and
/// `shard-partition`, and `shard-convert-to-mpi` as `convert-shard-to-mpi`, unless the process has passes of these names already.
/// mlir::registerAllPasses() may not be called after it.
void registerShardPassesUnderUpstreamNames();

/// Adds MLIR's dialects, their extensions and external models.
void registerUpstreamDialects(mlir::DialectRegistry &registry);

/// Registers MLIR's passes and pipelines except the three that work on LLVM's
/// own `shard` dialect: `sharding-propagation`, `shard-partition` and
/// `convert-shard-to-mpi`.
void registerUpstreamPasses();

} // namespace shard

#endif // SHARD_PIPELINES_REGISTRATION_H
