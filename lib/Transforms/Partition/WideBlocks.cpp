//===- WideBlocks.cpp - Halos that are computed instead of exchanged ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that is marked with `shard.recompute` computes, besides the block of its result,
// what windows read of the neighbours' blocks. Its own operands are then read by
// windows that are as much wider, so that a chain of stencils exchanges wide halos of
// its first operand once, instead of narrow ones before each stencil:
//
//     u1 = stencil(u0), u2 = stencil(u1), blocks of 16 elements
//
//       each exchanged   halos of 1 of u0, 16 elements of u1, halos of 1 of u1, u2
//       recomputed       halos of 2 of u0, 18 elements of u1, u2
//
// How much each value grows is planned from the last op to the first, so that each op is
// computed once. The plan need not be right: where a value has less than a window needs,
// halos are exchanged.
//
//===----------------------------------------------------------------------===//

#include "Partition/Partitioners.h"

#include "shard/IR/Steps.h"
#include "shard/IR/TensorSlices.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

/// How many views and annotations lie between an operand and what its window is cut
/// from, and how many ops make a value out of nothing, at most.
constexpr int kMaxSteps = 16;

/// Whether `value` is made of no other tensors, and of no constant whose elements differ:
/// any part of it costs nothing to make.
static bool isMadeOfNothing(Value value, int steps = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || steps > kMaxSteps || op->getNumResults() != 1 || !isPure(op))
    return false;
  if (auto annotation = dyn_cast<ShardOp>(op))
    return isMadeOfNothing(annotation.getSrc(), steps + 1);
  auto model = dyn_cast<ShardingInterface>(op);
  if (!model || !model.computesBeyondBlock())
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isa<ShapedType>(operand.getType()) ||
           isMadeOfNothing(operand, steps + 1);
  });
}

/// Whether what `op` makes of the neighbours' blocks may be computed.
static bool mayGrow(Operation *op) {
  auto model = dyn_cast<ShardingInterface>(op);
  if (!model || !model.computesBeyondBlock() || model.mayTrapOnPadding() ||
      op->getNumResults() == 0)
    return false;
  return op->hasAttr(kRecomputeAttrName) || isMadeOfNothing(op->getResult(0));
}

namespace {

/// Plans from the last op to the first.
class GrowthPlanner {
public:
  explicit GrowthPlanner(LocalFunction &local) : local(local) {}

  void run() {
    SmallVector<ShardingInterface> readers;
    local.function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto model = dyn_cast<ShardingInterface>(op);
      if (model && !model.isView())
        readers.push_back(model);
      if (op->hasAttr(kRecomputeAttrName))
        local.recomputed.insert(op);
    });
    if (local.recomputed.empty())
      return;
    for (ShardingInterface reader : llvm::reverse(readers))
      visit(reader);
  }

private:
  void visit(ShardingInterface op) {
    if (op->getNumResults() == 0)
      return;
    Value result = op->getResult(0);
    const Sharding *sharding = local.shardings.of(result);
    GridOp grid = sharding ? local.pool.gridOf(sharding) : GridOp();
    if (!grid || hasUnknownSizes(local.on(grid).emission.grid))
      return;
    const Emission &emission = local.on(grid).emission;
    const LoopTable &table = local.opTables.tableOf(op);
    ShardingOption option;
    projectToLoops(table, table.results[0], emission.grid, *sharding,
                   option.loops);
    PartitionContext context(emission, table, option);
    context.grown = growthOfLoops(local, op, context);
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (table.operands[index].isTensor)
        needWindow(operand, index, context);
  }

  /// Lets the value that the window of operand `index` is cut from grow.
  void needWindow(Value value, unsigned index,
                  const PartitionContext &context) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return;
    WindowSource source{windowOf(context.table, index, type, context.option),
                        {},
                        type,
                        context.operand(index)};
    growWindow(context, index, source.dims);
    for (int step = 0; step < kMaxSteps; ++step) {
      Operation *def = value.getDefiningOp();
      auto view = dyn_cast_or_null<ShardingInterface>(def);
      if (isa_and_present<ShardOp>(def)) {
        value = def->getOperand(0);
      } else if (view && view.isView()) {
        Value from = def->getOperand(0);
        if (!throughView(local.opTables.tableOf(def),
                         cast<RankedTensorType>(from.getType()),
                         view.getWindowFill(0), source))
          return;
        value = from;
      } else {
        if (def && mayGrow(def))
          grow(value, source, context.grid);
        return;
      }
    }
  }

  void grow(Value value, const WindowSource &source, const Grid &grid) {
    const Sharding *sharding = local.shardings.of(value);
    if (!sharding || sharding->hasHalosOrOffsets())
      return;
    SmallVector<Growth> needed(source.dims.size());
    for (auto [dim, axes] : llvm::enumerate(sharding->dims)) {
      const DimWindow &window = source.dims[dim];
      int64_t extent = source.type.getDimSize(dim);
      if (axes.empty() || ShapedType::isDynamic(extent) ||
          axes != window.axes || window.isBlock(extent))
        continue;
      std::vector<int64_t> sizes = grid.sizes(axes);
      std::optional<HaloNeed> need = haloNeed(
          extent, sizes, window.iterations, sizes, window.window, window.valid);
      if (!need)
        return;
      needed[dim] = {need->low, need->high};
    }
    SmallVector<Growth> &known = local.growth[value];
    known.resize(needed.size());
    for (auto [growth, more] : llvm::zip_equal(known, needed)) {
      growth.low = std::max(growth.low, more.low);
      growth.high = std::max(growth.high, more.high);
    }
  }

  LocalFunction &local;
};

} // namespace

void planGrowth(LocalFunction &local) { GrowthPlanner(local).run(); }

/// Whether every device has elements of a dimension of `extent` that `axes` split: one
/// that has none computes nothing of the neighbours' blocks.
static bool hasNoEmptyBlock(int64_t extent, const AxisList &axes,
                            const Grid &grid) {
  int64_t parts = grid.groupSize(axes);
  return cutsAtOnce(extent, grid.sizes(axes)) &&
         (parts - 1) * localExtent(extent, parts) < extent;
}

SmallVector<Growth> growthOfLoops(LocalFunction &local, ShardingInterface op,
                                  const PartitionContext &context) {
  if (op->getNumResults() == 0 || !local.foralls.empty())
    return {};
  auto planned = local.growth.find(op->getResult(0));
  if (planned == local.growth.end())
    return {};
  const LoopTable &table = context.table;
  SmallVector<Growth> loops(table.loops.size());
  bool any = false;
  for (auto [growth, dim] :
       llvm::zip_equal(planned->second, table.results[0].dims)) {
    if (growth.isNone())
      continue;
    // Blocks with bounds may be empty.
    if (dim.size() != 1 || context.option.loops[dim.front()].empty() ||
        context.option.hasBounds(dim.front()) ||
        !hasNoEmptyBlock(table.loops[dim.front()].extent,
                         context.option.loops[dim.front()], context.grid))
      return {};
    loops[dim.front()] = growth;
    any = true;
  }
  if (!any || !context.option.partial.empty())
    return {};
  for (auto [loop, axes, growth] :
       llvm::zip_equal(table.loops, context.option.loops, loops))
    if (loop.kind == LoopKind::Reduction && !axes.empty())
      return {};
  // Every dimension that a growing loop indexes has to grow with it.
  auto grows = [&](const TensorLoops &tensor) {
    for (auto [number, dim] : llvm::enumerate(tensor.dims)) {
      bool any = llvm::any_of(
          dim, [&](int32_t loop) { return !loops[loop].isNone(); });
      if (any && (dim.size() != 1 || (tensor.isWindow(number) &&
                                      tensor.windows[number]->stride < 0)))
        return false;
    }
    return true;
  };
  return llvm::all_of(table.operands, grows) &&
                 llvm::all_of(table.results, grows)
             ? loops
             : SmallVector<Growth>();
}

SmallVector<LocalFunction::WideBlock>
cutBlocks(LocalFunction &local, Operation *op, const PartitionContext &context,
          MutableArrayRef<Value> results) {
  SmallVector<LocalFunction::WideBlock> wides;
  if (context.grown.empty())
    return wides;
  for (auto [index, value] : llvm::enumerate(results)) {
    LocalFunction::WideBlock &wide = wides.emplace_back();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      continue;
    wide.value = value;
    SmallVector<OpFoldResult> offsets, sizes;
    for (auto [dim, loops] :
         llvm::enumerate(context.table.results[index].dims)) {
      Growth growth =
          loops.size() == 1 ? context.growthOf(loops.front()) : Growth();
      wide.growth.push_back(growth);
      offsets.push_back(local.builder.getIndexAttr(growth.low));
      sizes.push_back(
          growth.isNone()
              ? tensor::getMixedSize(local.builder, op->getLoc(), value, dim)
              : OpFoldResult(local.builder.getIndexAttr(
                    type.getDimSize(dim) - growth.low - growth.high)));
    }
    value = sliceOf(local.builder, op->getLoc(), value, offsets, sizes);
  }
  return wides;
}

bool hasComputedHalos(LocalFunction &local, Value value,
                      const WindowSource &source,
                      const HaloExchange &exchange) {
  auto wide = local.wides.find(value);
  if (wide == local.wides.end() || !exchange.isKnown ||
      !exchange.shifted.empty() || exchange.widened.halos.empty() ||
      exchange.gathered != source.sharding)
    return false;
  for (auto [dim, axes] : llvm::enumerate(exchange.gathered.dims)) {
    const std::optional<HaloNeed> &need = exchange.needs[dim];
    if (axes.empty())
      continue;
    // How wide halos are is known only when the program runs.
    if (source.dims[dim].slidesOverUnknown())
      return false;
    if (!need)
      continue;
    Growth growth = wide->second.growth[dim];
    if (need->low > growth.low || need->high > growth.high)
      return false;
  }
  return true;
}

Value computedHalos(LocalFunction &local, Value value,
                    const HaloExchange &exchange) {
  if (!hasComputedHalos(local, value, exchange.rest, exchange))
    return {};
  const LocalFunction::WideBlock &wide = local.wides.find(value)->second;
  auto type = cast<RankedTensorType>(wide.value.getType());
  OpBuilder &builder = local.builder;
  SmallVector<OpFoldResult> offsets, sizes;
  for (auto [dim, growth] : llvm::enumerate(wide.growth)) {
    const std::optional<HaloNeed> &need = exchange.needs[dim];
    bool isSplit = need && !exchange.gathered.dims[dim].empty();
    int64_t low = isSplit ? need->low : 0, high = isSplit ? need->high : 0;
    offsets.push_back(builder.getIndexAttr(growth.low - low));
    sizes.push_back(
        growth.isNone()
            ? tensor::getMixedSize(builder, value.getLoc(), wide.value, dim)
            : OpFoldResult(builder.getIndexAttr(type.getDimSize(dim) -
                                                growth.low - growth.high + low +
                                                high)));
  }
  return sliceOf(builder, value.getLoc(), wide.value, offsets, sizes);
}

} // namespace shard
