//===- Grid.h - An n-dimensional arrangement of devices ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grid of shape 2x4 has 8 devices and two axes, 0 of size 2 and 1 of size 4.
// A device is named by its coordinates, one per axis, or by its linear index:
// the row-major position of the coordinates, axis 0 outermost.
//
// A list of axes, outermost first, cuts the grid into *device groups*: the
// devices that agree in every coordinate outside the list. A device's position
// in its group is the row-major position of its coordinates on the listed axes,
// in the order of the list. On 2x4, axes [0] make 4 groups of 2; [1, 0] makes
// one group of 8, in which coordinate 1 is the outer one.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_GEOMETRY_GRID_H
#define SHARD_GEOMETRY_GRID_H

#include <cstdint>
#include <vector>

namespace shard {

/// The number of an axis of a grid.
using GridAxis = int16_t;
/// Axes in order, outermost (major) first.
using AxisList = std::vector<GridAxis>;

/// An extent that is not known before the program runs; the same number as
/// mlir::ShapedType::kDynamic.
constexpr int64_t kDynamic = INT64_MIN;

/// A grid of devices with known sizes.
struct Grid {
  std::vector<int64_t> shape;
  /// Whether dimensions of dynamic extent need not divide evenly among the devices.
  /// Blocks then have the elements that BlockLayout.h gives to the device, and no
  /// padding. If false, all blocks of such a dimension are equally long.
  bool unevenDynamic = false;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }

  /// The product of the sizes of `axes`; 1 for an empty list.
  int64_t groupSize(const AxisList &axes) const;
  /// The sizes of `axes`, in order.
  std::vector<int64_t> sizes(const AxisList &axes) const;

  int64_t numDevices() const;

  std::vector<int64_t> coordinates(int64_t device) const;
  int64_t device(const std::vector<int64_t> &coordinates) const;

  /// The position of `device` in its group along `axes`.
  int64_t positionInGroup(int64_t device, const AxisList &axes) const;
  /// The devices of the group of `device` along `axes`, by position.
  std::vector<int64_t> groupMembers(int64_t device, const AxisList &axes) const;
};

/// Removes the axes of size 1, along which nothing is split or combined.
void dropUnitAxes(const Grid &grid, AxisList &axes);
/// Whether `a` and `b` are the same but for axes of size 1.
bool sameButUnitAxes(const Grid &grid, AxisList a, AxisList b);

/// Row-major position of `index` in a box of `sizes`, first entry outermost.
int64_t linearize(const std::vector<int64_t> &index,
                  const std::vector<int64_t> &sizes);
/// The inverse of linearize.
std::vector<int64_t> delinearize(int64_t position,
                                 const std::vector<int64_t> &sizes);

} // namespace shard

#endif // SHARD_GEOMETRY_GRID_H
