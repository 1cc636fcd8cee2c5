//===- Reduction.h - What all_reduce and reduce_scatter share ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One form for both reductions, so that a pass can move either past other ops.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_REDUCTION_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_REDUCTION_H

#include "shard/IR/ShardOps.h"

#include "llvm/ADT/DenseSet.h"

namespace shard {

/// An all_reduce or a reduce_scatter.
struct Reduction {
  mlir::Operation *op = nullptr;
  mlir::FlatSymbolRefAttr grid;
  llvm::ArrayRef<GridAxis> axes;
  ReductionKind kind = ReductionKind::Sum;
  /// Of a reduce_scatter.
  std::optional<int64_t> scattered;
  /// The extent of that dimension before.
  int64_t extent = 0;

  explicit operator bool() const { return op; }

  /// The reduction that `op` is, of static shapes and without a combiner of its own; null
  /// if it is none.
  static Reduction of(mlir::Operation *op) {
    auto whole = llvm::dyn_cast<AllReduceOp>(op);
    auto block = llvm::dyn_cast<ReduceScatterOp>(op);
    if (!whole && !block)
      return {};
    auto from =
        llvm::dyn_cast<mlir::RankedTensorType>(op->getOperand(0).getType());
    auto to =
        llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
    if (op->getNumRegions() != 0 || !from || !to || !from.hasStaticShape() ||
        !to.hasStaticShape())
      return {};
    if (whole && from == to)
      return {op, whole.getGridAttr(), whole.getGridAxes(),
              whole.getReduction(), std::nullopt};
    if (whole)
      return {};
    Reduction reduction{op, block.getGridAttr(), block.getGridAxes(),
                        block.getReduction(),
                        block.getScatterAxis().getSExtValue()};
    reduction.extent = from.getDimSize(*reduction.scattered);
    return reduction.inputType(to) == from ? reduction : Reduction();
  }

  /// Whether two reductions combine alike over the same groups, and scatter alike.
  bool isLike(const Reduction &other) const {
    return grid == other.grid && kind == other.kind &&
           scattered == other.scattered && extent == other.extent &&
           (scattered
                ? axes == other.axes
                : llvm::SmallDenseSet<GridAxis>(axes.begin(), axes.end()) ==
                      llvm::SmallDenseSet<GridAxis>(other.axes.begin(),
                                                    other.axes.end()));
  }

  /// The type of what is reduced to a value of `type`.
  mlir::RankedTensorType inputType(mlir::RankedTensorType type) const {
    if (!scattered)
      return type;
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape[*scattered] = extent;
    return mlir::RankedTensorType::get(shape, type.getElementType());
  }

  /// A reduction like this one of `input` to a value of `type`.
  mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Type type, mlir::Value input) const {
    if (!scattered)
      return AllReduceOp::create(builder, loc, type, input, grid.getValue(),
                                 axes, kind);
    return ReduceScatterOp::create(builder, loc, type, input, grid.getValue(),
                                   axes, kind, *scattered);
  }
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_REDUCTION_H
