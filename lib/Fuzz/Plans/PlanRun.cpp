//===- PlanRun.cpp - Plans executed on plain arrays -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/PlanRun.h"

#include "PlanArrays.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

namespace shard::fuzz {

namespace {
/// All devices' arrays.
struct Machine {
  const Grid &grid;
  const std::vector<int64_t> &globalShape;
  Sharding sharding;
  std::vector<Array> arrays;

  using Group = std::vector<const Array *>;

  Group group(int64_t device, const AxisList &axes) const {
    Group result;
    for (int64_t member : grid.groupMembers(device, axes))
      result.push_back(&arrays[member]);
    return result;
  }

  static Array sliceOf(const Array &array, int64_t dim, int64_t k,
                       int64_t position) {
    int64_t width = (array.shape[dim] + k - 1) / k;
    return cut(array, dim, position * width, width);
  }

  static Array gatherOf(const Group &parts, int64_t dim, int64_t extent) {
    Index shape = parts[0]->shape;
    shape[dim] = extent;
    Array result(shape);
    int64_t offset = 0;
    for (const Array *part : parts) {
      paste(result, *part, dim, offset);
      offset += part->shape[dim];
    }
    return result;
  }

  int64_t permuteSource(int64_t device, const AxisList &f,
                        const AxisList &t) const {
    auto without = [](const AxisList &a, const AxisList &b) {
      AxisList result;
      for (GridAxis axis : a)
        if (std::find(b.begin(), b.end(), axis) == b.end())
          result.push_back(axis);
      return result;
    };
    AxisList onlyF = without(f, t), onlyT = without(t, f);
    Index c = grid.coordinates(device), source = c;
    Index onF = delinearize(grid.positionInGroup(device, t), grid.sizes(f));
    Index onT =
        delinearize(grid.positionInGroup(device, onlyF), grid.sizes(onlyT));
    for (size_t i = 0; i < onlyT.size(); ++i)
      source[onlyT[i]] = onT[i];
    for (size_t i = 0; i < f.size(); ++i)
      source[f[i]] = onF[i];
    return grid.device(source);
  }

  /// The widths of the halos of each dimension, low and high.
  std::vector<std::pair<int64_t, int64_t>> widths(const Sharding &s) const {
    std::vector<std::pair<int64_t, int64_t>> result(globalShape.size());
    size_t next = 0;
    for (size_t dim = 0; dim < globalShape.size() && !s.halos.empty(); ++dim)
      if (!s.dims[dim].empty()) {
        result[dim] = {s.halos[next], s.halos[next + 1]};
        next += 2;
      }
    return result;
  }

  void updateHalo(const Step &step) {
    auto before = widths(sharding), after = widths(step.result);
    for (size_t d = 0; d < globalShape.size(); ++d) {
      int64_t dim = static_cast<int64_t>(d);
      const AxisList &axes = step.result.dims[d];
      auto [low, high] = after[d];
      std::vector<Array> cores, next;
      for (const Array &array : arrays)
        cores.push_back(
            cut(array, dim, before[d].first,
                array.shape[d] - before[d].first - before[d].second));
      for (int64_t device = 0; device < grid.numDevices(); ++device) {
        const Array &core = cores[device];
        int64_t local = core.shape[d];
        Index shape = core.shape;
        shape[d] = local + low + high;
        Array result(shape);
        paste(result, core, dim, low);
        std::vector<int64_t> members = grid.groupMembers(device, axes);
        int64_t position = grid.positionInGroup(device, axes);
        // Outwards, one neighbour after the other.
        for (int64_t hop = 1; hop <= position && local * (hop - 1) < low;
             ++hop) {
          int64_t size = std::min(local, low - local * (hop - 1));
          paste(result,
                cut(cores[members[position - hop]], dim, local - size, size),
                dim, low - local * (hop - 1) - size);
        }
        for (int64_t hop = 1;
             position + hop < static_cast<int64_t>(members.size()) &&
             local * (hop - 1) < high;
             ++hop) {
          int64_t size = std::min(local, high - local * (hop - 1));
          paste(result, cut(cores[members[position + hop]], dim, 0, size), dim,
                low + local * hop);
        }
        next.push_back(result);
      }
      arrays = next;
    }
  }

  /// The block of `device` after `step`, element by element from whoever of its group
  /// has it, itself first.
  Array assemble(int64_t device, const Step &step) const {
    std::vector<int64_t> members = grid.groupMembers(device, step.axes);
    std::swap(members.front(),
              *std::find(members.begin(), members.end(), device));
    std::vector<std::vector<Block>> before;
    for (int64_t member : members)
      before.push_back(localBlocks(grid, globalShape, sharding, member));
    std::vector<Block> after =
        localBlocks(grid, globalShape, step.result, device);
    Array result(step.localShape);
    Index at(globalShape.size());
    std::function<void(size_t)> fill = [&](size_t dim) {
      if (dim < at.size()) {
        for (at[dim] = 0; at[dim] < after[dim].size; ++at[dim])
          fill(dim + 1);
        return;
      }
      for (size_t i = 0; i < members.size(); ++i) {
        Index there;
        bool has = true;
        for (size_t d = 0; d < at.size(); ++d) {
          there.push_back(after[d].offset + at[d] - before[i][d].offset);
          has = has && there[d] >= 0 && there[d] < before[i][d].size;
        }
        if (!has)
          continue;
        result.at(at) = arrays[members[i]].at(there);
        return;
      }
    };
    fill(0);
    return result;
  }

  /// The block of `device` after a step in which the devices of a group exchange blocks.
  Array exchange(int64_t device, const Step &step) const {
    int64_t k = grid.groupSize(step.axes);
    int64_t position = grid.positionInGroup(device, step.axes);
    Group blocks = group(device, step.axes);
    switch (step.kind) {
    case Step::Kind::AllGather:
      return gatherOf(blocks, step.dim, step.localShape[step.dim]);
    case Step::Kind::GatherOffsets:
      return gatherOf(blocks, step.dim, globalShape[step.dim]);
    case Step::Kind::AllToAll: {
      std::vector<Array> pieces;
      for (const Array *array : blocks)
        pieces.push_back(sliceOf(*array, step.dim, k, position));
      Group arrived;
      for (const Array &piece : pieces)
        arrived.push_back(&piece);
      return gatherOf(arrived, step.concatDim, step.localShape[step.concatDim]);
    }
    case Step::Kind::Permute:
      return arrays[permuteSource(device, step.axes, step.toAxes)];
    case Step::Kind::Redistribute:
      return assemble(device, step);
    case Step::Kind::AllReduce:
      return reduce(step.reduction, blocks);
    default: // ReduceScatter
      return sliceOf(reduce(step.reduction, blocks), step.dim, k, position);
    }
  }

  /// The halos of each dimension, before and after a step that cuts some off.
  Array trimHalos(const Array &mine, const Step &step) const {
    Array result = mine;
    auto before = widths(sharding), after = widths(step.result);
    for (size_t dim = 0; dim < globalShape.size(); ++dim) {
      int64_t low = before[dim].first - after[dim].first;
      int64_t high = before[dim].second - after[dim].second;
      result = cut(result, static_cast<int64_t>(dim), low,
                   result.shape[dim] - low - high);
    }
    return result;
  }

  /// The block of `device` after a step that it makes alone; nothing for the other steps.
  std::optional<Array> alone(int64_t device, const Step &step) const {
    const Array &mine = arrays[device];
    int64_t position = grid.positionInGroup(device, step.axes);
    switch (step.kind) {
    case Step::Kind::AllSlice:
      return sliceOf(mine, step.dim, grid.groupSize(step.axes), position);
    case Step::Kind::MakePartial:
      return position == 0 || keepsValueWhenMadePartial(step.reduction)
                 ? mine
                 : filled(mine.shape, neutral(step.reduction));
    case Step::Kind::EmbedPartial: {
      Index shape = mine.shape;
      shape[step.dim] = step.localShape[step.dim];
      Array result = filled(shape, neutral(step.reduction));
      paste(result, mine, step.dim, position * mine.shape[step.dim]);
      return result;
    }
    case Step::Kind::SliceHalo: {
      auto [low, high] = widths(step.result)[step.dim];
      Sharding core = step.result;
      core.halos.clear();
      Block block = localBlocks(grid, globalShape, core, device)[step.dim];
      int64_t local = localShape(grid, globalShape, core)[step.dim];
      return cut(mine, step.dim, block.offset - low, low + local + high);
    }
    case Step::Kind::TrimHalo:
      return trimHalos(mine, step);
    case Step::Kind::SliceOffsets:
    case Step::Kind::TrimOffsets: {
      int64_t size = step.bounds[position + 1] - step.bounds[position];
      bool slices = step.kind == Step::Kind::SliceOffsets;
      return cut(mine, step.dim, slices ? step.bounds[position] : 0, size);
    }
    case Step::Kind::PadOffsets:
      // Bounds of other dimensions leave the local shape unknown.
      return cut(mine, step.dim, 0,
                 localExtent(globalShape[step.dim], grid.groupSize(step.axes)));
    default:
      return std::nullopt;
    }
  }

  void run(const Step &step) {
    if (step.kind == Step::Kind::UpdateHalo) {
      updateHalo(step);
    } else {
      std::vector<Array> next;
      for (int64_t device = 0; device < grid.numDevices(); ++device) {
        std::optional<Array> own = alone(device, step);
        next.push_back(own ? *own : exchange(device, step));
      }
      arrays = std::move(next);
    }
    sharding = step.result;
  }
};

/// The windows that a device holds, halos included, in coordinates of the
/// whole, and how many of the positions hold elements of the whole.
struct Window {
  int64_t begin, localExtent, validBegin, validEnd;
};

std::vector<Window> windows(const Grid &grid, const std::vector<int64_t> &shape,
                            const Sharding &sharding, int64_t device) {
  std::vector<Block> blocks = localBlocks(grid, shape, sharding, device);
  std::vector<int64_t> local = localShape(grid, shape, sharding);
  std::vector<Window> result;
  size_t halo = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t low = 0, high = 0;
    if (!sharding.halos.empty() && !sharding.dims[dim].empty()) {
      low = sharding.halos[halo++];
      high = sharding.halos[halo++];
    }
    int64_t extent = sharding.offsets.empty() || sharding.dims[dim].empty()
                         ? local[dim]
                         : blocks[dim].size;
    int64_t end = blocks[dim].offset + blocks[dim].size;
    // An empty block promises nothing, and has no halos either.
    if (blocks[dim].size == 0)
      low = high = 0, end = blocks[dim].offset;
    result.push_back({blocks[dim].offset - low, extent,
                      std::max<int64_t>(0, blocks[dim].offset - low),
                      std::min(shape[dim], end + high)});
  }
  return result;
}

/// What device `device` has of `array`: behind the valid part there is poison, not the
/// elements of the next device.
Array blockOf(Array array, const std::vector<Window> &window) {
  for (size_t d = 0; d < window.size(); ++d) {
    auto dim = static_cast<int64_t>(d);
    Array valid = cut(array, dim, 0, window[d].validEnd);
    array = cut(valid, dim, window[d].begin, window[d].localExtent);
  }
  return array;
}

/// What is wrong with `array`, the elements of `whole` in `window`.
std::string compareBlock(const Array &array, const Array &whole,
                         const std::vector<Window> &window) {
  Index extents;
  for (size_t dim = 0; dim < window.size(); ++dim) {
    extents.push_back(
        std::max<int64_t>(0, window[dim].validEnd - window[dim].validBegin));
    if (array.shape[dim] != window[dim].localExtent)
      return "the wrong shape";
  }
  std::string error;
  forEachIndex(extents, [&](Index &index) {
    Index global, local;
    for (size_t dim = 0; dim < window.size(); ++dim) {
      global.push_back(window[dim].validBegin + index[dim]);
      local.push_back(global[dim] - window[dim].begin);
    }
    const Cell &cell = array.at(local);
    double wanted = whole.at(global).value;
    if (cell.poison)
      error = "padding";
    else if (std::abs(cell.value - wanted) >
             1e-9 * std::max(1.0, std::abs(wanted)))
      error = "a wrong element";
  });
  return error;
}
} // namespace

std::string runPlan(const Plan &plan, const Grid &grid,
                    const std::vector<int64_t> &shape, const Sharding &from,
                    const Sharding &to, unsigned seed) {
  // Summands per partial position, and what they combine to.
  std::mt19937 random(seed);
  int64_t summands = grid.groupSize(from.partial);
  bool small = from.reduction == ReductionKind::Product;
  std::vector<Array> parts(summands, Array(shape));
  for (Array &part : parts)
    for (Cell &cell : part.cells)
      cell = {static_cast<double>(small ? 1 + random() % 3 : random() % 1024),
              false};
  Machine::Group allParts;
  for (const Array &part : parts)
    allParts.push_back(&part);
  Array whole = summands == 1 ? parts[0] : reduce(from.reduction, allParts);

  Machine machine{grid, shape, from, {}};
  for (int64_t device = 0; device < grid.numDevices(); ++device)
    machine.arrays.push_back(
        blockOf(parts[grid.positionInGroup(device, from.partial)],
                windows(grid, shape, from, device)));
  for (const Step &step : plan.steps) {
    machine.run(step);
    std::vector<int64_t> expected = localShape(grid, shape, step.result);
    if (step.localShape != expected)
      return "wrong local shape after " + toString(step);
    for (const Array &array : machine.arrays)
      for (size_t dim = 0; dim < shape.size(); ++dim)
        if (expected[dim] != kDynamic && array.shape[dim] != expected[dim])
          return "arrays have another shape after " + toString(step);
  }
  if (!plan.steps.empty() && plan.steps.back().result != to)
    return "the last step does not end at the target";
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    Array array = to.partial.empty()
                      ? machine.arrays[device]
                      : reduce(to.reduction, machine.group(device, to.partial));
    std::string wrong =
        compareBlock(array, whole, windows(grid, shape, to, device));
    if (!wrong.empty())
      return "device " + std::to_string(device) + " has " + wrong;
  }
  return {};
}

} // namespace shard::fuzz
