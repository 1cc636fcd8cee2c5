//===- OpInParts.h - An op cut along one of its loops -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One op becomes several ops of its kind, each of which does an equal part of the
// iterations of one loop. The op's loop table tells which blocks of the operands and
// results belong to a part, and its model makes the part, as for one device of a group of
// so many: one form for all ops that have a model.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_OPINPARTS_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_OPINPARTS_H

#include "shard/Geometry/Grid.h"
#include "shard/Interfaces/LoopTable.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace shard {

/// Whether sums of elements of `type` may be rounded after each summand: those of narrow
/// floats are kept in wider ones until the end where it is possible.
bool mayRoundEach(mlir::Type type);

/// `type` with one of `parts` equal parts of the elements of `dim`; as it is if `dim` is
/// -1.
mlir::RankedTensorType partType(mlir::Type type, int64_t dim, int64_t parts);

struct OpInParts {
  /// A group of devices that stands for the parts: one for each.
  struct Group {
    mlir::FlatSymbolRefAttr grid;
    Grid sizes;
    AxisList axes;

    int64_t parts() const { return sizes.groupSize(axes); }
  };

  /// A dimension of an operand or of a result of an op.
  struct Dim {
    bool isResult = false;
    unsigned number = 0;
    int64_t dim = 0;
  };

  /// `op` cut along the loop that alone indexes the dimension `along`. Nothing if the op
  /// is more than loops on static shapes, if its model does not say that it does the same
  /// to all elements (`isPointwise`), or if a part is not one op of the same kind. The
  /// loop of an operand may be a reduction: each part then adds to the results.
  static std::optional<OpInParts> of(mlir::Operation *op, Dim along,
                                     const Group &group);

  /// Whether the loop is a reduction.
  bool sums() const {
    return llvm::all_of(resultDims, [](int64_t dim) { return dim < 0; });
  }

  /// The number of the result that the destination `operand` belongs to.
  unsigned resultOfInit(unsigned operand) const {
    return operand - table.firstInit;
  }
  /// The destination of `result`; null if the op has none.
  mlir::Value initOf(mlir::OpResult result) const;

  /// One part, of blocks in place of the operands that are cut.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  build(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Value> operands) const;

  /// Any block along `dim` of `value`, which a creator makes of equal elements: made
  /// alone. Null if it is not made so.
  mlir::Value createdBlock(mlir::OpBuilder &builder, mlir::Value value,
                           int64_t dim) const;

  mlir::Operation *op = nullptr;
  Group group;
  LoopTable table;
  /// The axes of the group split the loop.
  ShardingOption option;
  /// The dimension of each operand and result that this loop indexes, -1 where none.
  llvm::SmallVector<int64_t, 4> operandDims, resultDims;

private:
  bool findLoop(const TensorLoops &tensor, int64_t dim);
  bool findDims();
  bool isOnePart() const;
};

/// Erases the creators of `values` that nothing needs any more, and what they take.
void eraseUnusedCreators(llvm::SmallVector<mlir::Value> values);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_OPINPARTS_H
