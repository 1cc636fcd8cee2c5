//===- AxisPart.cpp - An axis of a grid, or a part of it ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/AxisPart.h"

namespace shard {

int64_t AxisPart::end() const {
  if (size == kDynamic)
    return kDynamic;
  int64_t result;
  return __builtin_mul_overflow(preSize, size, &result) ? INT64_MAX : result;
}

bool AxisPart::overlaps(const AxisPart &other) const {
  if (axis != other.axis)
    return false;
  // Axes of size 1 cover no range, and overlap themselves only.
  if (*this == other || size == kDynamic || other.size == kDynamic)
    return true;
  return preSize < other.end() && other.preSize < end();
}

bool AxisPart::contains(const AxisPart &other) const {
  if (axis != other.axis || other.preSize < preSize)
    return false;
  return size == kDynamic || (other.size != kDynamic && other.end() <= end());
}

} // namespace shard
