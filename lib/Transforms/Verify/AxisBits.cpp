//===- AxisBits.cpp - The axes of all grids of a program in one set ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisBits.h"

#include "shard/Geometry/Refinement.h"
#include "shard/IR/ShardingUtils.h"

#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;

namespace shard {

static constexpr size_t kNoShape = ~size_t(0);

static AxisList allAxes(size_t rank) {
  AxisList axes(rank);
  std::iota(axes.begin(), axes.end(), GridAxis(0));
  return axes;
}

// A grid whose axes find no bits any more is left out, so that its axes are every axis.
void AxisBits::add(GridOp grid) {
  auto [it, isNew] = numbers.try_emplace(grid, shapes.size());
  if (!isNew)
    return;
  Shape shape;
  llvm::append_range(shape.sizes, grid.getShape());
  if (FailureOr<Grid> known = staticGrid(grid); succeeded(known)) {
    shape.grid = std::move(*known);
    shape.deviceIds = deviceIdsOf(grid, symbols);
    for (auto [number, other] : llvm::enumerate(shapes))
      if (other.grid && other.sizes == shape.sizes &&
          other.deviceIds == shape.deviceIds) {
        it->second = number;
        return;
      }
  }
  size_t first =
      shapes.empty() ? 0 : shapes.back().firstBit + shapes.back().sizes.size();
  if (first + shape.sizes.size() > kMaxAxisInSet + 1) {
    it->second = kNoShape;
    return;
  }
  shape.firstBit = first;
  shapes.push_back(std::move(shape));
}

void AxisBits::add(FunctionOpInterface function) {
  FlatSymbolRefAttr last;
  auto name = [&](FlatSymbolRefAttr symbol) {
    if (!symbol || symbol == last)
      return;
    last = symbol;
    if (GridOp grid = getGrid(function, symbol, symbols))
      add(grid);
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto local = function.getArgAttrOfType<LocalAttr>(i, kLocalAttrName))
      name(local.getSharding().getGrid());
  function->walk([&](Operation *op) {
    if (isa_and_present<ShardDialect>(op->getDialect()))
      name(op->getAttrOfType<FlatSymbolRefAttr>("grid"));
  });
}

const AxisBits::Shape *AxisBits::shapeOf(Operation *op,
                                         FlatSymbolRefAttr grid) {
  GridOp own = getGrid(op, grid, symbols);
  auto it = own ? numbers.find(own) : numbers.end();
  return it != numbers.end() && it->second < shapes.size() ? &shapes[it->second]
                                                           : nullptr;
}

// Nothing depends on the coordinate on an axis of one device.
AxisSet AxisBits::bitsOf(const Shape &shape, ArrayRef<int16_t> axes) {
  AxisSet set = 0;
  for (int16_t axis : axes)
    if (shape.sizes[axis] != 1)
      set |= setOf(int16_t(shape.firstBit + axis));
  return set;
}

AxisList AxisBits::axesIn(const Shape &shape, AxisSet set) {
  AxisList axes;
  for (int16_t axis = 0; axis < int16_t(shape.sizes.size()); ++axis)
    if (bitsOf(shape, axis) & set)
      axes.push_back(axis);
  return axes;
}

static bool haveSameDevices(const std::optional<Grid> &a,
                            const std::optional<Grid> &b) {
  return a && b && a->numDevices() == b->numDevices();
}

/// The axes of `other` behind `axes` of `shape`: all if the grids have different devices or number
/// them differently, but none if there are none. What is the same on all devices of one grid is so
/// on another grid of these devices.
AxisList AxisBits::behind(const Shape &other, const Shape &shape,
                          const AxisList &axes) {
  if (&other == &shape)
    return axes;
  if (!haveSameDevices(other.grid, shape.grid))
    return allAxes(other.sizes.size());
  if (axes.empty())
    return {};
  if (other.deviceIds != shape.deviceIds)
    return allAxes(other.sizes.size());
  return axesBehind(*other.grid, *shape.grid, axes);
}

AxisSet AxisBits::axesOf(Operation *op, FlatSymbolRefAttr grid,
                         ArrayRef<int16_t> axes) {
  const Shape *own = shapeOf(op, grid);
  if (!own)
    return axes.empty() ? 0 : everyAxis;
  AxisSet set = bitsOf(*own, axes);
  if (set != 0)
    for (const Shape &other : shapes)
      set |= bitsOf(other, behind(other, *own, AxisList(axes)));
  return set;
}

AxisSet AxisBits::ownAxesOf(Operation *op, FlatSymbolRefAttr grid,
                            ArrayRef<int16_t> axes) {
  const Shape *own = shapeOf(op, grid);
  return own ? bitsOf(*own, axes) : axes.empty() ? 0 : everyAxis;
}

AxisSet AxisBits::endedAlong(AxisSet set, Operation *op, FlatSymbolRefAttr grid,
                             ArrayRef<int16_t> axes) {
  const Shape *own = shapeOf(op, grid);
  if (set == everyAxis || !own)
    return set;
  set &= ~bitsOf(*own, axes);
  for (const Shape &other : shapes)
    if (haveSameDevices(other.grid, own->grid) &&
        other.deviceIds == own->deviceIds)
      set &= ~bitsOf(other, axesToldBy(*other.grid, *own->grid, axes));
  // It depends on no axes of a grid but those behind the axes of another grid that are left.
  for (const Shape &other : shapes)
    for (const Shape &one : shapes) {
      AxisSet all = bitsOf(other, allAxes(other.sizes.size()));
      set &= ~all | bitsOf(other, behind(other, one, axesIn(one, set)));
    }
  return set;
}

std::string AxisBits::describe(Operation *op, FlatSymbolRefAttr grid,
                               AxisSet set) {
  const Shape *own = shapeOf(op, grid);
  if (set == everyAxis || !own)
    return "every axis";
  SmallVector<std::string> names;
  for (GridAxis axis : axesIn(*own, set))
    names.push_back(std::to_string(axis));
  return (names.size() == 1 ? "axis " : "axes ") + llvm::join(names, ", ");
}

} // namespace shard
