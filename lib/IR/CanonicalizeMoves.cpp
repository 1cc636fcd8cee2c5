//===- CanonicalizeMoves.cpp - Algebra of collectives that move data ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Canonicalize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// What the IR says
//===----------------------------------------------------------------------===//

GridOp lookupGrid(Operation *op, FlatSymbolRefAttr symbol) {
  Operation *scope = symbolScope(op);
  return scope && symbol ? dyn_cast_if_present<GridOp>(
                               SymbolTable::lookupSymbolIn(scope, symbol))
                         : GridOp();
}

SmallVector<GridAxis> withoutOneDeviceAxes(Operation *op,
                                           FlatSymbolRefAttr symbol,
                                           ArrayRef<GridAxis> axes) {
  SmallVector<GridAxis> rest(axes);
  if (GridOp grid = axes.empty() ? GridOp() : lookupGrid(op, symbol))
    llvm::erase_if(rest, [&](GridAxis axis) {
      return axis >= 0 && axis < grid.getRank() && grid.getShape()[axis] == 1;
    });
  return rest;
}

bool isOneDevice(Operation *op, FlatSymbolRefAttr symbol,
                 ArrayRef<GridAxis> axes) {
  return withoutOneDeviceAxes(op, symbol, axes).empty();
}

bool isSubset(ArrayRef<GridAxis> small, ArrayRef<GridAxis> large) {
  return llvm::all_of(
      small, [&](GridAxis axis) { return llvm::is_contained(large, axis); });
}

bool sameSet(ArrayRef<GridAxis> a, ArrayRef<GridAxis> b) {
  return a.size() == b.size() && isSubset(a, b);
}

std::optional<ArrayRef<GridAxis>> dropPrefix(ArrayRef<GridAxis> axes,
                                             ArrayRef<GridAxis> prefix) {
  if (axes.size() < prefix.size() || axes.take_front(prefix.size()) != prefix)
    return std::nullopt;
  return axes.drop_front(prefix.size());
}

static bool isReplicatedOver(Value value, FlatSymbolRefAttr grid,
                             ArrayRef<GridAxis> axes, int depth) {
  if (axes.empty())
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  // A collective over some of the axes makes its result equal along these.
  auto unify = [&](auto collective) {
    if (collective.getGridAttr() != grid)
      return false;
    SmallVector<GridAxis> rest;
    for (GridAxis axis : axes)
      if (!llvm::is_contained(collective.getGridAxes(), axis))
        rest.push_back(axis);
    return isReplicatedOver(collective.getInput(), grid, rest, depth - 1);
  };
  if (auto gather = dyn_cast<AllGatherOp>(op))
    return unify(gather);
  if (auto reduce = dyn_cast<AllReduceOp>(op))
    return isa<TensorType>(reduce.getResult().getType()) && unify(reduce);
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return broadcast.getRootDynamic().empty() && unify(broadcast);
  if (auto slice = dyn_cast<AllSliceOp>(op)) {
    if (slice.getGridAttr() != grid || llvm::any_of(axes, [&](GridAxis axis) {
          return llvm::is_contained(slice.getGridAxes(), axis);
        }))
      return false;
    return isReplicatedOver(slice.getInput(), grid, axes, depth - 1);
  }
  if (op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op) &&
      op->getNumRegions() == 0 && op->getNumOperands() > 0)
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return isReplicatedOver(operand, grid, axes, depth - 1);
    });
  return false;
}

bool isReplicatedOver(Value value, FlatSymbolRefAttr grid,
                      ArrayRef<GridAxis> axes) {
  // Bounds the work per pattern; chains longer than this gain nothing.
  constexpr int kDepth = 4;
  return isReplicatedOver(value, grid, axes, kDepth);
}

//===----------------------------------------------------------------------===//
// all_slice, all_gather
//===----------------------------------------------------------------------===//

namespace {
// all_slice(all_gather(x, A, d), A, d)        = x
// all_slice(all_gather(x, A ++ C, d), A, d)   = all_gather(x, C, d)
// all_slice(all_gather(x, A, d), A ++ C, d)   = all_slice(x, C, d)
// because a minor axis cuts the local extent that the major ones leave.
struct SliceOfGather : OpRewritePattern<AllSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AllSliceOp slice,
                                PatternRewriter &rewriter) const override {
    auto gather = slice.getInput().getDefiningOp<AllGatherOp>();
    if (!gather || gather.getGridAttr() != slice.getGridAttr() ||
        gather.getGatherAxis() != slice.getSliceAxis())
      return failure();
    Value input = gather.getInput();
    Type type = slice.getResult().getType();
    int64_t dim = slice.getSliceAxis().getSExtValue();
    ArrayRef<GridAxis> gathered = gather.getGridAxes();
    ArrayRef<GridAxis> sliced = slice.getGridAxes();
    if (gathered == sliced) {
      if (input.getType() != type)
        return failure();
      rewriter.replaceOp(slice, input);
      return success();
    }
    // What is left must have static extents that the verifier can check: a
    // dynamic one may stand for another trimming.
    if (!cast<ShapedType>(type).hasStaticShape() ||
        !cast<ShapedType>(input.getType()).hasStaticShape() ||
        !cast<ShapedType>(gather.getResult().getType()).hasStaticShape())
      return failure();
    if (auto rest = dropPrefix(gathered, sliced)) {
      // A gather that stays for others gives the slice without a collective more.
      if (!llvm::all_of(gather->getUsers(), [&](Operation *user) {
            return user->getName() == slice->getName() &&
                   user->getAttrs() == slice->getAttrs();
          }))
        return failure();
      rewriter.replaceOpWithNewOp<AllGatherOp>(slice, type, input,
                                               slice.getGrid(), *rest, dim);
      return success();
    }
    if (auto rest = dropPrefix(sliced, gathered)) {
      rewriter.replaceOpWithNewOp<AllSliceOp>(slice, type, input,
                                              slice.getGrid(), *rest, dim);
      return success();
    }
    return failure();
  }
};

// all_gather(all_slice(x, A, d), A, d) = x where x is replicated over A
struct GatherOfSlice : OpRewritePattern<AllGatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AllGatherOp gather,
                                PatternRewriter &rewriter) const override {
    auto slice = gather.getInput().getDefiningOp<AllSliceOp>();
    if (!slice || gather.getGridAttr() != slice.getGridAttr() ||
        gather.getGatherAxis() != slice.getSliceAxis() ||
        gather.getGridAxes() != slice.getGridAxes() ||
        slice.getInput().getType() != gather.getResult().getType() ||
        !isReplicatedOver(slice.getInput(), slice.getGridAttr(),
                          slice.getGridAxes()))
      return failure();
    rewriter.replaceOp(gather, slice.getInput());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// all_to_all, permute, shift
//===----------------------------------------------------------------------===//

// all_to_all(all_to_all(x, A, s, c), A, c, s) = x
struct AllToAllPair : OpRewritePattern<AllToAllOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AllToAllOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<AllToAllOp>();
    if (!inner || inner.getGridAttr() != op.getGridAttr() ||
        inner.getGridAxes() != op.getGridAxes() ||
        inner.getSplitAxis() != op.getConcatAxis() ||
        inner.getConcatAxis() != op.getSplitAxis() ||
        inner.getInput().getType() != op.getResult().getType())
      return failure();
    rewriter.replaceOp(op, inner.getInput());
    return success();
  }
};

// permute(x, F, F) = x
// permute(x, F, T) = x where x is replicated over F and T
// permute(x, F, T) = permute(x, F', T') without the axes of size 1
// permute(permute(x, F, T), T, F) = x
// permute(permute(x, F, T), T, U) = permute(x, F, U) if F, T, U are one set
struct SimplifyPermute : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<GridAxis> from = op.getFromAxes(), to = op.getToAxes();
    SmallVector<GridAxis> all(from);
    llvm::append_range(all, to);
    if (from == to || isOneDevice(op, op.getGridAttr(), all) ||
        isReplicatedOver(op.getInput(), op.getGridAttr(), all)) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    SmallVector<GridAxis> fromRest =
        withoutOneDeviceAxes(op, op.getGridAttr(), from);
    SmallVector<GridAxis> toRest =
        withoutOneDeviceAxes(op, op.getGridAttr(), to);
    if (fromRest == toRest) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    if (!fromRest.empty() && !toRest.empty() &&
        (fromRest.size() < from.size() || toRest.size() < to.size())) {
      rewriter.replaceOpWithNewOp<PermuteOp>(
          op, op.getResult().getType(), op.getInput(), op.getGridAttr(),
          rewriter.getDenseI16ArrayAttr(fromRest),
          rewriter.getDenseI16ArrayAttr(toRest));
      return success();
    }
    auto inner = op.getInput().getDefiningOp<PermuteOp>();
    if (!inner || inner.getGridAttr() != op.getGridAttr() ||
        inner.getToAxes() != from)
      return failure();
    if (inner.getFromAxes() == to) {
      rewriter.replaceOp(op, inner.getInput());
      return success();
    }
    if (!sameSet(inner.getFromAxes(), from) || !sameSet(from, to))
      return failure();
    rewriter.replaceOpWithNewOp<PermuteOp>(
        op, op.getResult().getType(), inner.getInput(), op.getGridAttr(),
        inner.getFromAxesAttr(), op.getToAxesAttr());
    return success();
  }
};

/// The number of positions along `axes`; kDynamic where one has no known size, and
/// nothing where the grid does not have them all.
static std::optional<int64_t> positionsAlong(GridOp grid,
                                             ArrayRef<GridAxis> axes) {
  int64_t positions = 1;
  for (GridAxis axis : axes) {
    if (!grid || axis < 0 || axis >= grid.getRank())
      return std::nullopt;
    int64_t size = grid.getShape()[axis];
    positions = ShapedType::isDynamic(size) || ShapedType::isDynamic(positions)
                    ? ShapedType::kDynamic
                    : positions * size;
  }
  return positions;
}

/// Whether `op` leaves each device the block that it has, or one that is unspecified.
static bool movesNothing(ShiftOp op, int64_t positions) {
  auto offset = static_cast<int64_t>(op.getOffset());
  if (ShapedType::isDynamic(positions))
    return offset == 0 && !op.getMirror();
  if (op.getRotate())
    return offset % positions == 0 && (!op.getMirror() || positions <= 2);
  // The device at p receives from offset - p, or p - offset, if there is such a device.
  if (op.getMirror())
    return offset <= 0 || offset >= 2 * (positions - 1);
  return offset == 0 || offset >= positions || offset <= -positions;
}

// shift(x, n) = x if no device receives the block of another one
// shift(x, n, rotate) = mirror(x, n) = x where x is replicated over the axes
// Two of them are one, both with rotate or both without.
struct SimplifyShift : OpRewritePattern<ShiftOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ShiftOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<GridAxis> axes = op.getShiftAxes();
    auto offset = static_cast<int64_t>(op.getOffset());
    std::optional<int64_t> positions =
        positionsAlong(lookupGrid(op, op.getGridAttr()), axes);
    if (op.getInput().getType() != op.getResult().getType() || !positions)
      return failure();
    bool isKnown = !ShapedType::isDynamic(*positions);
    if (movesNothing(op, *positions) ||
        isReplicatedOver(op.getInput(), op.getGridAttr(), axes)) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    auto inner = op.getInput().getDefiningOp<ShiftOp>();
    if (!inner || inner.getGridAttr() != op.getGridAttr() ||
        inner.getShiftAxes() != axes || inner.getRotate() != op.getRotate() ||
        inner.getInput().getType() != op.getResult().getType())
      return failure();
    // The device at p receives from q = p - n, or n - p, which has received from
    // q - m, or m - q.
    auto other = static_cast<int64_t>(inner.getOffset());
    bool mirrors = op.getMirror() != inner.getMirror();
    int64_t joint;
    if (op.getMirror() ? llvm::SubOverflow(offset, other, joint)
                       : llvm::AddOverflow(offset, other, joint))
      return failure();
    if (op.getRotate() && isKnown)
      joint %= *positions;
    rewriter.replaceOpWithNewOp<ShiftOp>(
        op, op.getResult().getType(), inner.getInput(), op.getGrid(),
        op.getGridAxes(), axes, joint, op.getRotate(), mirrors);
    return success();
  }
};
} // namespace

void AllGatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropOneDeviceGroup<AllGatherOp>, DropOneDeviceAxes<AllGatherOp>,
               GatherOfSlice, ExtentOfInput<AllGatherOp>>(context);
  populateGatherOfReduceScatter(patterns);
}

void AllSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<DropOneDeviceGroup<AllSliceOp>, DropOneDeviceAxes<AllSliceOp>,
               SliceOfGather, ExtentOfInput<AllSliceOp>>(context);
  populateSliceOfAllReduce(patterns);
}

void AllToAllOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<DropOneDeviceGroup<AllToAllOp>, DropOneDeviceAxes<AllToAllOp>,
               AllToAllPair, ExtentOfInput<AllToAllOp>>(context);
}

void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<SimplifyPermute>(context);
}

void ShiftOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<DropOneDeviceGroup<ShiftOp>, SimplifyShift>(context);
}

} // namespace shard
