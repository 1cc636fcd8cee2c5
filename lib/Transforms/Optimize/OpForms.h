//===- OpForms.h - An op in front of a collective and behind it -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Let c be a collective that only moves elements: an all_gather, an all_to_all, a
// permute or a rotating shift. Every tensor t has two forms: `before` c, as t, and
// `behind` it, as c(t). An op f on tensors in one form may have a form f' on tensors in
// the other one, with c(f(t)) = f'(c(t)). It has one if
//
//   * f and what it takes are deterministic, and what has no two forms is the same on all
//     devices that c works on;
//   * for collectives that change types: one parallel loop of f indexes the dimension
//     that c joins (and another one that which it cuts) in every tensor that has two
//     forms, and no other dimension of any tensor.
//
// Let `full` be f on tensors that are whole in these dimensions. The form before c is the
// local op of `full`, as partition would make it where the axes of c split the first
// loop; the form behind c is `full` itself, or for an all_to_all the local op where the
// axes split the second loop. Widening an op to `full` is not known by any interface:
// the op is cloned with wider types, and taken only if it verifies and if partition
// makes the op again from it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_OPFORMS_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_OPFORMS_H

#include "Optimize/Replication.h"
#include "Optimize/Silence.h"
#include "shard/Geometry/Grid.h"
#include "shard/Interfaces/LoopTable.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <memory>

namespace shard {

/// The dimensions that the collective joins and cuts; -1 where it does neither.
struct MovedDims {
  int64_t joined = -1, cut = -1;

  bool operator==(const MovedDims &other) const {
    return joined == other.joined && cut == other.cut;
  }
};

/// A kind of collective: all of them differ only in what they move and in MovedDims. The
/// all_gathers whose group does not divide the joined dimension are of one kind if they
/// join blocks of one extent to a dimension of one extent.
struct MovingCollective {
  /// Nothing if `op` is no such collective, or if axes have no known size.
  static std::optional<MovingCollective>
  of(mlir::Operation *op, mlir::SymbolTableCollection &symbols);
  /// The dimensions of `op`, a collective of this kind.
  static MovedDims dimsOf(mlir::Operation *op);
  /// What all collectives of this kind have in common.
  mlir::Attribute key() const;

  bool isGather() const;
  /// Whether types before and behind it differ.
  bool retypes() const;
  /// Whether all blocks of the joined dimension have the same extent.
  bool isEven() const { return block * groupSize == whole; }
  /// The extent of the joined dimension of a tensor whose block has `extent`, as the
  /// collective makes it; nothing if it makes none.
  std::optional<int64_t> wholeOf(int64_t extent) const;
  /// The extent of a block of such a dimension.
  std::optional<int64_t> blockOf(int64_t extent) const;
  /// The types of a tensor in the two forms, one from the other; null where a dimension
  /// does not divide.
  mlir::RankedTensorType behind(mlir::RankedTensorType before,
                                MovedDims dims) const;
  mlir::RankedTensorType before(mlir::RankedTensorType behind,
                                MovedDims dims) const;
  /// The collective, of `value`.
  mlir::Value apply(mlir::OpBuilder &builder, mlir::Value value,
                    MovedDims dims) const;

  /// One op of this kind.
  mlir::Operation *like = nullptr;
  GridOp gridOp;
  mlir::FlatSymbolRefAttr grid;
  Grid sizes;
  AxisList axes;
  int64_t groupSize = 1;
  /// The extents of a block and of the whole of the dimension that `like` joins.
  int64_t block = 0, whole = 0;
};

class OpForms {
public:
  /// `op` is in the form behind the collective if `isBehind`, else before it. With
  /// `widensUnits` a dimension of one element in front of the one that a loop indexes
  /// first is widened instead of it: a block of tensor<4x8xf32> by rows is 1x8, and as
  /// good a block of 1x32.
  OpForms(mlir::Operation *op, const MovingCollective &collective,
          Replication &replication, bool isBehind, bool widensUnits = false)
      : op(op), collective(collective), replication(replication),
        isBehind(isBehind), widensUnits(widensUnits) {}

  /// Whether there is another form in which `dims` of the operand or result `index`
  /// are those that the collective moves. `hasBoth` tells of operands whether they
  /// come in both forms. Must be true before anything else is asked.
  bool find(bool isResult, unsigned index, MovedDims dims,
            llvm::function_ref<bool(mlir::Value)> hasBoth);

  /// The dimensions of the operands and results that come in both forms. Other operands
  /// are the same in both, or made again for the other form.
  llvm::SmallVector<std::optional<MovedDims>, 4> operands;
  llvm::SmallVector<std::optional<MovedDims>, 1> results;
  /// In seconds; of both forms.
  double secondsHere = 0, secondsThere = 0;

  /// Builds the other form. `operand(i)` is operand i in it, for operands with two
  /// forms. Fails where a model does.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  build(mlir::OpBuilder &builder,
        llvm::function_ref<mlir::Value(unsigned)> operand) const;

private:
  bool isSame(mlir::Value value) const;
  bool takesSameElsewhere() const;
  bool movedDimsOf(const LoopTable &table, bool isResult, unsigned index,
                   std::optional<MovedDims> &dims) const;
  bool findDims(const LoopTable &table);
  mlir::Operation *makeFull(mlir::OpBuilder &builder) const;
  bool widensTo(mlir::Operation *full) const;
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  partition(mlir::OpBuilder &builder, mlir::Operation *full, bool behind,
            llvm::ArrayRef<mlir::Value> operands) const;
  mlir::Value madeOperand(mlir::OpBuilder &builder, unsigned index) const;
  bool tryBuild();

  mlir::Operation *op;
  const MovingCollective &collective;
  Replication &replication;
  bool isBehind;
  bool widensUnits;
  bool knownIsResult = false;
  unsigned knownIndex = 0;
  MovedDims knownDims;
  /// The dimensions of operands that are made again for the other form: by another
  /// creator, or by slicing.
  llvm::SmallVector<std::optional<MovedDims>, 4> made;
  llvm::SmallVector<std::shared_ptr<OpForms>, 4> creators;
  /// The loops that the axes split in the forms before and behind.
  ShardingOption loopsBefore, loopsBehind;
  unsigned depth = 0;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_OPFORMS_H
