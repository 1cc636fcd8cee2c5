//===- ModelSupport.h - Writing sharding models in few lines ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most ops other than linalg's relate their dimensions one by one. Their models
// say so in one function, `describe(OpTy, MapBuilder &)`, from which loops and
// indexing maps are built; here is that base, and what several models use to
// build local ops.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_MODELSUPPORT_H
#define SHARD_LIB_MODELS_MODELSUPPORT_H

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/PartitionContext.h"

namespace shard {

/// Loops and maps under construction: a map is a list of expressions, one per
/// dimension, at first all constant (no loop: the dimension is not split).
class MapBuilder {
public:
  explicit MapBuilder(mlir::Operation *op);

  /// Adds a loop and returns the expression that stands for it.
  mlir::AffineExpr loop(const Loop &loop);
  mlir::AffineExpr loop(int64_t extent) { return loop(Loop::parallel(extent)); }

  /// The expressions of the dimensions of operand or result `index`; empty for
  /// what is not a ranked tensor.
  llvm::SmallVector<mlir::AffineExpr> &operand(unsigned index) {
    return exprs[index];
  }
  llvm::SmallVector<mlir::AffineExpr> &result(unsigned index) {
    return exprs[op->getNumOperands() + index];
  }

  llvm::SmallVector<mlir::AffineMap> maps() const;

  llvm::SmallVector<Loop> loops;

private:
  mlir::Operation *op;
  llvm::SmallVector<llvm::SmallVector<mlir::AffineExpr>> exprs;
  llvm::SmallVector<bool> isTensor;
};

/// The base of models with a function `void describe(OpTy, MapBuilder &) const`.
template <typename Model, typename OpTy>
struct DescribedModel : public ShardingInterface::ExternalModel<Model, OpTy> {
  llvm::SmallVector<Loop> getShardingLoops(mlir::Operation *op) const {
    MapBuilder maps(op);
    static_cast<const Model *>(this)->describe(llvm::cast<OpTy>(op), maps);
    return maps.loops;
  }
  llvm::SmallVector<mlir::AffineMap>
  getShardingMaps(mlir::Operation *op) const {
    MapBuilder maps(op);
    static_cast<const Model *>(this)->describe(llvm::cast<OpTy>(op), maps);
    return maps.maps();
  }
};

/// One loop for each dimension of result 0 alone.
void describeResult(mlir::Operation *op, MapBuilder &maps);

/// Relates the dimensions of two static shapes of the same elements: each group
/// of dimensions with equal products, cut where no smaller group exists, gets
/// the digits that both sides are made of (8x3 and 2x4x3: digits 2, 4, 3). Where
/// the digits of one side do not refine those of the other (6x4 and 4x6) the
/// dimensions get no loop. Does nothing for shapes that are dynamic or empty.
void describeReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
                     MapBuilder &maps,
                     llvm::SmallVectorImpl<mlir::AffineExpr> &fromExprs,
                     llvm::SmallVectorImpl<mlir::AffineExpr> &toExprs);

/// The local extents of a tensor that an op makes out of the global dynamic
/// ones, one per dynamic dimension of `type`: a split dynamic dimension must
/// divide evenly, checked at run time.
llvm::SmallVector<mlir::Value>
localExtents(mlir::OpBuilder &builder, mlir::Location loc,
             mlir::RankedTensorType type, mlir::ValueRange extents,
             const Grid &grid, const Sharding &sharding);

/// Clones `op` with `operands` and local result types, padding and all: for ops
/// without regions that neither mix elements nor stop the machine on some, which
/// MLIR does not say of them.
llvm::LogicalResult
partitionWithPadding(mlir::Operation *op, mlir::OpBuilder &builder,
                     llvm::ArrayRef<mlir::Value> operands,
                     PartitionContext &context,
                     llvm::SmallVectorImpl<mlir::Value> &results);

/// For ops whose operands say nothing about splits: every device makes the
/// whole of result 0 and keeps its block.
llvm::LogicalResult
partitionAsBlockOfWhole(mlir::Operation *op, mlir::OpBuilder &builder,
                        llvm::ArrayRef<mlir::Value> operands,
                        PartitionContext &context,
                        llvm::SmallVectorImpl<mlir::Value> &results);

/// Makes the index arguments of `body`, a block that computes the element of
/// `tensor` at these indices (arguments 0 to rank - 1), count globally: each
/// use becomes one of the argument plus the offset of the device's block. In the
/// padding of an uneven dimension the last valid index is repeated, so that the
/// body meets valid indices only. `type` is the global type, `extents` are the
/// local extents of its dynamic dimensions; `builder` stands before the op.
void globaliseIndexArguments(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Block &body, mlir::RankedTensorType type,
                             const Sharding &sharding, mlir::ValueRange extents,
                             const Emission &emission);

} // namespace shard

#endif // SHARD_LIB_MODELS_MODELSUPPORT_H
