//===- Windows.cpp - What a block of an op reads of its operands ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/Windows.h"

#include "shard/Partitioning/ShardingOption.h"

#include <limits>

using namespace mlir;

namespace shard {

bool readsWindow(const LoopTable &table, unsigned index,
                 const ShardingOption &option) {
  const TensorLoops &tensor = table.operands[index];
  for (auto [dim, loops] : llvm::enumerate(tensor.dims))
    if (tensor.isWindow(dim) && !option.loops[loops.front()].empty())
      return true;
  return false;
}

TensorWindow windowOf(const LoopTable &table, unsigned index,
                      RankedTensorType type, const ShardingOption &option) {
  const TensorLoops &tensor = table.operands[index];
  Sharding sharding = operandSharding(table, index, option);
  TensorWindow dims;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    DimWindow &window = dims.emplace_back();
    window.iterations = extent;
    window.axes = sharding.dims[dim];
    window.valid = {0, extent};
    if (!tensor.isWindow(dim))
      continue;
    const Loop &loop = table.loops[tensor.dims[dim].front()];
    // Where the loop is not split, the op gets the dimension as it is.
    if (window.axes.empty()) {
      if (loop.slidesOverUnknown)
        continue;
      window.unsplit = {loop.extent, *tensor.windows[dim], window.valid};
      continue;
    }
    window.iterations = loop.extent;
    window.window = *tensor.windows[dim];
    if (loop.slidesOverUnknown)
      window.count = loop.count;
  }
  return dims;
}

void growWindow(const PartitionContext &context, unsigned index,
                TensorWindow &window) {
  const TensorLoops &tensor = context.table.operands[index];
  for (auto [dim, loops] : llvm::enumerate(tensor.dims)) {
    if (loops.size() != 1 || window[dim].axes.empty())
      continue;
    Growth growth = context.growthOf(loops.front());
    Window &reads = window[dim].window;
    reads.offset -= reads.stride * growth.low;
    reads.reach += reads.stride * (growth.low + growth.high);
  }
}

/// The place at which dimension `dim` of the result of a view begins in its operand;
/// nothing where the two are not elements in the same order.
static std::optional<int64_t> beginOfView(const LoopTable &table,
                                          unsigned dim) {
  const TensorLoops &operand = table.operands.front();
  const DimLoops &from = operand.dims[dim];
  if (from.empty() || from != table.results.front().dims[dim])
    return std::nullopt;
  if (!operand.isWindow(dim))
    return 0;
  const Window &window = *operand.windows[dim];
  if (window.stride != 1 || window.reach != 1)
    return std::nullopt;
  return window.offset;
}

/// Makes `window`, of which something may lie outside if there is a `fill`, one of the
/// operand of a view that slides over a dimension of unknown extent from `begin` on. The
/// elements outside of the operand are then `viewFill`, and there are none if that is
/// null: the view is a slice. False where a slice leaves elements out that count.
static bool throughUnknown(int64_t begin, OpFoldResult fill,
                           OpFoldResult viewFill, DimWindow &window) {
  if (!window.slidesOverUnknown() || (fill && !viewFill))
    return false;
  window.window.offset += begin;
  return true;
}

bool throughView(const LoopTable &table, RankedTensorType type,
                 OpFoldResult fill, WindowSource &source) {
  if (type.getRank() != source.type.getRank())
    return false;
  TensorWindow dims = source.dims;
  bool fills = false, filled = false;
  for (auto [dim, window] : llvm::enumerate(dims)) {
    std::optional<int64_t> begin = beginOfView(table, dim);
    if (!begin)
      return false;
    int64_t extent = type.getDimSize(dim);
    bool isWindow = table.operands.front().isWindow(dim);
    if (ShapedType::isDynamic(extent) && source.type.isDynamicDim(dim) &&
        isWindow) {
      if (!throughUnknown(*begin, source.fill, fill, window))
        return false;
      fills |= bool(fill);
      continue;
    }
    if (*begin == 0 && extent == source.type.getDimSize(dim))
      continue;
    if (ShapedType::isDynamic(extent) || source.type.isDynamicDim(dim))
      return false;
    filled |= window.reachesOutside();
    window.window.offset += *begin;
    if (window.unsplit)
      window.unsplit->window.offset += *begin;
    int64_t first = window.valid.offset + *begin;
    int64_t last = first + window.valid.size;
    fills |= first < 0 || last > extent;
    first = std::clamp<int64_t>(first, 0, extent);
    last = std::clamp<int64_t>(last, first, extent);
    window.valid = {first, last - first};
  }
  for (const DimWindow &window : source.dims)
    filled |= window.reachesOutside();
  // One element fills what the windows reach outside of.
  if (fills && (!fill || (filled && source.fill && fill != source.fill)))
    return false;
  if (fills)
    source.fill = fill;
  source.dims = std::move(dims);
  source.type = type;
  return true;
}

void noteSpread(Operation *maker, WindowSource &source) {
  source.steps.clear();
  source.spreadFill = {};
  auto op = dyn_cast_or_null<ShardingInterface>(maker);
  if (!op || !source.type.hasStaticShape())
    return;
  SmallVector<int64_t, 4> steps;
  OpFoldResult fill;
  for (unsigned dim = 0; dim < source.dims.size(); ++dim) {
    Spread spread = op.getElementSpread(dim);
    steps.push_back(spread.step);
    if (spread.step == 1)
      continue;
    if ((fill && fill != spread.fill) ||
        (source.fill && source.fill != spread.fill))
      return;
    fill = spread.fill;
  }
  if (!fill)
    return;
  source.steps = std::move(steps);
  source.spreadFill = fill;
}

//===----------------------------------------------------------------------===//
// Which halos
//===----------------------------------------------------------------------===//

static std::optional<HaloNeed> needOf(const WindowSource &source, unsigned dim,
                                      const AxisList &axes, const Grid &grid) {
  const DimWindow &window = source.dims[dim];
  int64_t extent = source.type.getDimSize(dim);
  if (window.slidesOverUnknown() ||
      (window.axes == axes && window.isBlock(extent)))
    return std::nullopt;
  return haloNeed(extent, grid.sizes(axes), window.iterations,
                  grid.sizes(window.axes), window.window, window.valid);
}

/// The parts of blocks that dimension `dim` of the windows is made of, where shifting
/// them costs less than halos and than a gather, and as much if `isPreferred`; adds what
/// it costs to `cost`.
static std::optional<std::vector<BlockPart>>
partsToShift(const WindowSource &source, unsigned dim, const Emission &emission,
             bool isPreferred, double &cost) {
  const Grid &grid = emission.grid;
  const AxisList &axes = source.sharding.dims[dim];
  const DimWindow &window = source.dims[dim];
  int64_t extent = source.type.getDimSize(dim);
  std::vector<int64_t> sizes = grid.sizes(axes);
  if (window.axes != axes || window.isBlock(extent) ||
      window.slidesOverUnknown() || grid.groupSize(axes) == 1)
    return std::nullopt;
  std::optional<HaloNeed> need = needOf(source, dim, axes, grid);
  if (!need || (need->low == 0 && need->high == 0))
    return std::nullopt;
  std::optional<std::vector<BlockPart>> parts = blockParts(
      extent, sizes, window.iterations, sizes, window.window, window.valid);
  if (!parts)
    return std::nullopt;
  double row = double(elementBytes(source.type));
  for (auto [other, size] : llvm::enumerate(source.type.getShape()))
    if (other != dim && !ShapedType::isDynamic(size))
      row *= double(
          localExtent(size, grid.groupSize(source.sharding.dims[other])));
  if (row == 0)
    return std::nullopt;
  const CostModel &model = emission.planner.costModel();
  double shifts = 0;
  bool mirrored = window.window.stride < 0;
  for (const BlockPart &part : *parts)
    if (part.distance != 0 || mirrored)
      shifts += model.cost(Collective::Shift, axes,
                           row * double(part.end - part.begin));
  int64_t groupSize = grid.groupSize(axes);
  int64_t width = localExtent(extent, groupSize);
  double halos = model.cost(
      Collective::UpdateHalo, axes,
      row * double(mostSentToHalos(need->low, need->high, width, groupSize)));
  double gather = model.cost(
      Collective::AllGather, axes,
      bytesSent(Collective::AllGather, groupSize, row * double(width)));
  double others = std::min(halos, gather);
  if (shifts > others || (shifts == others && !isPreferred))
    return std::nullopt;
  cost += shifts;
  return parts;
}

/// Makes dimension `dim` of `source` what it is when each device has its window of it.
static void makeBlock(WindowSource &source, unsigned dim, const Grid &grid) {
  DimWindow &window = source.dims[dim];
  int64_t parts = grid.groupSize(window.axes);
  int64_t extent =
      parts * window.window.span(localExtent(window.iterations, parts));
  SmallVector<int64_t> shape(source.type.getShape());
  shape[dim] = extent;
  source.type = source.type.clone(shape);
  window = {extent, window.axes, Window(), {0, extent}};
  if (!source.steps.empty())
    source.steps[dim] = 1;
}

namespace {

/// What devices read of halos, and how many elements all of them send if all of the
/// halos is sent and if only that is.
struct CountedReads {
  HaloWindows reads;
  double all = 0, read = 0;
};

} // namespace

/// Nothing where blocks are too many to be counted.
static std::optional<CountedReads> countReads(const HaloExchange &exchange,
                                              const Grid &grid) {
  const WindowSource &source = exchange.rest;
  HaloWindows reads(source.dims.size());
  double all = 1, allOwn = 1, less = 1, lessOwn = 1;
  for (auto [dim, axes] : llvm::enumerate(exchange.gathered.dims)) {
    int64_t extent = source.type.getDimSize(dim);
    if (ShapedType::isDynamic(extent))
      continue;
    const DimWindow &window = source.dims[dim];
    HaloDimension dimension;
    dimension.split = grid.sizes(axes);
    int64_t parts = dimension.parts();
    if (parts > kMaxComparedBlocks)
      return std::nullopt;
    dimension.core = localExtent(extent, parts);
    if (!axes.empty() && exchange.needs[dim]) {
      dimension.low = exchange.needs[dim]->low;
      dimension.high = exchange.needs[dim]->high;
    }
    auto add = [&](double &sum, double &own) {
      int64_t ofAll = 0, ofOwn = 0;
      for (const HaloShare &share : haloShares(dimension)) {
        ofAll += share.all;
        ofOwn += share.own;
      }
      sum *= double(ofAll);
      own *= double(ofOwn);
    };
    add(all, allOwn);
    // Of a dimension that is gathered devices read different parts. Blocks that are
    // nested unevenly do not lie where an exchange takes them for.
    if (axes == window.axes && cutsAtOnce(extent, dimension.split)) {
      WindowReads read =
          window.unsplit
              ? *window.unsplit
              : WindowReads{window.iterations, window.window, window.valid};
      read.valid = window.valid;
      if (int64_t step = source.stepOf(dim); step > 1) {
        int64_t end = read.valid.offset + read.valid.size;
        int64_t first = ceilDiv(read.valid.offset, step) * step;
        read.valid = {first, std::max<int64_t>(end - first, 0)};
        read.step = step;
      }
      if (!axes.empty() || read != WindowReads{extent, Window(), {0, extent}})
        reads[dim] = read;
    }
    dimension.reads = reads[dim];
    add(less, lessOwn);
  }
  return CountedReads{std::move(reads), all - allOwn, less - lessOwn};
}

HaloWindows readsOf(const HaloExchange &exchange, const Grid &grid) {
  std::optional<CountedReads> counted = countReads(exchange, grid);
  if (!counted || counted->read >= counted->all)
    return {};
  return std::move(counted->reads);
}

/// What `plan`, which fills the halos of `exchange`, costs less because of a spread tensor
/// only elements with data are sent: the planner prices whole halos.
static double savedBySpread(const HaloExchange &exchange, const Plan &plan,
                            const Emission &emission) {
  if (exchange.rest.steps.empty())
    return 0;
  std::optional<CountedReads> counted = countReads(exchange, emission.grid);
  if (!counted || counted->read >= counted->all)
    return 0;
  double saved = 0;
  for (const Step &step : plan.steps)
    if (step.kind == Step::Kind::UpdateHalo && step.bytesSent > 0) {
      double bytes = double(step.bytesSent) * counted->read / counted->all;
      saved += step.cost;
      if (bytes > 0)
        saved -= emission.planner.costModel().cost(Collective::UpdateHalo,
                                                   step.axes, bytes);
    }
  return saved;
}

HaloExchange planExchange(const WindowSource &start, const Emission &emission,
                          bool prefersShifts) {
  const Grid &grid = emission.grid;
  HaloExchange exchange;
  exchange.rest = start;
  WindowSource &source = exchange.rest;
  double shiftCost = 0;
  for (unsigned dim = 0; dim < source.dims.size(); ++dim) {
    std::optional<std::vector<BlockPart>> parts =
        partsToShift(source, dim, emission, prefersShifts, shiftCost);
    if (!parts)
      continue;
    exchange.shifted.push_back(
        {dim, std::move(*parts), source.dims[dim].window.stride < 0});
    makeBlock(source, dim, grid);
  }
  std::vector<int64_t> shape = shapeOf(source.type);
  exchange.gathered = source.sharding;
  auto priceOf = [&](const Sharding &from, const Sharding &to,
                     const Plan *&plan) {
    plan = from == to ? nullptr
                      : planWithUnknowns(emission.planner, grid, shape,
                                         elementBytes(source.type), from, to);
    return from == to ? 0
           : plan     ? plan->cost
                      : std::numeric_limits<double>::infinity();
  };
  while (true) {
    exchange.needs.clear();
    exchange.widened = exchange.gathered;
    bool any = false, again = false;
    for (auto [dim, axes] : llvm::enumerate(exchange.gathered.dims)) {
      std::optional<HaloNeed> need = needOf(source, dim, axes, grid);
      if (!need && !source.dims[dim].slidesOverUnknown() &&
          (source.dims[dim].axes != axes ||
           !source.dims[dim].isBlock(source.type.getDimSize(dim)))) {
        if (axes.empty()) {
          exchange.isKnown = false;
          return exchange;
        }
        // Blocks at unequal distances.
        axes.clear();
        again = true;
        break;
      }
      exchange.needs.push_back(need);
      if (axes.empty())
        continue;
      exchange.widened.halos.push_back(need ? need->low : 0);
      exchange.widened.halos.push_back(need ? need->high : 0);
      any |= need && (need->low || need->high);
    }
    if (again)
      continue;
    if (!any)
      exchange.widened.halos.clear();
    const Plan *plan;
    exchange.cost = priceOf(exchange.gathered, exchange.widened, plan);
    if (plan)
      for (const Step &step : plan->steps)
        if (step.kind == Step::Kind::SliceHalo) {
          exchange.gathered.dims[step.dim].clear();
          again = true;
        }
    if (again)
      continue;
    if (plan)
      exchange.cost -= savedBySpread(exchange, *plan, emission);
    exchange.cost += priceOf(source.sharding, exchange.gathered, plan);
    exchange.cost += shiftCost;
    return exchange;
  }
}

} // namespace shard
