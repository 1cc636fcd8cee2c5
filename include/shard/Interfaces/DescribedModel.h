//===- DescribedModel.h - Writing sharding models in few lines --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most ops relate single dimensions of their tensors to each other. Their models
// define one function, `describe(OpTy, MapBuilder &)`, from which loops and indexing
// maps are built. docs/Models.md has an example.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_INTERFACES_DESCRIBEDMODEL_H
#define SHARD_INTERFACES_DESCRIBEDMODEL_H

#include "shard/Interfaces/ShardingInterface.h"

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
  LoopsAndMaps getLoopsAndMaps(mlir::Operation *op) const {
    MapBuilder maps(op);
    describeOp(op, maps);
    llvm::SmallVector<mlir::AffineMap> list = maps.maps();
    return {std::move(maps.loops), std::move(list)};
  }
  llvm::SmallVector<Loop> getShardingLoops(mlir::Operation *op) const {
    MapBuilder maps(op);
    describeOp(op, maps);
    return maps.loops;
  }
  llvm::SmallVector<mlir::AffineMap>
  getShardingMaps(mlir::Operation *op) const {
    return getLoopsAndMaps(op).maps;
  }

private:
  void describeOp(mlir::Operation *op, MapBuilder &maps) const {
    static_cast<const Model *>(this)->describe(llvm::cast<OpTy>(op), maps);
  }
};

/// One loop for each dimension of result 0 alone.
void describeResult(mlir::Operation *op, MapBuilder &maps);

/// Relates the dimensions of two static shapes of the same elements: each group
/// of dimensions with equal products, cut where no smaller group exists, gets
/// the digits that both sides are made of (8x3 and 2x4x3: digits 2, 4, 3). Where
/// the digits of one side do not refine those of the other (6x4 and 4x6) the
/// dimensions get no loop. An unknown extent, one on each side, is a dimension of both if it
/// has as many elements around it and within it. Does nothing for shapes that are dynamic
/// otherwise, or empty.
void describeReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
                     MapBuilder &maps,
                     llvm::SmallVectorImpl<mlir::AffineExpr> &fromExprs,
                     llvm::SmallVectorImpl<mlir::AffineExpr> &toExprs);

} // namespace shard

#endif // SHARD_INTERFACES_DESCRIBEDMODEL_H
