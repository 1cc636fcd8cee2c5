//===- PartitionContext.h - What building a local op needs ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handed to ShardingInterface::partition: the grid, the op's shardings, and
// builders for what differs between devices. All index values are computed from
// the process index ops alone.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_PARTITIONCONTEXT_H
#define SHARD_PARTITIONING_PARTITIONCONTEXT_H

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/Emitter.h"

#include "mlir/IR/OpDefinition.h"

namespace shard {

/// How many iterations more a device computes than its block has, at both ends.
struct Growth {
  int64_t low = 0, high = 0;

  bool isNone() const { return low == 0 && high == 0; }
};

/// What a device has of the window that it reads, where its other elements are unspecified:
/// `value`, with an offset and an extent in each dimension of the window.
struct WindowPiece {
  mlir::Value value;
  llvm::SmallVector<mlir::OpFoldResult> to, sizes;
};

class PartitionContext {
public:
  PartitionContext(const Emission &emission, const LoopTable &table,
                   const ShardingOption &option)
      : emission(emission), grid(emission.grid), table(table), option(option) {}

  const Emission &emission;
  const Grid &grid;
  const LoopTable &table;
  const ShardingOption &option;
  /// By loop, or empty: iterations of the neighbours that this device computes too, so
  /// that what reads their results needs no exchange of halos.
  llvm::SmallVector<Growth> grown;
  /// By operand, or empty: what its window is made of, for models that have a place of their
  /// own for it. No value where the window is not made of one piece.
  llvm::SmallVector<WindowPiece, 1> pieces;

  Growth growthOf(unsigned loop) const {
    return grown.empty() ? Growth() : grown[loop];
  }
  /// Whether a loop that indexes operand `index` grows.
  bool readsGrown(unsigned index) const;

  Sharding operand(unsigned index) const {
    return operandSharding(table, index, option);
  }
  Sharding result(unsigned index) const {
    return resultSharding(table, index, option);
  }
  /// The local type of `type` under result `index`'s sharding; other types are
  /// returned unchanged.
  mlir::Type localResultType(mlir::Type type, unsigned index) const;

  /// The first element that the iterations of device 0 read of dimension `dim` of operand
  /// `index`, over which a split loop slides: a window begins as many elements further
  /// as the device's iterations are further.
  int64_t windowStart(unsigned index, unsigned dim) const;

  /// Whether the axes of `loop` cut it into blocks that have padding. Those of dynamic
  /// extents have none.
  bool isUneven(unsigned loop) const;
  /// Whether the op takes or makes partial values, so that a device computes with summands.
  bool computesSummands() const;

  /// The global indices of `loop` that this device iterates over; the local
  /// extent of a dynamic loop is read off `operands`, the local operands.
  DynamicBlock loopBlock(mlir::OpBuilder &builder, mlir::Location loc,
                         unsigned loop,
                         llvm::ArrayRef<mlir::Value> operands) const;
};

/// An i1 that is true on the devices whose coordinates on `axes` are all 0.
mlir::Value isFirstOf(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::FlatSymbolRefAttr gridSymbol, const AxisList &axes);

/// The extent of dimension `dim` of `tensor`, and of `index` and `number` the sum, as
/// values.
mlir::Value extentOf(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value tensor, int64_t dim);
mlir::Value sumOf(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value index, int64_t number);

/// How many elements `iterations` consecutive iterations of a loop with `window` span.
mlir::Value spanOfIterations(mlir::OpBuilder &builder, mlir::Location loc,
                             const Window &window, mlir::Value iterations);

/// The run-time extent of a dimension that `axes` cut into blocks, of which this device
/// has one of `localExtent` elements: a product where blocks are equal by contract, else
/// an all_reduce, so that all devices of the group must get here.
mlir::Value wholeExtent(mlir::OpBuilder &builder, mlir::Location loc,
                        const Grid &grid, mlir::FlatSymbolRefAttr gridSymbol,
                        mlir::Value localExtent, const AxisList &axes);

/// ceil(extent / parts), at run time.
mlir::Value widthOfBlocks(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value extent, int64_t parts);

/// The block of this device of a dimension of the run-time extent `extent`, which `axes`
/// need not divide.
DynamicBlock blockOfWhole(mlir::OpBuilder &builder, mlir::Location loc,
                          const Grid &grid, mlir::FlatSymbolRefAttr gridSymbol,
                          mlir::Value extent, const AxisList &axes);

/// The valid global indices of the block of a dimension of `extent` split by
/// `axes`, on the device that runs the code. For a dynamic extent give the
/// local one as `localExtent`: blocks are then equal by contract, or
/// the others' extents are asked for (wholeExtent).
DynamicBlock blockOf(mlir::OpBuilder &builder, mlir::Location loc,
                     const Grid &grid, mlir::FlatSymbolRefAttr gridSymbol,
                     int64_t extent, const AxisList &axes,
                     mlir::Value localExtent = {});

/// Where what is built now dominates all that is built later, at the end of the entry block of a
/// function: the indices that are known there. Null elsewhere.
KnownIndices *knownAt(mlir::OpBuilder &builder, const Emission &emission);

/// The same for a known extent, and a constant. Where indices are known they are built once.
DynamicBlock sharedBlockOf(mlir::OpBuilder &builder, mlir::Location loc,
                           const Emission &emission, int64_t extent,
                           const AxisList &axes);
mlir::Value sharedConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           const Emission &emission, int64_t number);

} // namespace shard

#endif // SHARD_PARTITIONING_PARTITIONCONTEXT_H
