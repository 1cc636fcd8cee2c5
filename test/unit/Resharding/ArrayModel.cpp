//===- ArrayModel.cpp - Plans executed on plain arrays --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayModel.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace shard {
namespace test {

Array::Array(std::vector<int64_t> shape) : shape(std::move(shape)) {
  int64_t size = 1;
  for (int64_t extent : this->shape)
    size *= extent;
  cells.resize(size);
}

Cell &Array::at(const std::vector<int64_t> &index) {
  return cells[linearize(index, shape)];
}
const Cell &Array::at(const std::vector<int64_t> &index) const {
  return cells[linearize(index, shape)];
}

namespace {
using Index = std::vector<int64_t>;

void forEachIndex(const Index &shape,
                  const std::function<void(Index &)> &body) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  Index index(shape.size());
  while (true) {
    body(index);
    size_t dim = shape.size();
    while (dim-- > 0) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
    if (dim == size_t(-1))
      return;
  }
}

/// An array as (before, dim, behind): what a slice along `dim` sees of it.
struct Slabs {
  int64_t outer = 1, inner = 1;
  Slabs(const Index &shape, int64_t dim) {
    for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i)
      (i < dim ? outer : inner) *= i == dim ? 1 : shape[i];
  }
};

/// Copies [from, from + count) of `dim` of `source` to [to, ...) of `target`, as
/// far as both have it.
void copySlab(const Array &source, int64_t from, Array &target, int64_t to,
              int64_t count, int64_t dim) {
  int64_t skip = std::max<int64_t>({0, -from, -to});
  from += skip, to += skip, count -= skip;
  count = std::min({count, source.shape[dim] - from, target.shape[dim] - to});
  if (count <= 0)
    return;
  Slabs slabs(source.shape, dim);
  for (int64_t outer = 0; outer < slabs.outer; ++outer)
    std::copy_n(
        source.cells.begin() + (outer * source.shape[dim] + from) * slabs.inner,
        count * slabs.inner,
        target.cells.begin() + (outer * target.shape[dim] + to) * slabs.inner);
}

/// [begin, begin + size) of `dim`; what lies outside is poison.
Array cut(const Array &array, int64_t dim, int64_t begin, int64_t size) {
  Index shape = array.shape;
  shape[dim] = size;
  Array result(shape);
  copySlab(array, begin, result, 0, size, dim);
  return result;
}

/// Copies `part` into `whole` at `offset` of `dim`, as far as it fits.
void paste(Array &whole, const Array &part, int64_t dim, int64_t offset) {
  copySlab(part, 0, whole, offset, part.shape[dim], dim);
}

double combine(ReductionKind kind, double a, double b) {
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Average:
    return a + b;
  case ReductionKind::Product:
    return a * b;
  case ReductionKind::Max:
  case ReductionKind::UMax:
    return std::max(a, b);
  case ReductionKind::Min:
  case ReductionKind::UMin:
    return std::min(a, b);
  case ReductionKind::BitwiseAnd:
    return static_cast<double>(static_cast<int64_t>(a) &
                               static_cast<int64_t>(b));
  case ReductionKind::BitwiseOr:
    return static_cast<double>(static_cast<int64_t>(a) |
                               static_cast<int64_t>(b));
  case ReductionKind::BitwiseXor:
    return static_cast<double>(static_cast<int64_t>(a) ^
                               static_cast<int64_t>(b));
  case ReductionKind::Generic:
    // Some associative and commutative operation without a neutral element.
    return a + b + 1;
  }
  return 0;
}

double neutral(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Product:
    return 1;
  case ReductionKind::Max:
    return -std::numeric_limits<double>::infinity();
  case ReductionKind::Min:
  case ReductionKind::UMin:
    return std::numeric_limits<double>::infinity();
  case ReductionKind::BitwiseAnd:
    return 1023;
  default:
    return 0;
  }
}

bool keepsValueWhenMadePartial(ReductionKind kind) {
  return kind == ReductionKind::Max || kind == ReductionKind::Min ||
         kind == ReductionKind::UMax || kind == ReductionKind::UMin ||
         kind == ReductionKind::BitwiseAnd ||
         kind == ReductionKind::BitwiseOr || kind == ReductionKind::Average;
}

Array reduce(ReductionKind kind, const std::vector<const Array *> &arrays) {
  Array result = *arrays[0];
  for (size_t i = 1; i < arrays.size(); ++i)
    for (size_t j = 0; j < result.cells.size(); ++j) {
      const Cell &other = arrays[i]->cells[j];
      result.cells[j].value = combine(kind, result.cells[j].value, other.value);
      result.cells[j].poison |= other.poison;
    }
  if (kind == ReductionKind::Average)
    for (Cell &cell : result.cells)
      cell.value /= static_cast<double>(arrays.size());
  return result;
}

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

  void updateHalo(const Step &step) {
    // Widths of before and after, per dimension.
    auto widths = [&](const Sharding &s) {
      std::vector<std::pair<int64_t, int64_t>> result(globalShape.size());
      size_t next = 0;
      for (size_t dim = 0; dim < globalShape.size(); ++dim)
        if (!s.dims[dim].empty() && !s.halos.empty()) {
          result[dim] = {s.halos[next], s.halos[next + 1]};
          next += 2;
        }
      return result;
    };
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

  void run(const Step &step) {
    if (step.kind == Step::Kind::UpdateHalo) {
      updateHalo(step);
      sharding = step.result;
      return;
    }
    int64_t k = grid.groupSize(step.axes);
    std::vector<Array> next;
    for (int64_t device = 0; device < grid.numDevices(); ++device) {
      const Array &mine = arrays[device];
      int64_t position = grid.positionInGroup(device, step.axes);
      switch (step.kind) {
      case Step::Kind::AllGather:
        next.push_back(gatherOf(group(device, step.axes), step.dim,
                                step.localShape[step.dim]));
        break;
      case Step::Kind::AllSlice:
        next.push_back(sliceOf(mine, step.dim, k, position));
        break;
      case Step::Kind::AllToAll: {
        std::vector<Array> pieces;
        for (const Array *array : group(device, step.axes))
          pieces.push_back(sliceOf(*array, step.dim, k, position));
        Group arrived;
        for (const Array &piece : pieces)
          arrived.push_back(&piece);
        next.push_back(
            gatherOf(arrived, step.concatDim, step.localShape[step.concatDim]));
        break;
      }
      case Step::Kind::Permute:
        next.push_back(arrays[permuteSource(device, step.axes, step.toAxes)]);
        break;
      case Step::Kind::Redistribute:
        next.push_back(assemble(device, step));
        break;
      case Step::Kind::AllReduce:
        next.push_back(reduce(step.reduction, group(device, step.axes)));
        break;
      case Step::Kind::ReduceScatter:
        next.push_back(sliceOf(reduce(step.reduction, group(device, step.axes)),
                               step.dim, k, position));
        break;
      case Step::Kind::MakePartial: {
        Array result = mine;
        if (position != 0 && !keepsValueWhenMadePartial(step.reduction))
          for (Cell &cell : result.cells)
            cell = {neutral(step.reduction), false};
        next.push_back(result);
        break;
      }
      case Step::Kind::EmbedPartial: {
        Index shape = mine.shape;
        shape[step.dim] = step.localShape[step.dim];
        Array result(shape);
        for (Cell &cell : result.cells)
          cell = {neutral(step.reduction), false};
        paste(result, mine, step.dim, position * mine.shape[step.dim]);
        next.push_back(result);
        break;
      }
      case Step::Kind::SliceHalo: {
        size_t entry = 0;
        for (int64_t dim = 0; dim < step.dim; ++dim)
          entry += step.result.dims[dim].empty() ? 0 : 2;
        int64_t low = step.result.halos[entry];
        int64_t high = step.result.halos[entry + 1];
        Sharding core = step.result;
        core.halos.clear();
        Block block = localBlocks(grid, globalShape, core, device)[step.dim];
        int64_t local = localShape(grid, globalShape, core)[step.dim];
        next.push_back(
            cut(mine, step.dim, block.offset - low, low + local + high));
        break;
      }
      case Step::Kind::TrimHalo: {
        Array result = mine;
        size_t was = 0, is = 0;
        for (size_t dim = 0; dim < globalShape.size(); ++dim) {
          if (sharding.dims[dim].empty())
            continue;
          int64_t lowBefore = sharding.halos[was];
          int64_t highBefore = sharding.halos[was + 1];
          bool none =
              step.result.halos.empty() || step.result.dims[dim].empty();
          int64_t low = none ? 0 : step.result.halos[is];
          int64_t high = none ? 0 : step.result.halos[is + 1];
          was += 2;
          is += 2;
          result =
              cut(result, static_cast<int64_t>(dim), lowBefore - low,
                  result.shape[dim] - (lowBefore - low) - (highBefore - high));
        }
        next.push_back(result);
        break;
      }
      case Step::Kind::GatherOffsets:
        next.push_back(gatherOf(group(device, step.axes), step.dim,
                                globalShape[step.dim]));
        break;
      case Step::Kind::SliceOffsets:
      case Step::Kind::TrimOffsets: {
        int64_t size = step.bounds[position + 1] - step.bounds[position];
        int64_t begin =
            step.kind == Step::Kind::SliceOffsets ? step.bounds[position] : 0;
        next.push_back(cut(mine, step.dim, begin, size));
        break;
      }
      case Step::Kind::PadOffsets:
        next.push_back(cut(mine, step.dim, 0, step.localShape[step.dim]));
        break;
      case Step::Kind::UpdateHalo:
        break;
      }
    }
    arrays = std::move(next);
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
} // namespace

std::string checkPlan(const Plan &plan, const Grid &grid,
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
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    std::vector<Window> window = windows(grid, shape, from, device);
    Array array = parts[grid.positionInGroup(device, from.partial)];
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      // Behind the valid part there is poison, not the neighbour's elements.
      Array valid =
          cut(array, static_cast<int64_t>(dim), 0, window[dim].validEnd);
      array = cut(valid, static_cast<int64_t>(dim), window[dim].begin,
                  window[dim].localExtent);
    }
    machine.arrays.push_back(array);
  }
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
    std::vector<Window> window = windows(grid, shape, to, device);
    Index extents;
    bool shapesFit = true;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      extents.push_back(
          std::max<int64_t>(0, window[dim].validEnd - window[dim].validBegin));
      shapesFit &= array.shape[dim] == window[dim].localExtent;
    }
    if (!shapesFit)
      return "device " + std::to_string(device) + " has the wrong shape";
    std::string error;
    forEachIndex(extents, [&](Index &index) {
      Index global, local;
      for (size_t dim = 0; dim < shape.size(); ++dim) {
        global.push_back(window[dim].validBegin + index[dim]);
        local.push_back(global[dim] - window[dim].begin);
      }
      const Cell &cell = array.at(local);
      double wanted = whole.at(global).value;
      if (cell.poison)
        error = "padding reached device " + std::to_string(device);
      else if (std::abs(cell.value - wanted) >
               1e-9 * std::max(1.0, std::abs(wanted)))
        error = "wrong element on device " + std::to_string(device);
    });
    if (!error.empty())
      return error;
  }
  return {};
}

} // namespace test
} // namespace shard
