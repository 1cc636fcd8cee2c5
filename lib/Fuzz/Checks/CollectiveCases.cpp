//===- CollectiveCases.cpp - Halos, reductions, redistributions -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveCase.h"

#include "shard/Runtime/Runtime.h"

#include <algorithm>

namespace shard::fuzz {

/// Whether block `part` of the iterations of a window, cut by `sizes`, reads the element at
/// `place`; nothing where it lies between two of its windows.
static std::optional<bool> isRead(const int64_t *window, const Numbers &sizes,
                                  int64_t part, int64_t place) {
  // Without a reach all is read.
  if (window[3] == 0)
    return true;
  if (place < window[4] || place >= window[4] + window[5] ||
      (place - window[4]) % window[6] != 0)
    return false;
  Cut iterations(window[0], sizes);
  bool isInside = false, isBehind = false, isBefore = false;
  for (int64_t i : iterations.elements[part]) {
    int64_t begin = window[1] * i + window[2];
    isInside |= i >= 0 && place >= begin && place < begin + window[3];
    isBehind |= i >= 0 && place >= begin + window[3];
    isBefore |= i >= 0 && place < begin;
  }
  if (!isInside && isBehind && isBefore)
    return std::nullopt;
  return isInside;
}

void CollectiveCase::makeHalo() {
  // The first axes split dimension 0, the others dimension 1.
  size_t numRows = rng.between(0, int64_t(axes.size()));
  AxisList along[] = {{axes.begin(), axes.begin() + numRows},
                      {axes.begin() + numRows, axes.end()}};
  Numbers perDim, halos, core, sizes, windows;
  for (const AxisList &list : along) {
    perDim.push_back(int64_t(list.size()));
    core.push_back(rng.between(1, 4));
    for (int side = 0; side < 2; ++side)
      halos.push_back(list.empty() ? 0 : rng.between(0, 5));
    sizes.push_back(core.back() + halos.end()[-1] + halos.end()[-2]);
  }
  bool hasWindows = rng.chance(50);
  for (size_t dim = 0; dim < 2; ++dim) {
    int64_t extent = core[dim] * grid.groupSize(along[dim]);
    int64_t first = rng.between(0, 2);
    for (int64_t number :
         {rng.between(1, extent + 2), rng.between(1, 2), rng.between(-2, 2),
          rng.chance(30) ? int64_t(0) : rng.between(1, 4), first,
          rng.between(1, extent), rng.between(1, 2)})
      windows.push_back(number);
  }
  setSizes(sizes, sizes);
  name = hasWindows ? "update_halo of windows" : "update_halo";
  isInPlace = rng.chance(50);
  for (const Numbers *list : {&perDim, &halos, &windows})
    numbers.insert(numbers.end(), list->begin(), list->end());
  numbers.push_back(isInPlace);
  for (size_t device = 0; isInPlace && device < inputs.size(); ++device)
    inputs[device].forEach([&](const Numbers &index) {
      results[device].set(index, inputs[device].get(index));
    });
  // The element that comes to `index` from another device; nothing if none does.
  auto sourceOf = [&](int64_t device, const Numbers &index,
                      std::optional<bool> &isTaken) -> Source {
    Numbers owner = grid.coordinates(device), from = index;
    for (size_t dim = 0; dim < 2; ++dim) {
      int64_t part = grid.positionInGroup(device, along[dim]);
      int64_t place = part * core[dim] + index[dim] - halos[2 * dim];
      if (place < 0 || place >= core[dim] * grid.groupSize(along[dim]))
        return {{device, index}};
      std::optional<bool> reads = true;
      if (hasWindows)
        reads = isRead(windows.data() + 7 * dim, grid.sizes(along[dim]), part,
                       place);
      if (isTaken != std::optional(false) && reads != std::optional(true))
        isTaken = reads;
      Numbers at = delinearize(place / core[dim], grid.sizes(along[dim]));
      for (size_t i = 0; i < at.size(); ++i)
        owner[along[dim][i]] = at[i];
      from[dim] = place % core[dim] + halos[2 * dim];
    }
    return {{grid.device(owner), from}};
  };
  for (int64_t device = 0; device < grid.numDevices(); ++device)
    results[device].forEach([&](const Numbers &index) {
      std::optional<bool> isTaken = true;
      Source from = sourceOf(device, index, isTaken);
      bool isOwn = from->first == device && from->second == index;
      // What nobody reads keeps what the buffer of the result had.
      if (isOwn ? isInPlace || !hasWindows : isTaken.value_or(false))
        expect(device, index, inputs[from->first].get(from->second));
      else if (isInPlace && isTaken)
        expect(device, index, inputs[device].get(index));
    });
  call = [=](const int64_t *input, const int64_t *result) {
    shard_rt_update_halo("at", group.data(), type, input, result, perDim.data(),
                         halos.data(), hasWindows ? windows.data() : nullptr);
  };
}

int64_t CollectiveCase::wrapped(int64_t value, int64_t type) {
  if (type == SHARD_RT_F32 || type == SHARD_RT_F64)
    return value;
  int64_t shift = type == SHARD_RT_I1 ? 63 : 64 - 8 * widthOf(type);
  return int64_t(uint64_t(value) << shift) >> shift;
}

int64_t CollectiveCase::combine(int64_t kind, const Numbers &values) const {
  int64_t result = values.front();
  // Of a width less than 64 bits, negative numbers are above all others.
  auto asUnsigned = [](int64_t value) { return uint64_t(value); };
  for (size_t i = 1; i < values.size(); ++i) {
    int64_t value = values[i];
    switch (kind) {
    case SHARD_RT_PRODUCT:
      result = wrapped(result * value, type);
      break;
    case SHARD_RT_MAX:
      result = std::max(result, value);
      break;
    case SHARD_RT_MIN:
      result = std::min(result, value);
      break;
    case SHARD_RT_UMAX:
      result = asUnsigned(result) < asUnsigned(value) ? value : result;
      break;
    case SHARD_RT_UMIN:
      result = asUnsigned(value) < asUnsigned(result) ? value : result;
      break;
    case SHARD_RT_BITWISE_AND:
      result &= value;
      break;
    case SHARD_RT_BITWISE_OR:
      result |= value;
      break;
    case SHARD_RT_BITWISE_XOR:
      result ^= value;
      break;
    default:
      result += value;
    }
  }
  if (kind == SHARD_RT_AVERAGE)
    result /= int64_t(values.size());
  return wrapped(result, type);
}

void CollectiveCase::makeReduction() {
  static const Numbers types = {SHARD_RT_I8,  SHARD_RT_I16, SHARD_RT_I32,
                                SHARD_RT_I64, SHARD_RT_F32, SHARD_RT_F64};
  type = rng.oneOf(types);
  bool isFloat = type == SHARD_RT_F32 || type == SHARD_RT_F64;
  int64_t kind =
      rng.between(SHARD_RT_SUM, isFloat ? SHARD_RT_AVERAGE : SHARD_RT_UMAX);
  int64_t form = rng.between(0, 2), dim = rng.between(0, 2);
  int64_t root = rng.between(0, size - 1);
  // Long runs and short ones take different ways.
  Numbers whole = {rng.between(1, 3), rng.between(1, 9),
                   rng.chance(20) ? rng.between(20, 40) : rng.between(1, 3)};
  Cut cut(whole[dim], grid.sizes(axes));
  setSizes(whole, form == 2 ? with(whole, dim, cut.width) : whole,
           /*isContiguous=*/true);
  if (isFloat && kind == SHARD_RT_AVERAGE)
    for (Buffer &buffer : inputs)
      buffer.forEach([&](const Numbers &index) {
        buffer.set(index, buffer.get(index) * size);
      });
  static const std::vector<std::string> names = {"all_reduce", "reduce",
                                                 "reduce_scatter"};
  name = names[form] + " " + std::to_string(kind);
  mayStart = form != 1;
  for (int64_t device = 0; device < grid.numDevices(); ++device)
    results[device].forEach([&](const Numbers &index) {
      int64_t here = grid.positionInGroup(device, axes);
      int64_t element = form == 2 ? cut.element(here, index[dim]) : index[dim];
      if (element < 0 || (form == 1 && here != root))
        return expect(device, index, 0);
      Numbers values;
      for (int64_t member : grid.groupMembers(device, axes))
        values.push_back(inputs[member].get(with(index, dim, element)));
      expect(device, index, combine(kind, values));
    });
  Numbers at = delinearize(root, grid.sizes(axes));
  call = [=](const int64_t *input, const int64_t *result) {
    if (form == 0)
      shard_rt_all_reduce("at", group.data(), type, input, result, kind);
    else if (form == 1)
      shard_rt_reduce("at", group.data(), type, input, result, kind, at.data());
    else
      shard_rt_reduce_scatter("at", group.data(), type, input, result, kind,
                              dim);
  };
}

void CollectiveCase::makeRedistribution() {
  Numbers whole = {rng.between(1, 9), rng.between(1, 9)};
  // How each dimension is split before and after.
  std::vector<AxisList> splits[2];
  for (std::vector<AxisList> &dims : splits) {
    dims.resize(2);
    std::vector<GridAxis> order(axes.begin(), axes.end());
    rng.shuffle(order);
    for (GridAxis axis : order)
      if (rng.chance(75))
        dims[rng.between(0, 1)].push_back(axis);
  }
  auto cutsOf = [&](const std::vector<AxisList> &dims) {
    return std::vector<Cut>{{whole[0], grid.sizes(dims[0])},
                            {whole[1], grid.sizes(dims[1])}};
  };
  std::vector<Cut> before = cutsOf(splits[0]), after = cutsOf(splits[1]);
  setSizes({before[0].width, before[1].width},
           {after[0].width, after[1].width});
  auto elementAt = [&](int64_t device, const std::vector<AxisList> &dims,
                       const std::vector<Cut> &cuts, const Numbers &index) {
    int64_t number = 0;
    for (size_t dim = 0; dim < 2; ++dim) {
      int64_t element = cuts[dim].element(
          grid.positionInGroup(device, dims[dim]), index[dim]);
      if (element < 0)
        return int64_t(0);
      number = number * whole[dim] + element;
    }
    // Each group has a tensor of its own.
    return wrapped(number + 7 * grid.groupMembers(device, axes).front() + 1,
                   type);
  };
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    inputs[device].forEach([&](const Numbers &index) {
      inputs[device].set(index, elementAt(device, splits[0], before, index));
    });
    results[device].forEach([&](const Numbers &index) {
      expect(device, index, elementAt(device, splits[1], after, index));
    });
  }
  name = "redistribute";
  Numbers lists[2];
  for (int side = 0; side < 2; ++side)
    for (const AxisList &dim : splits[side]) {
      Numbers words = listed(dim);
      lists[side].insert(lists[side].end(), words.begin(), words.end());
    }
  Numbers from = lists[0], to = lists[1];
  call = [=](const int64_t *input, const int64_t *result) {
    shard_rt_redistribute("at", group.data(), type, input, result, whole.data(),
                          from.data(), to.data());
  };
}

} // namespace shard::fuzz
