//===- AxisSet.h - Sets of grid axes ----------------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_VERIFY_AXISSET_H
#define SHARD_LIB_TRANSFORMS_VERIFY_AXISSET_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace shard {

/// A set of axes of the grid; all bits set for axes of unknown grids.
using AxisSet = uint64_t;
inline constexpr AxisSet everyAxis = ~AxisSet(0);
/// A set that holds an axis of a higher number holds every axis: more collectives may
/// be reported than some devices miss, never fewer.
inline constexpr int16_t kMaxAxisInSet = 62;

inline AxisSet setOf(llvm::ArrayRef<int16_t> axes) {
  AxisSet set = 0;
  for (int16_t axis : axes)
    set |= axis >= 0 && axis <= kMaxAxisInSet ? AxisSet(1) << axis : everyAxis;
  return set;
}

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_VERIFY_AXISSET_H
