//===- Halo.cpp - Which parts of a halo come from where -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Halo.h"

#include "shard/Geometry/HaloReads.h"

#include <algorithm>

namespace shard {
namespace runtime {

namespace {

/// Elements [offset, offset + size) of a dimension, which are elements
/// [source, source + size) of the device `hops` blocks further, or lie outside of the
/// tensor.
struct Segment {
  int64_t offset;
  int64_t size;
  int64_t hops;
  int64_t source;
  bool isOutside = false;
};

std::vector<Segment> segmentsOf(int64_t extent, int64_t low, int64_t high,
                                int64_t position, int64_t parts) {
  int64_t core = extent - low - high;
  std::vector<Segment> segments;
  segments.push_back({low, core, 0, low});
  // Outwards from the core, a block of the neighbour at a time.
  for (int64_t done = 0, hop = 1; done < low; ++hop) {
    int64_t size = std::min(core, low - done);
    if (position - hop < 0 || core == 0)
      size = low - done;
    int64_t offset = low - done - size;
    if (position - hop < 0 || core == 0)
      segments.push_back({offset, size, 0, offset, /*isOutside=*/true});
    else
      segments.push_back({offset, size, -hop, low + core - size});
    done += size;
  }
  for (int64_t done = 0, hop = 1; done < high; ++hop) {
    int64_t size = std::min(core, high - done);
    if (position + hop >= parts || core == 0)
      size = high - done;
    int64_t offset = low + core + done;
    if (position + hop >= parts || core == 0)
      segments.push_back({offset, size, 0, offset, /*isOutside=*/true});
    else
      segments.push_back({offset, size, hop, low});
    done += size;
  }
  return segments;
}

/// One dimension: its segments, and how far positions are apart whose blocks
/// are neighbours in it.
struct Dimension {
  std::vector<Segment> segments;
  int64_t stride = 0;
  /// What the device reads, and the element at which its buffer begins.
  ReadRange taken;
  int64_t begin = 0;
};

/// How a dimension is split over the group.
struct Split {
  int64_t parts = 1;
  int64_t at = 0; // of a position
  int64_t stride = 1;
};

std::vector<Split> splitsOf(const Group &group, int64_t rank,
                            const HaloWidths &halo, int64_t position) {
  std::vector<Split> splits(rank);
  int64_t stride = group.size;
  size_t axis = 0;
  for (int64_t d = 0; d < rank; ++d) {
    Split &split = splits[d];
    for (int64_t i = 0; i < halo.axesPerDim[d]; ++i, ++axis) {
      split.parts *= group.sizes[axis];
      split.at =
          split.at * group.sizes[axis] + group.coordinates[position][axis];
    }
    stride /= split.parts;
    split.stride = stride;
  }
  return splits;
}

/// Cuts a box that another device has to what is read; false if that is nothing.
bool cutToReads(const std::vector<Dimension> &dims, HaloBox &box) {
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t place = dims[d].begin + box.offsets[d];
    ReadRange read = dims[d].taken.within(place, place + box.sizes[d]);
    box.offsets[d] += read.first - place;
    box.sources[d] += read.first - place;
    box.sizes[d] = read.count();
    box.steps[d] = read.step;
    if (box.sizes[d] == 0)
      return false;
  }
  return true;
}

/// Appends the boxes that have the given segments in the dimensions before
/// `dim`. What lies outside in one of them stays what the device at `position` holds.
void appendBoxes(const std::vector<Dimension> &dims, size_t dim, HaloBox box,
                 bool isOutside, int64_t position,
                 std::vector<HaloBox> &boxes) {
  if (dim == dims.size()) {
    if (isOutside) {
      box.position = position;
      std::copy(box.offsets, box.offsets + dim, box.sources);
    }
    if (box.position == position || cutToReads(dims, box))
      boxes.push_back(box);
    return;
  }
  for (const Segment &segment : dims[dim].segments) {
    if (segment.size == 0)
      continue;
    HaloBox next = box;
    next.position += segment.hops * dims[dim].stride;
    next.offsets[dim] = segment.offset;
    next.sources[dim] = segment.source;
    next.sizes[dim] = segment.size;
    next.steps[dim] = 1;
    appendBoxes(dims, dim + 1, next, isOutside || segment.isOutside, position,
                boxes);
  }
}

/// Appends the positions whose coordinates differ by at most `reach` blocks in
/// each dimension.
void appendNear(const std::vector<Split> &splits,
                const std::vector<int64_t> &reach, size_t dim, int64_t position,
                std::vector<int64_t> &near) {
  if (dim == splits.size()) {
    near.push_back(position);
    return;
  }
  const Split &split = splits[dim];
  int64_t first = std::max<int64_t>(0, split.at - reach[dim]);
  int64_t last = std::min(split.parts - 1, split.at + reach[dim]);
  for (int64_t at = first; at <= last; ++at)
    appendNear(splits, reach, dim + 1,
               position + (at - split.at) * split.stride, near);
}

/// What is exchanged of dimension `d`, which `split` describes.
HaloDimension dimensionOf(const Group &group, const View &view,
                          const HaloWidths &halo, int64_t d, int64_t axis) {
  HaloDimension dimension;
  dimension.low = halo.widths[2 * d];
  dimension.high = halo.widths[2 * d + 1];
  dimension.core = view.sizes[d] - dimension.low - dimension.high;
  dimension.split.assign(group.sizes.begin() + axis,
                         group.sizes.begin() + axis + halo.axesPerDim[d]);
  const int64_t *window = halo.windows ? halo.windows + 7 * d : nullptr;
  // Without a reach, all is read.
  if (window && window[3] != 0)
    dimension.reads = {window[0],
                       {window[1], window[2], window[3]},
                       {window[4], window[5]},
                       window[6]};
  return dimension;
}

/// The boxes that make up the buffer of the device at `position`.
std::vector<HaloBox> haloBoxes(const Group &group, const View &view,
                               const HaloWidths &halo, int64_t position) {
  std::vector<Split> splits = splitsOf(group, view.rank, halo, position);
  std::vector<Dimension> dims(view.rank);
  for (int64_t d = 0, axis = 0; d < view.rank; axis += halo.axesPerDim[d++]) {
    HaloDimension dimension = dimensionOf(group, view, halo, d, axis);
    dims[d].taken = dimension.taken(splits[d].at);
    dims[d].begin = splits[d].at * dimension.core - dimension.low;
    dims[d].stride = splits[d].stride;
    dims[d].segments =
        segmentsOf(view.sizes[d], halo.widths[2 * d], halo.widths[2 * d + 1],
                   splits[d].at, splits[d].parts);
  }
  std::vector<HaloBox> boxes;
  HaloBox box;
  box.position = position;
  appendBoxes(dims, 0, box, false, position, boxes);
  return boxes;
}

/// The positions that may take boxes from the device at `position`.
std::vector<int64_t> nearPositions(const Group &group, const View &view,
                                   const HaloWidths &halo, int64_t position) {
  std::vector<Split> splits = splitsOf(group, view.rank, halo, position);
  std::vector<int64_t> reach(view.rank);
  for (int64_t d = 0; d < view.rank; ++d) {
    int64_t low = halo.widths[2 * d], high = halo.widths[2 * d + 1];
    int64_t core = view.sizes[d] - low - high;
    reach[d] = core == 0 ? 0 : ceilDiv(std::max(low, high), core);
  }
  std::vector<int64_t> near;
  appendNear(splits, reach, 0, position, near);
  std::sort(near.begin(), near.end());
  return near;
}

/// Whether the plan was made for this; does not allocate.
bool fits(const HaloPlan &plan, const Group &group, const View &view,
          const HaloWidths &halo) {
  size_t rank = view.rank;
  const int64_t *key = plan.key.data();
  return plan.group == &group &&
         plan.key.size() == (halo.windows ? 11 : 4) * rank &&
         sameWords(key, view.sizes, rank) &&
         sameWords(key + rank, halo.axesPerDim, rank) &&
         sameWords(key + 2 * rank, halo.widths, 2 * rank) &&
         (!halo.windows || sameWords(key + 4 * rank, halo.windows, 7 * rank));
}

BoxMove moveOf(const HaloBox &box, int64_t position, int64_t number,
               const View &whole, const View &part) {
  bool isContiguous = part.isContiguous();
  return {position, number, part.numElements(),
          isContiguous ? part.data - whole.data : 0,
          isContiguous ? nullptr : &box};
}

bool fits(const BoxMoves &moves, const View &input, const View &result) {
  const int64_t *strides = moves.strides.data();
  size_t rank = input.rank;
  return moves.elementBytes == input.elementBytes &&
         moves.inPlace == (input.data == result.data) &&
         moves.strides.size() == 2 * rank &&
         sameWords(strides, input.strides, rank) &&
         sameWords(strides + rank, result.strides, rank);
}

} // namespace

HaloPlan makeHaloPlan(const Group &group, const View &view,
                      const HaloWidths &halo) {
  HaloPlan plan;
  plan.group = &group;
  plan.key.assign(view.sizes, view.sizes + view.rank);
  plan.key.insert(plan.key.end(), halo.axesPerDim, halo.axesPerDim + view.rank);
  plan.key.insert(plan.key.end(), halo.widths, halo.widths + 2 * view.rank);
  if (halo.windows)
    plan.key.insert(plan.key.end(), halo.windows, halo.windows + 7 * view.rank);
  plan.boxes = haloBoxes(group, view, halo, group.position);
  auto elementsOf = [&](const HaloBox &box) {
    int64_t elements = 1;
    for (int64_t d = 0; d < view.rank; ++d)
      elements *= box.sizes[d];
    return elements;
  };
  for (const HaloBox &box : plan.boxes)
    if (box.position != group.position)
      plan.receivedElements += elementsOf(box);
  for (int64_t other : nearPositions(group, view, halo, group.position)) {
    if (other == group.position)
      continue;
    std::vector<HaloBox> theirs = haloBoxes(group, view, halo, other);
    for (size_t i = 0; i < theirs.size(); ++i)
      if (theirs[i].position == group.position) {
        plan.given.push_back({other, int64_t(i), theirs[i]});
        plan.sentElements += elementsOf(theirs[i]);
      }
  }
  return plan;
}

const BoxMoves &HaloPlan::moves(const View &input, const View &result) const {
  BoxMoves &moves = lastMoves;
  if (fits(moves, input, result))
    return moves;
  moves = BoxMoves();
  moves.elementBytes = input.elementBytes;
  moves.inPlace = input.data == result.data;
  moves.strides.assign(input.strides, input.strides + input.rank);
  moves.strides.insert(moves.strides.end(), result.strides,
                       result.strides + result.rank);
  bool sameStrides =
      std::equal(input.strides, input.strides + input.rank, result.strides);
  for (size_t i = 0; i < boxes.size(); ++i) {
    const HaloBox &box = boxes[i];
    if (box.position != group->position)
      moves.taken.push_back(
          moveOf(box, box.position, i, result, box.target(result)));
    else if (!moves.inPlace || !sameStrides ||
             !std::equal(box.offsets, box.offsets + input.rank, box.sources))
      moves.own.push_back(&box);
  }
  for (const Given &each : given)
    moves.given.push_back(moveOf(each.box, each.position, each.number, input,
                                 each.box.source(input)));
  return moves;
}

const HaloPlan &HaloPlans::get(const Group &group, const View &view,
                               const HaloWidths &halo) {
  for (const std::unique_ptr<HaloPlan> &plan : plans)
    if (fits(*plan, group, view, halo))
      return *plan;
  return add(makeHaloPlan(group, view, halo));
}

HaloPlan &HaloPlans::add(HaloPlan plan) {
  // Programs with dynamic shapes may have any number of them.
  constexpr size_t kMaxPlans = 64;
  if (plans.size() == kMaxPlans)
    plans.clear();
  plans.push_back(std::make_unique<HaloPlan>(std::move(plan)));
  return *plans.back();
}

//===----------------------------------------------------------------------===//
// Redistribution
//===----------------------------------------------------------------------===//

/// What tells redistributions of a group apart. Unlike the key of halos it begins with
/// a number below 0.
static std::vector<int64_t> keyOf(const Redistribution &whole) {
  std::vector<int64_t> key = {-1};
  key.insert(key.end(), whole.extents.begin(), whole.extents.end());
  for (const auto *split : {&whole.from, &whole.to})
    for (const std::vector<size_t> &axes : *split) {
      key.push_back(int64_t(axes.size()));
      key.insert(key.end(), axes.begin(), axes.end());
    }
  return key;
}

HaloPlan makeRedistributionPlan(const Group &group,
                                const Redistribution &whole) {
  HaloPlan plan;
  plan.group = &group;
  plan.key = keyOf(whole);
  int64_t rank = int64_t(whole.extents.size());
  // The numbers of the boxes of each receiver.
  std::vector<int64_t> numbers(group.size);
  int64_t filled = 0;
  forEachTransfer(whole, [&](const Transfer &transfer) {
    int64_t number = numbers[transfer.receiver]++;
    bool isReceiver = transfer.receiver == group.position;
    bool isSender = transfer.sender == group.position;
    if (!isReceiver && !isSender)
      return;
    std::vector<Block> before = whole.blockBefore(transfer.sender);
    std::vector<Block> after = whole.blockAfter(transfer.receiver);
    HaloBox box;
    box.position = transfer.sender;
    for (int64_t d = 0; d < rank; ++d) {
      box.offsets[d] = transfer.box[d].offset - after[d].offset;
      box.sources[d] = transfer.box[d].offset - before[d].offset;
      box.sizes[d] = transfer.box[d].size;
      box.steps[d] = 1;
    }
    if (isReceiver) {
      plan.boxes.push_back(box);
      filled += transfer.elements();
      if (!isSender)
        plan.receivedElements += transfer.elements();
    } else {
      plan.given.push_back({transfer.receiver, number, box});
      plan.sentElements += transfer.elements();
    }
  });
  int64_t elements = 1;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t parts = 1;
    for (size_t axis : whole.to[d])
      parts *= whole.sizes[axis];
    elements *= ceilDiv(whole.extents[d], parts);
  }
  plan.leavesPadding = filled < elements;
  return plan;
}

const HaloPlan &HaloPlans::get(const Group &group,
                               const Redistribution &whole) {
  std::vector<int64_t> key = keyOf(whole);
  for (const std::unique_ptr<HaloPlan> &plan : plans)
    if (plan->group == &group && plan->key == key)
      return *plan;
  return add(makeRedistributionPlan(group, whole));
}

} // namespace runtime
} // namespace shard
