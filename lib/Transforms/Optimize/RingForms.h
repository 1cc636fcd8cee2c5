//===- RingForms.h - A collective and an op as a ring -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op beside an all_gather or a reduce_scatter over k devices, as k parts of the op with
// k - 1 rotating shifts by one place between them. Step s works on block
// q = (p - s) mod k of one loop of the op, where p is the position of the device:
//
//   Parallel   all_gather of an operand along a parallel loop. The operand's block travels,
//              part q of the results is written in place.
//   Reduction  all_gather of an operand along a reduction loop. The operand's block
//              travels, each part adds to the results.
//   Scatter    reduce_scatter (sum) of the result along a parallel loop. The sum of block
//              (p - 1 - s) mod k travels, each device adds its part; the last one is
//              its own.
//
// Each shift runs beside the part of its step (shard.wait). The bytes are those of the
// collective: k - 1 blocks.
//
// Source: S. Wang et al., "Overlap Communication with Dependent Computation via
// Decomposition in Large Deep Learning Models" (ASPLOS 2023); Y. Xu et al., "GSPMD"
// (arXiv 2105.04663).
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_RINGFORMS_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_RINGFORMS_H

#include "Optimize/OpInParts.h"
#include "Optimize/Replication.h"

namespace shard {

struct RingForm {
  enum class Kind { Parallel, Reduction, Scatter };

  /// The form of `collective` and the op that takes or makes its tensor; nothing if there
  /// is none. Sums and products of floats are combined in another order only if
  /// `reorderSums`. The collective and the op are in one block.
  static std::optional<RingForm> of(mlir::Operation *collective,
                                    mlir::SymbolTableCollection &symbols,
                                    Replication &replication, bool reorderSums);

  /// Equal for forms that differ in the values of their operands alone.
  mlir::Attribute key() const;

  /// Replaces the collective and the op, and erases them.
  void build() const;

  Kind kind = Kind::Parallel;
  mlir::Operation *collective = nullptr, *op = nullptr;
  /// The operand of the op that is gathered.
  unsigned gathered = 0;
  /// The op, cut for the devices of the collective's groups.
  OpInParts cut;
  int64_t groupSize = 1;

private:
  bool mayReorder(Replication &replication, bool reorderSums) const;
  mlir::Value shifted(mlir::OpBuilder &builder, mlir::Value value) const;
  /// The first elements of the block that comes from `steps` places in front, by the
  /// number of elements of a block.
  struct Place {
    Place(mlir::Value position, int64_t steps)
        : position(position), steps(steps) {}

    mlir::Value position;
    int64_t steps;
    llvm::SmallDenseMap<int64_t, mlir::Value, 2> offsets;
  };
  mlir::Value offsetOf(mlir::OpBuilder &builder, Place &place,
                       int64_t extent) const;
  llvm::SmallVector<mlir::Value> operandsAt(mlir::OpBuilder &builder,
                                            Place &place,
                                            mlir::ValueRange inits) const;
  void buildGathered(mlir::OpBuilder &builder) const;
  void buildScattered(mlir::OpBuilder &builder) const;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_RINGFORMS_H
