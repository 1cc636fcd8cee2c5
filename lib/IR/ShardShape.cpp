//===- ShardShape.cpp - shard_shape as arithmetic on indices --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic is that of blockAt() in Geometry/BlockLayout.h on SSA values.
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace shard {

namespace {
/// Builds the extents of one `shard_shape`, in front of it. Whatever is constant
/// is folded.
class ShapeExpansion {
public:
  ShapeExpansion(ShardShapeOp op, ShardingOp sharding, GridOp grid)
      : op(op), sharding(sharding), grid(grid), builder(op), loc(op.getLoc()) {
    device = getMixedValues(op.getDevice(), op.getDeviceDynamic(), builder);
    for (OpFoldResult &coordinate : device)
      coordinate = getValueOrCreateConstantIndexOp(builder, loc, coordinate);
    bounds = getMixedValues(sharding.getStaticShardedDimsOffsets(),
                            sharding.getDynamicShardedDimsOffsets(), builder);
  }

  /// The coordinates become those on `grid`: the op was written for a grid that `grid`
  /// refines, before the sharding was known. `axes` has, for each axis of that grid, the
  /// axes of `grid`.
  void refineDevice(ArrayRef<AxisList> axes) {
    SmallVector<OpFoldResult> fine(grid.getShape().size());
    for (auto [coordinate, parts] : llvm::zip_equal(device, axes)) {
      Value rest = cast<Value>(coordinate);
      for (GridAxis axis : llvm::reverse(parts)) {
        fine[axis] = make<arith::RemUIOp>(rest, sizeOf(axis));
        rest = make<arith::DivUIOp>(rest, sizeOf(axis));
      }
    }
    device = std::move(fine);
  }

  FailureOr<SmallVector<Value>> run() {
    SmallVector<Value> extents;
    for (OpFoldResult extent :
         getMixedValues(op.getDims(), op.getDimsDynamic(), builder))
      extents.push_back(getValueOrCreateConstantIndexOp(builder, loc, extent));
    for (auto [dim, axes] : llvm::enumerate(sharding.getSplitAxes())) {
      if (axes.empty())
        continue;
      FailureOr<Value> own = bounds.empty()
                                 ? widthOfBlock(extents[dim], axes.asArrayRef())
                                 : widthByBounds(dim, axes.asArrayRef());
      if (failed(own))
        return failure();
      extents[dim] = *own;
    }
    return extents;
  }

private:
  template <typename OpTy>
  Value make(Value a, Value b) {
    return builder.createOrFold<OpTy>(loc, a, b);
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value coordinate(GridAxis axis) {
    return getValueOrCreateConstantIndexOp(builder, loc, device[axis]);
  }
  Value sizeOf(GridAxis axis) {
    int64_t size = grid.getShape()[axis];
    if (!ShapedType::isDynamic(size))
      return constant(size);
    return GridShapeOp::create(builder, loc, grid, {axis}).getResult()[0];
  }

  /// The axes cut the dimension one after another, as blockAt() does.
  Value widthOfBlock(Value extent, ArrayRef<GridAxis> axes) {
    Value begin = constant(0), end = extent, width = extent;
    for (GridAxis axis : axes) {
      width = make<arith::CeilDivUIOp>(width, sizeOf(axis));
      begin = make<arith::MinUIOp>(
          make<arith::AddIOp>(begin,
                              make<arith::MulIOp>(coordinate(axis), width)),
          end);
      end = make<arith::MinUIOp>(make<arith::AddIOp>(begin, width), end);
    }
    return make<arith::SubIOp>(end, begin);
  }

  /// The distance of the two bounds of the block, from the front of `bounds`.
  FailureOr<Value> widthByBounds(int64_t dim, ArrayRef<GridAxis> axes) {
    int64_t blocks = 1;
    Value position = constant(0);
    for (GridAxis axis : axes) {
      int64_t size = grid.getShape()[axis];
      if (ShapedType::isDynamic(size))
        return op.emitOpError("has a sharding with offsets on axis ")
               << grid.axisName(axis) << ", whose size must be known";
      blocks *= size;
      position = make<arith::AddIOp>(
          make<arith::MulIOp>(position, constant(size)), coordinate(axis));
    }
    if (int64_t(bounds.size()) < blocks + 1)
      return op.emitOpError("needs ") << blocks + 1 << " offsets for dimension "
                                      << dim << ", got " << bounds.size();
    SmallVector<Value> values;
    for (OpFoldResult bound : ArrayRef(bounds).take_front(blocks + 1))
      values.push_back(getValueOrCreateCastToIndexLike(
          builder, loc, builder.getIndexType(),
          getValueOrCreateConstantIndexOp(builder, loc, bound)));
    bounds.erase(bounds.begin(), bounds.begin() + blocks + 1);
    Value width = make<arith::SubIOp>(values[1], values[0]);
    for (int64_t block = 1; block < blocks; ++block) {
      Value isHere = builder.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::eq, position, constant(block));
      width = builder.createOrFold<arith::SelectOp>(
          loc, isHere, make<arith::SubIOp>(values[block + 1], values[block]),
          width);
    }
    return width;
  }

  ShardShapeOp op;
  ShardingOp sharding;
  GridOp grid;
  OpBuilder builder;
  Location loc;
  SmallVector<OpFoldResult> device;
  /// Those of the dimensions that are not built yet.
  SmallVector<OpFoldResult> bounds;
};
} // namespace

LogicalResult expandShardShape(ShardShapeOp op,
                               SymbolTableCollection &symbols) {
  ShardingOp sharding = getShardingOp(op.getSharding());
  if (!sharding)
    return op.emitOpError(
        "asks about a sharding that is not known here; state it by "
        "shard.sharding in the same function");
  GridOp grid = getGrid(sharding, sharding.getGridAttr(), symbols);
  if (!grid)
    return op.emitOpError("is about grid ")
           << sharding.getGridAttr() << ", which is not in scope";
  size_t coordinates = op.getDevice().size();
  GridOp written = grid;
  while (written && written.getShape().size() != coordinates &&
         written.getRefinesAttr())
    written = getGrid(written, written.getRefinesAttr(), symbols);
  if (!written || written.getShape().size() != coordinates)
    return op.emitOpError("has ")
           << coordinates << " device coordinates; grid @" << grid.getSymName()
           << " of its sharding has " << grid.getShape().size() << " axes";
  ShapeExpansion expansion(op, sharding, grid);
  if (written != grid) {
    FailureOr<std::vector<AxisList>> axes =
        axesInRefinement(written, grid, symbols);
    if (failed(axes))
      return op.emitOpError("is about a grid that @")
             << grid.getSymName() << " does not refine";
    expansion.refineDevice(*axes);
  }
  FailureOr<SmallVector<Value>> extents = expansion.run();
  if (failed(extents))
    return failure();
  op->replaceAllUsesWith(*extents);
  op->erase();
  return success();
}

LogicalResult expandShardShapes(Operation *root,
                                SymbolTableCollection &symbols) {
  SmallVector<ShardShapeOp> questions;
  root->walk([&](ShardShapeOp op) { questions.push_back(op); });
  for (ShardShapeOp op : questions)
    if (failed(expandShardShape(op, symbols)))
      return failure();
  return success();
}

} // namespace shard
