//===- ValueState.cpp - A sharded value on its way through a plan ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueState.h"

#include "Redistribute.h"

#include "shard/Geometry/Window.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shard {
namespace detail {

std::vector<int64_t> layoutBounds(int64_t extent,
                                  const std::vector<int64_t> &sizes) {
  int64_t parts = 1;
  for (int64_t size : sizes)
    parts *= size;
  std::vector<int64_t> bounds;
  bounds.reserve(parts + 1);
  for (int64_t part = 0; part < parts; ++part)
    bounds.push_back(blockAt(extent, sizes, delinearize(part, sizes)).offset);
  bounds.push_back(extent);
  return bounds;
}

Sharding plain(const Grid &grid, Sharding sharding) {
  for (AxisList &axes : sharding.dims)
    dropUnitAxes(grid, axes);
  dropUnitAxes(grid, sharding.partial);
  sharding.halos.clear();
  sharding.offsets.clear();
  return sharding;
}

ValueState::ValueState(const Grid &grid, const std::vector<int64_t> &shape,
                       int64_t elementBytes, const Sharding &sharding)
    : grid(grid), shape(shape), extents(shape), elementBytes(elementBytes),
      dims(sharding.dims), partial(sharding.partial),
      reduction(sharding.reduction), low(shape.size()), high(shape.size()),
      bounds(shape.size()) {
  size_t halo = 0, bound = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (extents[dim] == kDynamic)
      extents[dim] = nominalExtent(grid);
    if (dims[dim].empty())
      continue;
    if (!sharding.halos.empty()) {
      low[dim] = sharding.halos[halo];
      high[dim] = sharding.halos[halo + 1];
      halo += 2;
    }
    if (!sharding.offsets.empty()) {
      auto first = sharding.offsets.begin() + static_cast<ptrdiff_t>(bound);
      int64_t count = grid.groupSize(dims[dim]) + 1;
      bounds[dim].assign(first, first + count);
      bound += static_cast<size_t>(count);
    }
  }
}

bool ValueState::hasHalos() const {
  auto isSet = [](int64_t width) { return width != 0; };
  return std::any_of(low.begin(), low.end(), isSet) ||
         std::any_of(high.begin(), high.end(), isSet);
}

bool ValueState::hasBounds() const {
  return std::any_of(bounds.begin(), bounds.end(),
                     [](const auto &list) { return !list.empty(); });
}

Sharding ValueState::sharding() const {
  Sharding result;
  result.dims = dims;
  result.partial = partial;
  result.reduction = reduction;
  bool halos = hasHalos(), offsets = hasBounds();
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim].empty())
      continue;
    if (halos) {
      result.halos.push_back(low[dim]);
      result.halos.push_back(high[dim]);
    }
    if (offsets) {
      std::vector<int64_t> list =
          bounds[dim].empty()
              ? layoutBounds(extents[dim], grid.sizes(dims[dim]))
              : bounds[dim];
      result.offsets.insert(result.offsets.end(), list.begin(), list.end());
    }
  }
  return result;
}

int64_t nominalWidth(int64_t width) { return isRunTime(width) ? 1 : width; }

int64_t ValueState::localExtent(size_t dim) const {
  int64_t extent = shard::localExtent(extents[dim], grid.groupSize(dims[dim]));
  bool isKnown =
      std::none_of(bounds[dim].begin(), bounds[dim].end(), isRunTime);
  if (!bounds[dim].empty() && isKnown) {
    extent = 0;
    for (size_t i = 0; i + 1 < bounds[dim].size(); ++i)
      extent = std::max(extent, bounds[dim][i + 1] - bounds[dim][i]);
  }
  return extent + nominalWidth(low[dim]) + nominalWidth(high[dim]);
}

double ValueState::localBytes() const {
  double bytes = static_cast<double>(elementBytes);
  for (size_t dim = 0; dim < dims.size(); ++dim)
    bytes *= static_cast<double>(localExtent(dim));
  return bytes;
}

void ValueState::dropMinor(size_t dim, const AxisList &axes) {
  AxisList &list = dims[dim];
  assert(list.size() >= axes.size() &&
         std::equal(axes.rbegin(), axes.rend(), list.rbegin()) &&
         "only the most minor axes of a dimension leave it");
  list.resize(list.size() - axes.size());
}

/// Puts the axes T where the axes F stand: each dimension takes as many of them
/// as keep its number of blocks, the partial axes the rest.
void ValueState::permute(const Step &step) {
  auto moves = [&](GridAxis axis) {
    return std::find(step.axes.begin(), step.axes.end(), axis) !=
           step.axes.end();
  };
  size_t next = 0;
  for (AxisList &axes : dims) {
    AxisList changed;
    for (size_t i = 0; i < axes.size();) {
      if (!moves(axes[i])) {
        changed.push_back(axes[i++]);
        continue;
      }
      int64_t parts = 1;
      for (; i < axes.size() && moves(axes[i]); ++i)
        parts *= grid.shape[axes[i]];
      while (parts > 1 && next < step.toAxes.size()) {
        parts /= grid.shape[step.toAxes[next]];
        changed.push_back(step.toAxes[next++]);
      }
      assert(parts == 1 && "a permute keeps the number of blocks");
    }
    axes = std::move(changed);
  }
  partial.erase(std::remove_if(partial.begin(), partial.end(), moves),
                partial.end());
  partial.insert(partial.end(), step.toAxes.begin() + next, step.toAxes.end());
  std::sort(partial.begin(), partial.end());
}

int64_t toBytes(double bytes) {
  if (bytes >= 9e18)
    return INT64_MAX;
  return static_cast<int64_t>(std::ceil(bytes));
}

void ValueState::append(size_t dim, const AxisList &axes) {
  dims[dim].insert(dims[dim].end(), axes.begin(), axes.end());
}

void ValueState::removePartial(const AxisList &axes) {
  partial.erase(std::remove_if(partial.begin(), partial.end(),
                               [&](GridAxis axis) {
                                 return std::find(axes.begin(), axes.end(),
                                                  axis) != axes.end();
                               }),
                partial.end());
}

void ValueState::addPartial(const Step &step) {
  assert((partial.empty() || reduction == step.reduction) &&
         "a value is partial by one kind");
  partial.insert(partial.end(), step.axes.begin(), step.axes.end());
  std::sort(partial.begin(), partial.end());
  reduction = step.reduction;
}

double ValueState::updateHalos(Step &step) {
  std::fill(low.begin(), low.end(), 0);
  std::fill(high.begin(), high.end(), 0);
  // Blocks and halos are boxes, so the pieces of a block that others take are all that
  // is in the product of what they take in each dimension, but the block itself.
  // Halos hold nothing beyond the border, so nothing of that is sent.
  double block = localBytes(), taken = static_cast<double>(elementBytes);
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    int64_t local = localExtent(dim), parts = grid.groupSize(dims[dim]);
    int64_t width =
        mostSentToHalos(nominalWidth(step.bounds[2 * dim]),
                        nominalWidth(step.bounds[2 * dim + 1]), local, parts);
    taken *= static_cast<double>(local + width);
    low[dim] = step.bounds[2 * dim];
    high[dim] = step.bounds[2 * dim + 1];
  }
  step.bounds.clear();
  return taken - block;
}

double ValueState::redistribute(const Step &step, double &received) {
  RedistributionBytes bytes = bytesOf(step, grid, elementBytes);
  received = bytes.received;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    dropMinor(dim, step.fromDims[dim]);
    append(dim, step.toDims[dim]);
  }
  return bytes.sent;
}

void ValueState::cut(Step &step) {
  switch (step.kind) {
  case Step::Kind::SliceHalo:
    append(step.dim, step.axes);
    low[step.dim] = step.bounds[0];
    high[step.dim] = step.bounds[1];
    step.bounds.clear();
    break;
  case Step::Kind::TrimHalo:
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      low[dim] = step.bounds.empty() ? 0 : step.bounds[2 * dim];
      high[dim] = step.bounds.empty() ? 0 : step.bounds[2 * dim + 1];
    }
    step.bounds.clear();
    break;
  case Step::Kind::SliceOffsets:
    append(step.dim, step.axes);
    bounds[step.dim] = step.bounds;
    break;
  case Step::Kind::PadOffsets:
    bounds[step.dim].clear();
    break;
  case Step::Kind::TrimOffsets:
    bounds[step.dim] = step.bounds;
    break;
  default:
    assert(false && "a step that communicates or changes partial axes");
  }
}

void ValueState::apply(Step &step, const CostModel &costModel) {
  double input = localBytes(), sent = 0, received = 0;
  int64_t k = grid.groupSize(step.axes);
  std::optional<Collective> collective;
  AxisList costAxes = step.axes;
  // What is sent is the input padded to k pieces along the dimension sliced.
  auto padded = [&] {
    int64_t local = localExtent(step.dim);
    return local ? input / static_cast<double>(local) *
                       static_cast<double>(ceilDiv(local, k)) * k
                 : 0;
  };
  switch (step.kind) {
  case Step::Kind::AllGather:
    collective = Collective::AllGather;
    sent = shard::bytesSent(*collective, k, input);
    dropMinor(step.dim, step.axes);
    break;
  case Step::Kind::AllSlice:
    append(step.dim, step.axes);
    break;
  case Step::Kind::AllToAll:
    collective = Collective::AllToAll;
    sent = shard::bytesSent(*collective, k, padded());
    dropMinor(step.concatDim, step.axes);
    append(step.dim, step.axes);
    break;
  case Step::Kind::Permute:
    collective = Collective::Permute;
    sent = input;
    costAxes.insert(costAxes.end(), step.toAxes.begin(), step.toAxes.end());
    permute(step);
    break;
  case Step::Kind::Redistribute:
    collective = Collective::Redistribute;
    sent = redistribute(step, received);
    break;
  case Step::Kind::AllReduce:
    collective = Collective::AllReduce;
    sent = shard::bytesSent(*collective, k, input);
    removePartial(step.axes);
    break;
  case Step::Kind::ReduceScatter:
    collective = Collective::ReduceScatter;
    sent = shard::bytesSent(*collective, k, padded());
    removePartial(step.axes);
    append(step.dim, step.axes);
    break;
  case Step::Kind::EmbedPartial:
    dropMinor(step.dim, step.axes);
    [[fallthrough]];
  case Step::Kind::MakePartial:
    addPartial(step);
    break;
  case Step::Kind::UpdateHalo:
    collective = Collective::UpdateHalo;
    sent = updateHalos(step);
    break;
  case Step::Kind::GatherOffsets:
    collective = Collective::AllGather;
    sent = shard::bytesSent(*collective, k, input);
    bounds[step.dim].clear();
    dims[step.dim].clear();
    break;
  default:
    cut(step);
  }
  assert((sent == 0 || collective) && "only collectives send");
  step.result = sharding();
  step.localShape = localShape(grid, shape, step.result);
  step.bytesSent = toBytes(sent);
  step.peakBytes = toBytes(input + localBytes());
  step.cost =
      sent > 0 ? costModel.cost(*collective, costAxes, std::max(sent, received))
               : 0;
}

} // namespace detail
} // namespace shard
