//===- Calls.cpp - The collectives of Runtime.h, decoded and checked ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function decodes its words, checks what this device can check alone, has
// the back end move the data, and records the call. The checks of Runtime.h that
// take several devices are the back end's, by compareCalls (Call.h).
//
//===----------------------------------------------------------------------===//

#include "Collective.h"

#include <algorithm>

using namespace shard;
using namespace shard::runtime;

namespace {

Collective begin(Kind kind, const char *location, const int64_t *group,
                 int64_t type, const int64_t *input, const int64_t *result) {
  Collective c(kind, location);
  c.setType(type);
  if (input)
    c.setInput(input);
  if (result)
    c.setResult(result);
  c.join(group);
  settle(c.device, kind);
  return c;
}

/// The bytes of the other devices' pieces of the input, which is cut along `dim`. All pieces count
/// as many elements as the largest one, the first, has.
int64_t bytesOfOthers(const Collective &c, int64_t dim) {
  const View &in = c.call.input;
  int64_t extent = in.sizes[dim];
  return extent == 0 ? 0
                     : (c.group->size - 1) * (in.bytes() / extent) *
                           c.group->block(extent, 0).size;
}

} // namespace

int64_t shard_rt_process_linear_index(void) {
  Device *device = backend::currentDevice();
  return device ? device->index : 0;
}

int64_t shard_rt_grid_extent(const char *location, int64_t grid_rank,
                             const int64_t *extents, int64_t axis) {
  Device *device = backend::currentDevice();
  static const Grid single;
  const Grid &running = device ? *device->grid : single;
  int64_t extent = gridExtent(running, grid_rank, extents, axis);
  if (extent > 0)
    return extent;
  char text[kMessageBytes];
  snprintf(
      text, sizeof(text),
      "the extent of grid axis %d at %s does not follow from the grid that "
      "runs",
      int(axis), location);
  shard_rt_fail(text);
  return 0;
}

int64_t shard_rt_group_size(const char *location, const int64_t *group) {
  Collective c(Kind::AllSlice, location);
  c.join(group);
  return c.group->size;
}

int64_t shard_rt_divide_extent(const char *location, const int64_t *group,
                               int64_t extent) {
  Collective c(Kind::AllSlice, location);
  c.join(group);
  if (extent % c.group->size == 0)
    return extent / c.group->size;
  // Named by its place alone: several collectives cut.
  char text[512];
  snprintf(
      text, sizeof(text),
      "at %s: a dynamic dimension of extent %lld is cut over a group of "
      "%lld devices, which does not divide it; state uneven_dynamic on the "
      "grid (--uneven-dynamic), or give a static extent",
      location, (long long)extent, (long long)c.group->size);
  shard_rt_fail(text);
  return 0;
}

void shard_rt_start(const char *location) {
  deviceFor(location, Kind::Barrier).startsNext = true;
}

void shard_rt_wait(const char *, const void *result, const void *) {
  if (Device *device = backend::currentDevice(); device && result)
    backend::wait(*device, result);
}

void shard_rt_barrier(const char *location, const int64_t *group) {
  Collective c(Kind::Barrier, location);
  c.join(group);
  settle(c.device, Kind::Barrier);
  backend::barrier(c);
  c.record(0);
}

void shard_rt_all_gather(const char *location, const int64_t *group,
                         int64_t type, const int64_t *input,
                         const int64_t *result, int64_t dim) {
  Collective c = begin(Kind::AllGather, location, group, type, input, result);
  c.checkDim("dimension", dim);
  c.checkShapes(dim);
  c.call.freeDim = dim;
  c.execute((c.group->size - 1) * c.call.input.bytes(),
            [dim](Collective &c) { backend::allGather(c, dim); });
}

void shard_rt_gather(const char *location, const int64_t *group, int64_t type,
                     const int64_t *input, const int64_t *result, int64_t dim,
                     const int64_t *root) {
  Collective c = begin(Kind::Gather, location, group, type, input, result);
  c.checkDim("dimension", dim);
  c.checkShapes(dim);
  c.call.freeDim = dim;
  int64_t to = c.positionOf("root", root);
  backend::gather(c, dim, to);
  c.record(to == c.group->position ? 0 : c.call.input.bytes());
}

void shard_rt_all_slice(const char *location, const int64_t *group,
                        int64_t type, const int64_t *input,
                        const int64_t *result, int64_t dim) {
  Collective c = begin(Kind::AllSlice, location, group, type, input, result);
  c.checkDim("dimension", dim);
  c.checkShapes(dim);
  c.checkCut(dim, c.call.input.sizes[dim], c.call.result.sizes[dim]);
  cutBlock(*c.group, c.group->position, c.call.result, c.call.input, dim);
  c.record(0);
}

void shard_rt_scatter(const char *location, const int64_t *group, int64_t type,
                      const int64_t *input, const int64_t *result, int64_t dim,
                      const int64_t *root) {
  Collective c = begin(Kind::Scatter, location, group, type, input, result);
  c.checkDim("dimension", dim);
  c.checkShapes(dim);
  c.checkCut(dim, c.call.input.sizes[dim], c.call.result.sizes[dim]);
  int64_t from = c.positionOf("root", root);
  backend::scatter(c, dim, from);
  c.record(from == c.group->position ? bytesOfOthers(c, dim) : 0);
}

void shard_rt_all_to_all(const char *location, const int64_t *group,
                         int64_t type, const int64_t *input,
                         const int64_t *result, int64_t split_dim,
                         int64_t concat_dim) {
  Collective c = begin(Kind::AllToAll, location, group, type, input, result);
  c.checkDim("split dimension", split_dim);
  c.checkDim("concat dimension", concat_dim);
  const View &in = c.call.input, &out = c.call.result;
  if (split_dim == concat_dim) {
    c.checkShapes();
    if (in.sizes[split_dim] % c.group->size != 0)
      fail(c.device, c.call,
           "the split dimension is also the concat dimension, but its extent "
           "is not divisible by the group's size %lld",
           static_cast<long long>(c.group->size));
  } else {
    c.checkShapes(split_dim, concat_dim);
    c.checkCut(split_dim, in.sizes[split_dim], out.sizes[split_dim]);
    c.checkCut(concat_dim, out.sizes[concat_dim], in.sizes[concat_dim]);
  }
  c.execute(bytesOfOthers(c, split_dim), [=](Collective &c) {
    backend::allToAll(c, split_dim, concat_dim);
  });
}

void shard_rt_broadcast(const char *location, const int64_t *group,
                        int64_t type, const int64_t *input,
                        const int64_t *result, const int64_t *root) {
  Collective c = begin(Kind::Broadcast, location, group, type, input, result);
  c.checkShapes();
  int64_t from = c.positionOf("root", root);
  bool sends = from == c.group->position && c.group->size > 1;
  c.execute(sends ? c.call.input.bytes() : 0,
            [from](Collective &c) { backend::broadcast(c, from); });
}

void shard_rt_all_reduce(const char *location, const int64_t *group,
                         int64_t type, const int64_t *input,
                         const int64_t *result, int64_t reduction) {
  Collective c = begin(Kind::AllReduce, location, group, type, input, result);
  c.checkShapes();
  Reduction kind = c.reductionOf(reduction);
  c.execute(2 * (c.group->size - 1) * c.call.input.bytes() / c.group->size,
            [kind](Collective &c) { backend::allReduce(c, kind); });
}

void shard_rt_reduce(const char *location, const int64_t *group, int64_t type,
                     const int64_t *input, const int64_t *result,
                     int64_t reduction, const int64_t *root) {
  Collective c = begin(Kind::Reduce, location, group, type, input, result);
  c.checkShapes();
  Reduction kind = c.reductionOf(reduction);
  backend::reduce(c, kind, c.positionOf("root", root));
  c.record((c.group->size - 1) * c.call.input.bytes() / c.group->size);
}

void shard_rt_reduce_scatter(const char *location, const int64_t *group,
                             int64_t type, const int64_t *input,
                             const int64_t *result, int64_t reduction,
                             int64_t dim) {
  Collective c =
      begin(Kind::ReduceScatter, location, group, type, input, result);
  Reduction kind = c.reductionOf(reduction);
  c.checkDim("dimension", dim);
  c.checkShapes(dim);
  c.checkCut(dim, c.call.input.sizes[dim], c.call.result.sizes[dim]);
  c.execute(bytesOfOthers(c, dim),
            [=](Collective &c) { backend::reduceScatter(c, kind, dim); });
}

void shard_rt_send(const char *location, const int64_t *group, int64_t type,
                   const int64_t *input, const int64_t *destination) {
  Collective c = begin(Kind::Send, location, group, type, input, nullptr);
  int64_t to = c.positionOf("destination", destination);
  backend::send(c, to);
  c.record(to == c.group->position ? 0 : c.call.input.bytes());
}

void shard_rt_recv(const char *location, const int64_t *group, int64_t type,
                   const int64_t *result, const int64_t *source) {
  Collective c = begin(Kind::Recv, location, group, type, nullptr, result);
  backend::receive(c, source ? c.positionOf("source", source) : -1);
  c.record(0);
}

void shard_rt_shift(const char *location, const int64_t *group, int64_t type,
                    const int64_t *input, const int64_t *result,
                    const int64_t *axes, int64_t offset, int64_t rotate,
                    int64_t mirror) {
  Collective c = begin(Kind::Shift, location, group, type, input, result);
  c.checkShapes();
  const Group &g = *c.group;
  if (axes[0] < 1 || axes[0] > int64_t(g.axes.size()))
    fail(c.device, c.call, "a shift along %lld axes of a group along %lld",
         static_cast<long long>(axes[0]),
         static_cast<long long>(g.axes.size()));
  for (int64_t i = 1; i <= axes[0]; ++i)
    c.call.add("axis", axes[i]);
  c.call.add("offset", offset);
  c.call.add("rotate", rotate != 0);
  c.call.add("mirror", mirror != 0);

  // The stride of each axis in the group, and its place in the group's list.
  size_t places[kMaxRank];
  int64_t strides[kMaxRank], extent = 1, here = 0;
  for (int64_t i = 0; i < axes[0]; ++i) {
    int64_t stride = g.size;
    size_t index = 0;
    for (; index < g.axes.size(); ++index) {
      stride /= g.sizes[index];
      if (g.axes[index] == axes[i + 1])
        break;
    }
    if (index == g.axes.size())
      fail(c.device, c.call, "the shift axis is not one of the group's axes");
    places[i] = index;
    strides[i] = stride;
    extent *= g.sizes[index];
    here = here * g.sizes[index] + g.coordinates[g.position][index];
  }

  // Modulo or clamped first: sums may overflow.
  offset =
      rotate ? offset % extent : std::clamp(offset, -2 * extent, 2 * extent);
  // The device at position `there` along the axes; -1 if there is none.
  auto partner = [&](int64_t there) -> int64_t {
    if (rotate)
      there = (there % extent + extent) % extent;
    if (there < 0 || there >= extent)
      return -1;
    int64_t device = g.position;
    for (int64_t i = axes[0]; i-- > 0;) {
      int64_t size = g.sizes[places[i]];
      device +=
          (there % size - g.coordinates[g.position][places[i]]) * strides[i];
      there /= size;
    }
    return device;
  };
  int64_t from = partner(mirror ? offset - here : here - offset);
  int64_t to = partner(mirror ? offset - here : here + offset);
  c.execute(to < 0 || to == g.position ? 0 : c.call.input.bytes(),
            [=](Collective &c) { backend::exchange(c, from, to); });
}

void shard_rt_update_halo(const char *location, const int64_t *group,
                          int64_t type, const int64_t *input,
                          const int64_t *result, const int64_t *axes_per_dim,
                          const int64_t *halos, const int64_t *windows) {
  Collective c = begin(Kind::UpdateHalo, location, group, type, input, result);
  if (c.call.input.rank != c.call.result.rank)
    fail(c.device, c.call, "input and result differ in rank");
  int64_t numAxes = 0;
  for (int64_t d = 0; d < c.call.input.rank; ++d) {
    numAxes += axes_per_dim[d];
    int64_t low = halos[2 * d], high = halos[2 * d + 1];
    c.call.add("axes", axes_per_dim[d]);
    c.call.add("halo", low);
    c.call.add("halo", high);
    if (low < 0 || high < 0 || low + high > c.call.input.sizes[d])
      fail(c.device, c.call,
           "halos of %lld and %lld do not fit dimension %d of extent %lld",
           static_cast<long long>(low), static_cast<long long>(high), int(d),
           static_cast<long long>(c.call.input.sizes[d]));
    if (c.call.input.sizes[d] != c.call.result.sizes[d])
      fail(c.device, c.call, "input and result differ in dimension %d", int(d));
  }
  if (numAxes != int64_t(c.group->axes.size()))
    fail(c.device, c.call,
         "the axes per dimension do not add up to the group's");
  for (int64_t d = 0; windows && d < c.call.input.rank; ++d) {
    const int64_t *window = windows + 7 * d;
    for (int64_t i = 0; i < 7; ++i)
      c.call.add("window", window[i]);
    if (window[0] < 0 || window[3] < 0 || (window[3] > 0 && window[1] == 0) ||
        window[5] < 0 || (window[3] > 0 && window[6] <= 0))
      fail(c.device, c.call, "the window of dimension %d is none", int(d));
  }
  const HaloPlan &plan = c.device.haloPlans.get(*c.group, c.call.input,
                                                {axes_per_dim, halos, windows});
  backend::moveBoxes(c, plan);
  c.record(plan.sentElements * c.call.input.elementBytes);
}

namespace {

bool lists(const Group &group, int64_t axis) {
  return std::find(group.axes.begin(), group.axes.end(), axis) !=
         group.axes.end();
}

/// The axes of two groups on one grid, those of both in the first's place.
struct AxisUnion {
  int64_t axes[2 * kMaxRank];
  int64_t extents[2 * kMaxRank];
  int64_t count = 0;

  AxisUnion(const Group &first, const Group &second) {
    for (GridAxis axis : first.axes)
      add(first.grid, axis);
    for (GridAxis axis : second.axes)
      if (!lists(first, axis))
        add(first.grid, axis);
  }
  void add(const Grid &grid, int64_t axis) {
    axes[count] = axis;
    extents[count++] = grid.shape[axis];
  }
};

/// The number by `to` of the device that has `number` by `from`; both list the
/// same axes.
int64_t renumber(int64_t number, const AxisUnion &from, const AxisUnion &to) {
  int64_t coordinates[kMaxRank] = {};
  for (int64_t i = from.count; i-- > 0;) {
    coordinates[from.axes[i]] = number % from.extents[i];
    number /= from.extents[i];
  }
  for (int64_t i = 0; i < to.count; ++i)
    number = number * to.extents[i] + coordinates[to.axes[i]];
  return number;
}

} // namespace

void shard_rt_permute(const char *location, const int64_t *group, int64_t type,
                      const int64_t *input, const int64_t *result,
                      const int64_t *to) {
  Collective c = begin(Kind::Permute, location, group, type, input, result);
  c.checkShapes();
  const Group &from = *c.group;
  int64_t gridRank = group[0], numTo = to[0];
  if (numTo < 0 || numTo > gridRank)
    fail(c.device, c.call, "permute to %lld axes of a grid of %lld axes",
         static_cast<long long>(numTo), static_cast<long long>(gridRank));

  // Validates `to`.
  int64_t words[3 * kMaxRank + 2];
  std::copy(group, group + 1 + gridRank, words);
  words[1 + gridRank] = numTo;
  std::copy(to + 1, to + 1 + numTo, words + 2 + gridRank);
  const Group &target = groupOf(c.device, c.call, words);
  if (target.size != from.size)
    fail(c.device, c.call,
         "permute from axes that make %lld parts to axes that make %lld",
         static_cast<long long>(from.size),
         static_cast<long long>(target.size));

  // The devices that exchange agree outside of both lists.
  AxisUnion before(from, target), after(target, from);
  words[1 + gridRank] = before.count;
  std::copy(before.axes, before.axes + before.count, words + 2 + gridRank);
  Group &all = groupOf(c.device, c.call, words);
  c.group = &all;
  for (GridAxis axis : target.axes)
    c.call.add("to axis", axis);

  // A device's position in `all` is its number by `before`: by from, then by
  // to \ from. It receives from the device that has there its own number by
  // `after`: by to, then by from \ to.
  int64_t source = renumber(all.position, before, after);
  int64_t destination = renumber(all.position, after, before);
  c.execute(source == all.position ? 0 : c.call.input.bytes(),
            [=](Collective &c) { backend::exchange(c, source, destination); });
}

namespace {

/// The axes of each dimension that `words` list, as indices into the group's.
std::vector<std::vector<size_t>> splitsOf(Collective &c, const char *name,
                                          const int64_t *words) {
  const AxisList &axes = c.group->axes;
  std::vector<std::vector<size_t>> split(c.call.input.rank);
  std::vector<bool> isNamed(axes.size());
  int64_t left = axes.size(); // to be named; a count above it has no words
  for (std::vector<size_t> &dim : split) {
    int64_t count = *words++;
    c.call.add(name, count);
    if (count < 0 || count > left)
      fail(c.device, c.call, "%s names %lld axes where the group has %lld left",
           name, static_cast<long long>(count), static_cast<long long>(left));
    left -= count;
    for (int64_t i = 0; i < count; ++i, ++words) {
      c.call.add("axis", *words);
      auto found = std::find(axes.begin(), axes.end(), *words);
      size_t index = found - axes.begin();
      if (found == axes.end() || isNamed[index])
        fail(c.device, c.call, "axis %lld is not one of the group's, or twice",
             static_cast<long long>(*words));
      isNamed[index] = true;
      dim.push_back(index);
    }
  }
  return split;
}

/// Fails unless `view` is a block of `extents` that the axes `split` cut.
void checkBlock(Collective &c, const char *name, const View &view,
                const Redistribution &whole,
                const std::vector<std::vector<size_t>> &split) {
  for (int64_t d = 0; d < view.rank; ++d) {
    int64_t parts = 1;
    for (size_t axis : split[d])
      parts *= whole.sizes[axis];
    if (view.sizes[d] != ceilDiv(whole.extents[d], parts))
      fail(c.device, c.call, "dimension %d of the %s is no block of %lld",
           int(d), name, static_cast<long long>(whole.extents[d]));
  }
}

} // namespace

void shard_rt_redistribute(const char *location, const int64_t *group,
                           int64_t type, const int64_t *input,
                           const int64_t *result, const int64_t *extents,
                           const int64_t *from, const int64_t *to) {
  Collective c =
      begin(Kind::Redistribute, location, group, type, input, result);
  if (c.call.input.rank != c.call.result.rank)
    fail(c.device, c.call, "input and result differ in rank");
  if (c.group->size > kMaxRedistributingDevices)
    fail(c.device, c.call, "groups have at most %lld devices",
         static_cast<long long>(kMaxRedistributingDevices));
  const HaloPlan *plan = nullptr;
  {
    Redistribution whole;
    whole.sizes = c.group->sizes;
    for (int64_t d = 0; d < c.call.input.rank; ++d) {
      c.call.add("extent", extents[d]);
      whole.extents.push_back(extents[d]);
    }
    whole.from = splitsOf(c, "from", from);
    whole.to = splitsOf(c, "to", to);
    checkBlock(c, "input", c.call.input, whole, whole.from);
    checkBlock(c, "result", c.call.result, whole, whole.to);
    plan = &c.device.haloPlans.get(*c.group, whole);
  }
  if (plan->leavesPadding)
    fillZero(c.call.result);
  backend::moveBoxes(c, *plan);
  c.record(plan->sentElements * c.call.input.elementBytes);
}
