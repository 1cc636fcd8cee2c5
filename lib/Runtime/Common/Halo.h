//===- Halo.h - Which parts of a halo come from where --------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension falls into segments: the own elements, and the parts of its halos
// by the device that owns them. The box of one segment per dimension has one
// owner, from which it is copied: corners come from diagonal neighbours at
// once. Where the grid ends, a segment stays at home in that dimension, so that
// no element that a device reads is written by its owner meanwhile, and the
// result may be the input.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_COMMON_HALO_H
#define SHARD_LIB_RUNTIME_COMMON_HALO_H

#include "Call.h"
#include "Group.h"

#include <vector>

namespace shard {
namespace runtime {

/// The words of update_halo (Runtime.h).
struct HaloWidths {
  const int64_t *axesPerDim;
  const int64_t *widths;
};

/// A box of elements of a device's buffer and the device that has them.
struct HaloBox {
  /// The position of the owner in the group.
  int64_t position;
  /// Where the box lies in the buffer, and in the owner's.
  int64_t offsets[kMaxRank];
  int64_t sources[kMaxRank];
  int64_t sizes[kMaxRank];

  View target(View view) const { return part(view, offsets); }
  View source(View view) const { return part(view, sources); }

private:
  View part(View view, const int64_t *at) const {
    for (int64_t d = 0; d < view.rank; ++d)
      view = view.slice(d, at[d], sizes[d]);
    return view;
  }
};

/// The boxes that make up the buffer of the device at `position`; those without
/// elements are left out.
std::vector<HaloBox> haloBoxes(const Group &group, const View &view,
                               const HaloWidths &halo, int64_t position);

/// The positions, but for `position` itself, that take boxes from the device at
/// `position`, ascending.
std::vector<int64_t> haloTakers(const Group &group, const View &view,
                                const HaloWidths &halo, int64_t position);

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_COMMON_HALO_H
