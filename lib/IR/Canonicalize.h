//===- Canonicalize.h - What the canonicalization patterns share -*- C++
//-*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_IR_CANONICALIZE_H
#define SHARD_LIB_IR_CANONICALIZE_H

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

namespace shard {

/// The grid called `symbol` as seen from `op`; null if there is none.
GridOp lookupGrid(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol);

/// Whether every device group along `axes` is known to have one device.
bool isOneDevice(mlir::Operation *op, mlir::FlatSymbolRefAttr grid,
                 llvm::ArrayRef<GridAxis> axes);

/// Whether the IR says that all devices of a group along `axes` hold the same
/// `value`: constants, results of all_gather, all_reduce and broadcast, and
/// elementwise functions of such.
bool isReplicatedOver(mlir::Value value, mlir::FlatSymbolRefAttr grid,
                      llvm::ArrayRef<GridAxis> axes);

/// `axes` without those of known size 1, along which nothing is split or sent.
llvm::SmallVector<GridAxis> withoutOneDeviceAxes(mlir::Operation *op,
                                                 mlir::FlatSymbolRefAttr grid,
                                                 llvm::ArrayRef<GridAxis> axes);

bool sameSet(llvm::ArrayRef<GridAxis> a, llvm::ArrayRef<GridAxis> b);
bool isSubset(llvm::ArrayRef<GridAxis> small, llvm::ArrayRef<GridAxis> large);
/// If `axes` starts with `prefix`, what follows it.
std::optional<llvm::ArrayRef<GridAxis>>
dropPrefix(llvm::ArrayRef<GridAxis> axes, llvm::ArrayRef<GridAxis> prefix);

/// The patterns of the reductions that start at an all_gather or an all_slice.
void populateGatherOfReduceScatter(mlir::RewritePatternSet &patterns);
void populateSliceOfAllReduce(mlir::RewritePatternSet &patterns);

/// A group of one device: the result is the input.
template <typename OpTy>
struct DropOneDeviceGroup : mlir::OpRewritePattern<OpTy> {
  using mlir::OpRewritePattern<OpTy>::OpRewritePattern;

  mlir::LogicalResult
  matchAndRewrite(OpTy op, mlir::PatternRewriter &rewriter) const override {
    if (op.getInput().getType() != op.getResult().getType() ||
        !llvm::isa<mlir::TensorType>(op.getInput().getType()) ||
        !isOneDevice(op, op.getGridAttr(), op.getGridAxes()))
      return mlir::failure();
    rewriter.replaceOp(op, op.getInput());
    return mlir::success();
  }
};

/// Axes of size 1 in a longer list say nothing. Not for ops with a root, which has a
/// coordinate for each axis.
template <typename OpTy>
struct DropOneDeviceAxes : mlir::OpRewritePattern<OpTy> {
  using mlir::OpRewritePattern<OpTy>::OpRewritePattern;

  mlir::LogicalResult
  matchAndRewrite(OpTy op, mlir::PatternRewriter &rewriter) const override {
    if (op.getGridAxes().size() < 2 ||
        !llvm::isa<mlir::TensorType>(op.getInput().getType()))
      return mlir::failure();
    llvm::SmallVector<GridAxis> rest =
        withoutOneDeviceAxes(op, op.getGridAttr(), op.getGridAxes());
    if (rest.empty() || rest.size() == op.getGridAxes().size())
      return mlir::failure();
    rewriter.modifyOpInPlace(op, [&] { op.setGridAxes(rest); });
    return mlir::success();
  }
};

/// Whether the extent of dimension `dim` differs between input and result.
inline bool changesExtent(AllGatherOp op, int64_t dim) {
  return op.getGatherAxis() == dim;
}
inline bool changesExtent(AllSliceOp op, int64_t dim) {
  return op.getSliceAxis() == dim;
}
inline bool changesExtent(AllToAllOp op, int64_t dim) {
  return op.getSplitAxis() == dim || op.getConcatAxis() == dim;
}
inline bool changesExtent(AllReduceOp, int64_t) { return false; }
inline bool changesExtent(ReduceScatterOp op, int64_t dim) {
  return op.getScatterAxis() == dim;
}

/// The extent of a dimension that collective `OpTy` leaves as it is, is that of its input.
template <typename OpTy>
struct ExtentOfInput
    : mlir::OpInterfaceRewritePattern<mlir::ShapedDimOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  mlir::LogicalResult
  matchAndRewrite(mlir::ShapedDimOpInterface op,
                  mlir::PatternRewriter &rewriter) const override {
    auto moved = op.getShapedValue().template getDefiningOp<OpTy>();
    std::optional<int64_t> dim = mlir::getConstantIntValue(op.getDimension());
    if (!moved || !dim || changesExtent(moved, *dim))
      return mlir::failure();
    for (mlir::OpOperand &operand : op->getOpOperands())
      if (operand.get() == moved.getResult()) {
        rewriter.modifyOpInPlace(op, [&] { operand.set(moved.getInput()); });
        return mlir::success();
      }
    return mlir::failure();
  }
};

} // namespace shard

#endif // SHARD_LIB_IR_CANONICALIZE_H
