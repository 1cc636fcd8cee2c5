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
// once. Of what another device has, only what the device reads is copied. Where the
// grid ends, a segment stays at home in that dimension, so that
// no element that a device reads is written by its owner meanwhile, and the
// result may be the input.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_COMMON_HALO_H
#define SHARD_LIB_RUNTIME_COMMON_HALO_H

#include "Call.h"
#include "Group.h"

#include "shard/Geometry/Redistribution.h"

#include <memory>
#include <vector>

namespace shard {
namespace runtime {

/// The words of update_halo (Runtime.h).
struct HaloWidths {
  const int64_t *axesPerDim;
  const int64_t *widths;
  /// Seven numbers for each dimension, or null: devices read all.
  const int64_t *windows;
};

/// A box of elements of a device's buffer and the device that has them.
struct HaloBox {
  /// The position of the owner in the group.
  int64_t position;
  /// Where the box lies in the buffer, and in the owner's.
  int64_t offsets[kMaxRank];
  int64_t sources[kMaxRank];
  int64_t sizes[kMaxRank];
  /// How far its elements are apart.
  int64_t steps[kMaxRank];

  View target(View view) const { return part(view, offsets); }
  View source(View view) const { return part(view, sources); }

private:
  View part(View view, const int64_t *at) const {
    for (int64_t d = 0; d < view.rank; ++d) {
      // An empty array may have no memory at all.
      if (view.data)
        view.data += at[d] * view.strides[d] * view.elementBytes;
      view.sizes[d] = sizes[d];
      view.strides[d] *= steps[d];
    }
    return view;
  }
};

/// A box of a plan in buffers with certain strides.
struct BoxMove {
  /// The other device: the owner, or who takes it.
  int64_t position;
  /// Its number among the boxes of the device that takes it.
  int64_t number;
  int64_t elements;
  /// If it is contiguous: how many bytes behind the first element of the buffer it begins.
  int64_t offset;
  /// If it is not: the box in the plan.
  const HaloBox *scattered;
};

/// The boxes of a plan in buffers with certain strides, in little memory: what a call reads
/// is often no longer in the nearest cache, behind the data that the last one has moved.
struct BoxMoves {
  int64_t elementBytes = 0;
  bool inPlace = false;
  /// Of the input, then of the result.
  std::vector<int64_t> strides;
  std::vector<BoxMove> taken, given;
  /// Boxes of the device itself, but for those that are in their place already.
  std::vector<const HaloBox *> own;
};

/// What a device gives and takes in an update of halos. Depends on the group, the
/// sizes of the buffer and the widths alone: made once for each.
struct HaloPlan {
  /// A box that another device takes from this one.
  struct Given {
    int64_t position;
    /// Its number among the other device's boxes.
    int64_t number;
    HaloBox box;
  };

  const Group *group = nullptr;
  /// What it was made for: sizes, axes per dimension, widths, windows.
  std::vector<int64_t> key;
  /// The boxes that make up the device's buffer; those without elements are left
  /// out.
  std::vector<HaloBox> boxes;
  std::vector<Given> given;
  /// Elements that come from other devices, and that go to them.
  int64_t receivedElements = 0;
  int64_t sentElements = 0;
  /// Whether the boxes leave elements of the result out.
  bool leavesPadding = false;

  /// The moves from `input` to `result`; valid until they are asked for again.
  const BoxMoves &moves(const View &input, const View &result) const;

private:
  mutable BoxMoves lastMoves;
};

/// The plan of the device at the group's own position for buffers like `view`.
HaloPlan makeHaloPlan(const Group &group, const View &view,
                      const HaloWidths &halo);

/// The plan of the device at the group's own position.
HaloPlan makeRedistributionPlan(const Group &group,
                                const Redistribution &whole);

/// The plans that a device has made.
class HaloPlans {
public:
  const HaloPlan &get(const Group &group, const View &view,
                      const HaloWidths &halo);
  const HaloPlan &get(const Group &group, const Redistribution &whole);

private:
  HaloPlan &add(HaloPlan plan);

  std::vector<std::unique_ptr<HaloPlan>> plans;
};

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_COMMON_HALO_H
