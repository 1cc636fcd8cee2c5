//===- RaggedSteps.h - Steps on blocks of unequal extents -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a grid with `unevenDynamic` the blocks of a dynamic dimension are *ragged*: each
// device has its valid elements only. Collectives take blocks of one shape. So a step
// pads the blocks to the extent of the largest one, and cuts the result to the
// elements that are valid:
//
//     all_gather of 3, 3, 3, 1 elements over 4 devices
//       whole    all_reduce of the local extents: 10
//       pad      each block to ceil(10 / 4) = 3 elements
//       gather   12 elements
//       cut      the first 10
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PARTITIONING_RAGGEDSTEPS_H
#define SHARD_LIB_PARTITIONING_RAGGEDSTEPS_H

#include "shard/Partitioning/Emitter.h"
#include "shard/Partitioning/PartitionContext.h"

namespace shard {

/// The dynamic dimensions of a tensor on its way through the steps of a plan.
class RaggedTensor {
public:
  /// `local` is the device's block of a tensor of `type` under `from`.
  RaggedTensor(mlir::OpBuilder &builder, mlir::Location loc,
               const Emission &emission, mlir::RankedTensorType type,
               mlir::Value local, const Sharding &from)
      : builder(builder), loc(loc), emission(emission), type(type),
        local(local), from(from), wholes(type.getRank()) {}

  /// The block of this device of dimension `dim` if `axes` split it.
  DynamicBlock blockOf(int64_t dim, const AxisList &axes);

  /// `block`, the operand of `step`, with room for what a collective on blocks of one
  /// shape needs.
  mlir::Value padded(const Step &step, const Sharding &before,
                     mlir::Value block);
  /// The valid elements of `result`, what that collective makes of it.
  mlir::Value valid(const Step &step, const Sharding &before,
                    mlir::Value result);

  /// Notes for reshards to come what is known of `result`, the block under `to` behind all
  /// steps.
  void rememberExtents(mlir::Value result, const Sharding &to) const;

private:
  /// Whether the step changes what a device has of dimension `dim`.
  bool changes(const Step &step, const Sharding &before, int64_t dim) const;
  /// The extent of the whole dimension.
  mlir::Value wholeOf(int64_t dim);
  /// The extent of the largest block of dimension `dim` if `axes` split it.
  mlir::Value widthOf(int64_t dim, const AxisList &axes);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const Emission &emission;
  mlir::RankedTensorType type;
  mlir::Value local;
  const Sharding &from;
  llvm::SmallVector<mlir::Value> wholes;
};

} // namespace shard

#endif // SHARD_LIB_PARTITIONING_RAGGEDSTEPS_H
