//===- AxisPart.h - An axis of a grid, or a part of it ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An axis of size n = p * s * q can be read as three axes p x s x q, row major.
// The middle one is the part with pre-size p and size s: p blocks of devices lie
// outside it. The text writes it "x":(p)s. A whole axis is the part with pre-size
// 1 and size n.
//
//   axis of size 8     whole (1)8     parts of size 2: (1)2, (2)2, (4)2
//
// On the line of the divisors of n, a part covers the range [p, p * s]. Parts
// overlap where their ranges have more than a point in common; one contains
// another where its range does:
//
//   (1)4 covers [1, 4]    overlaps (2)4 = [2, 8]    contains (2)2 = [2, 4]
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_GEOMETRY_AXISPART_H
#define SHARD_GEOMETRY_AXISPART_H

#include "shard/Geometry/Grid.h"

#include <tuple>

namespace shard {

/// A part of an axis of a grid, or a whole axis.
struct AxisPart {
  GridAxis axis = 0;
  /// The number of blocks of devices along the axis outside the part.
  int64_t preSize = 1;
  /// kDynamic for a whole axis of unknown size.
  int64_t size = 1;

  /// All of `axis`, which has `size`.
  static AxisPart whole(GridAxis axis, int64_t size) { return {axis, 1, size}; }

  /// The pre-size of what lies inside the part: preSize * size, saturating;
  /// kDynamic where the size is unknown.
  int64_t end() const;

  /// Whether this is all of an axis of size `axisSize`.
  bool isWhole(int64_t axisSize) const {
    return preSize == 1 && size == axisSize;
  }

  /// Whether the two parts cannot be used side by side: they are equal, or some
  /// devices differ in the coordinates of both. An axis of unknown size overlaps
  /// each of its parts.
  bool overlaps(const AxisPart &other) const;

  /// Whether `other` lies within this part. An axis of unknown size contains each
  /// of its parts.
  bool contains(const AxisPart &other) const;

  /// Any total order.
  bool operator<(const AxisPart &other) const {
    return std::tie(axis, preSize, size) <
           std::tie(other.axis, other.preSize, other.size);
  }
  bool operator==(const AxisPart &other) const {
    return axis == other.axis && preSize == other.preSize && size == other.size;
  }
  bool operator!=(const AxisPart &other) const { return !(*this == other); }
};

} // namespace shard

#endif // SHARD_GEOMETRY_AXISPART_H
