//===- ShiftWindows.cpp - Windows that lie far from their blocks ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a tensor is rolled, each device needs elements of a block that lies some blocks
// further, the first block following the last one; where it is reversed, of one near the
// mirrored block. Each part of a block that some device needs is shifted by one
// shard.shift; a device puts what it needs of the parts into its window.
//
//===----------------------------------------------------------------------===//

#include "WindowBuilder.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/TensorSlices.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

namespace {

class WindowShifter : WindowBuilder {
public:
  WindowShifter(OpBuilder &builder, Location loc, const WindowSource &source,
                const ShiftedDim &shifted, const Emission &emission)
      : WindowBuilder(builder, loc, source, emission), dim(shifted.dim),
        blockParts(shifted.parts), mirrored(shifted.mirrored) {
    for (GridAxis axis : source.sharding.dims[dim])
      if (grid.shape[axis] != 1)
        axes.push_back(axis);
  }

  Value run(Value local) {
    auto type = cast<RankedTensorType>(local.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = spanOf(dim);
    sizes = tensor::getMixedSizes(builder, loc, local);
    SmallVector<OpFoldResult> whole = sizes;
    whole[dim] = builder.getIndexAttr(shape[dim]);
    bool fills = source.dims[dim].reachesOutside();
    Value window = filledTensor(builder, loc, type.clone(shape),
                                fills ? source.fill : OpFoldResult(), whole);
    const shard::Block &valid = source.dims[dim].valid;
    start = startOf(dim);
    auto [front, end] = elementsOf(dim);
    first = clamp(front, valid.offset, valid.offset + valid.size);
    last = clamp(end, valid.offset, valid.offset + valid.size);
    position = positionAlong(axes);
    for (const BlockPart &part : blockParts)
      window = insertPart(local, part, window);
    return window;
  }

private:
  /// Puts what this device needs of `part` into `window`.
  Value insertPart(Value local, const BlockPart &part, Value window) {
    int64_t count = part.end - part.begin, size = grid.groupSize(axes);
    SmallVector<OpFoldResult> from(sizes.size(), builder.getIndexAttr(0)),
        to = from, extents = sizes;
    from[dim] = builder.getIndexAttr(part.begin);
    extents[dim] = builder.getIndexAttr(count);
    Value moved = sliceOf(builder, loc, local, from, extents);
    Value other = position;
    if (part.distance != 0 || mirrored) {
      // The shorter way around.
      int64_t offset = mirrored                   ? part.distance
                       : part.distance * 2 > size ? size - part.distance
                                                  : -part.distance;
      moved = ShiftOp::create(
          builder, loc, moved.getType(), moved, emission.gridSymbol.getValue(),
          ArrayRef<GridAxis>(axes), ArrayRef<GridAxis>(axes), offset,
          /*rotate=*/true, mirrored);
      other = binary<arith::RemUIOp>(
          mirrored ? difference(constant(part.distance + size), position)
                   : sum(position, part.distance),
          constant(size));
    }
    // The elements of the part are [begin, begin + count) of the tensor.
    int64_t width = localExtent(source.type.getDimSize(dim), size);
    Value begin =
        sum(binary<arith::MulIOp>(other, constant(width)), part.begin);
    Value front = binary<arith::MaxSIOp>(first, begin);
    Value back = binary<arith::MinSIOp>(last, sum(begin, count));
    Value needed = binary<arith::MaxSIOp>(difference(back, front), constant(0));
    // Where nothing is needed, the places may be any that there are.
    from[dim] =
        getAsOpFoldResult(clamp(difference(front, begin), 0, count - 1));
    to[dim] =
        getAsOpFoldResult(clamp(difference(front, start), 0, spanOf(dim) - 1));
    extents[dim] = getAsOpFoldResult(needed);
    return insertionOf(builder, loc,
                       sliceOf(builder, loc, moved, from, extents), window, to,
                       extents);
  }

  unsigned dim;
  ArrayRef<BlockPart> blockParts;
  bool mirrored;
  /// Those of size 1 are left out.
  AxisList axes;
  SmallVector<OpFoldResult> sizes;
  /// The window of this device, what of it is there, and the place of the device.
  Value start, first, last, position;
};

} // namespace

Value emitShifts(OpBuilder &builder, Location loc, Value local,
                 const WindowSource &source, const ShiftedDim &shifted,
                 const Emission &emission) {
  return WindowShifter(builder, loc, source, shifted, emission).run(local);
}

} // namespace shard
