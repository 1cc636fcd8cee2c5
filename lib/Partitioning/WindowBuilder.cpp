//===- WindowBuilder.cpp - Where windows and blocks lie -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowBuilder.h"

#include "shard/IR/ShardOps.h"

using namespace mlir;

namespace shard {

Value WindowBuilder::positionAlong(const AxisList &axes) {
  Value &position = positions[axes];
  if (position)
    return position;
  auto coordinates = ProcessMultiIndexOp::create(
      builder, loc, emission.gridSymbol.getValue(), ArrayRef<GridAxis>(axes));
  position = coordinates.getResult().front();
  for (size_t i = 1; i < axes.size(); ++i)
    position = binary<arith::AddIOp>(
        binary<arith::MulIOp>(position, constant(grid.shape[axes[i]])),
        coordinates.getResult()[i]);
  return position;
}

DynamicBlock WindowBuilder::iterationsOf(unsigned dim) {
  auto [known, isNew] = iterations.try_emplace(dim);
  const DimWindow &window = source.dims[dim];
  if (isNew && window.slidesOverUnknown())
    known->second = blockOfWhole(builder, loc, grid, emission.gridSymbol,
                                 window.counted, window.axes);
  else if (isNew)
    known->second =
        sharedBlockOf(builder, loc, emission, window.iterations, window.axes);
  return known->second;
}

Value WindowBuilder::startOf(unsigned dim) {
  Value &start = starts[dim];
  if (start)
    return start;
  const DimWindow &source = this->source.dims[dim];
  Value first = value(iterationsOf(dim).offset);
  int64_t offset =
      source.slidesOverUnknown()
          ? source.window.offset
          : source.window.start(
                0, localExtent(source.iterations, parts(source.axes)));
  if (source.window.stride != 1)
    first = binary<arith::MulIOp>(first, constant(source.window.stride));
  return start = sum(first, offset);
}

std::pair<Value, Value> WindowBuilder::elementsOf(unsigned dim) {
  const Window &window = source.dims[dim].window;
  Value start = startOf(dim);
  DynamicBlock block = iterationsOf(dim);
  Value span;
  if (std::optional<int64_t> size = getConstantIntValue(block.size)) {
    span = constant(window.span(*size));
  } else {
    span = spanOfIterations(builder, loc, window, value(block.size));
  }
  // The iterations that a block lacks are those that would read the first elements
  // of a window that is reversed, the last ones of others.
  if (window.stride < 0) {
    Value end = sum(start, spanOf(dim));
    return {difference(end, span), end};
  }
  return {start, binary<arith::AddIOp>(start, span)};
}

} // namespace shard
