//===- Transforms.h - Program transformations as functions ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes do, for callers that are not pass pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TRANSFORMS_TRANSFORMS_H
#define SHARD_TRANSFORMS_TRANSFORMS_H

#include "shard/Propagation/Options.h"

#include "mlir/IR/BuiltinOps.h"

namespace shard {

struct PropagationExplanation;

/// Propagates the hints in `root`, a module or a function, and writes the
/// result into the IR (pass `sharding-propagation`). Errors are emitted. If
/// `explanation` is given, it receives the reasons for the result.
///
/// Import: calls get callees of their own, hints on ops become hints on values,
/// bodies of manual computations get what they take from outside as operands,
/// constants are made for each user. Export: constants and functions with equal
/// results are merged, the result replaces the hints. Each step is also a pass.
llvm::LogicalResult
annotateShardings(mlir::Operation *root, const PropagationOptions &options = {},
                  PropagationExplanation *explanation = nullptr);

/// Makes hints of the shardings that stand as encodings of tensor types in `root`
/// (pass `shard-read-encodings`), and takes them out of the types. Errors are
/// emitted.
llvm::LogicalResult readEncodings(mlir::Operation *root);

struct PartitionOptions {
  /// Arguments arrive whole on every device and are sliced inside.
  bool globalArguments = false;
};

/// Makes `root`, an annotated module or function, the program of one device
/// (pass `shard-partition`). Errors are emitted; the IR is then of no use.
llvm::LogicalResult partitionProgram(mlir::Operation *root,
                                     const PartitionOptions &options = {});

/// Checks that in `root`, a partitioned module or function, all devices of each
/// group reach the same collectives in the same order (pass
/// `shard-verify-spmd`). Each collective that some devices may miss is an error.
llvm::LogicalResult verifySpmd(mlir::Operation *root);

/// Writes on each collective of `module`, a partitioned program, the physical devices of
/// its groups (pass `shard-assign-groups`), after an order of the devices for nodes of
/// `devicesPerNode`, if that is not 0. Errors are emitted.
llvm::LogicalResult assignGroups(mlir::ModuleOp module,
                                 int64_t devicesPerNode = 0);

} // namespace shard

#endif // SHARD_TRANSFORMS_TRANSFORMS_H
