//===- ReadParts.h - What slices read of a tensor ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where only slices at known places read a tensor, the elements between them are made, and sent,
// for nothing. The slices may then read a smaller tensor, in which what they read is joined:
//
//   rows 31..32 and 33..34 of 34x4   =   rows 0..1 and 1..2 of 2x4
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_READPARTS_H
#define SHARD_PARTITIONING_READPARTS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"

#include <optional>

namespace shard {

/// Elements [begin, end) of a dimension.
struct Interval {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

/// What is read of a tensor: in dimension `joined` the elements of `runs`, which are sorted and
/// apart from one another; in each other dimension those of `hull`.
struct ReadPart {
  llvm::SmallVector<Interval> hull;
  int64_t joined = 0;
  llvm::SmallVector<Interval> runs;

  int64_t numElements() const;
  /// Where element `place` of dimension `dim` lies among those that are read.
  int64_t placeOf(int64_t dim, int64_t place) const;
};

/// What the users of `value`, a tensor of static shape with users, read of it; nothing if one of
/// them is no slice at a known place. Dimensions in `whole` count as read whole.
std::optional<ReadPart> readPartOf(mlir::Value value,
                                   const llvm::SmallBitVector &whole);

/// The elements of `part` of `tensor`, which has other extents than the tensor of the part in the
/// dimensions in `whole`: all of those are taken.
mlir::Value takePart(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value tensor, const ReadPart &part,
                     const llvm::SmallBitVector &whole);

/// Lets the slices of `value` read `taken`, which holds the elements of `part` of it.
void readTaken(mlir::Value value, const ReadPart &part, mlir::Value taken);

} // namespace shard

#endif // SHARD_PARTITIONING_READPARTS_H
