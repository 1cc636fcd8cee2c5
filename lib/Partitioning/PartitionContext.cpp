//===- PartitionContext.cpp - What building a local op needs --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/PartitionContext.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/IR/TensorSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/raw_ostream.h"

#define DEBUG_TYPE "shard-partition"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// Index arithmetic of devices
//===----------------------------------------------------------------------===//

Value isFirstOf(OpBuilder &builder, Location loc, FlatSymbolRefAttr gridSymbol,
                const AxisList &axes) {
  auto coordinates = ProcessMultiIndexOp::create(
      builder, loc, gridSymbol.getValue(), ArrayRef<GridAxis>(axes));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value all;
  for (Value coordinate : coordinates.getResult()) {
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         coordinate, zero);
    all = all ? arith::AndIOp::create(builder, loc, all, isZero).getResult()
              : isZero;
  }
  return all;
}

Value wholeExtent(OpBuilder &builder, Location loc, const Grid &grid,
                  FlatSymbolRefAttr gridSymbol, Value localExtent,
                  const AxisList &axes) {
  if (axes.empty() || grid.groupSize(axes) == 1)
    return localExtent;
  if (!grid.unevenDynamic)
    return builder.createOrFold<arith::MulIOp>(
        loc, localExtent, sizeOfGroup(builder, loc, grid, gridSymbol, axes));
  Type number = builder.getI64Type();
  Value own = tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get({}, number),
      arith::IndexCastOp::create(builder, loc, number, localExtent)
          .getResult());
  Value sum =
      AllReduceOp::create(builder, loc, own.getType(), own,
                          gridSymbol.getValue(), axes, ReductionKind::Sum);
  return arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(),
      tensor::ExtractOp::create(builder, loc, sum, ValueRange()));
}

Value widthOfBlocks(OpBuilder &builder, Location loc, Value extent,
                    int64_t parts) {
  Value rest = arith::ConstantIndexOp::create(builder, loc, parts - 1);
  Value divisor = arith::ConstantIndexOp::create(builder, loc, parts);
  return arith::DivUIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, extent, rest), divisor);
}

DynamicBlock blockOfWhole(OpBuilder &builder, Location loc, const Grid &grid,
                          FlatSymbolRefAttr gridSymbol, Value extent,
                          const AxisList &axes) {
  if (axes.empty())
    return {builder.getIndexAttr(0), extent};
  auto coordinates = ProcessMultiIndexOp::create(
      builder, loc, gridSymbol.getValue(), ArrayRef<GridAxis>(axes));
  // The run-time twin of Geometry's blockAt.
  Value begin = arith::ConstantIndexOp::create(builder, loc, 0);
  Value end = extent, width = extent;
  for (auto [axis, coordinate] :
       llvm::zip_equal(axes, coordinates.getResult())) {
    width = widthOfBlocks(builder, loc, width, grid.shape[axis]);
    Value before = arith::MulIOp::create(builder, loc, coordinate, width);
    begin = arith::AddIOp::create(builder, loc, begin, before);
    begin = arith::MinSIOp::create(builder, loc, begin, end);
    Value next = arith::AddIOp::create(builder, loc, begin, width);
    end = arith::MinSIOp::create(builder, loc, next, end);
  }
  return {begin, arith::SubIOp::create(builder, loc, end, begin).getResult()};
}

DynamicBlock blockOf(OpBuilder &builder, Location loc, const Grid &grid,
                     FlatSymbolRefAttr gridSymbol, int64_t extent,
                     const AxisList &axes, Value localExtent) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto multiply = [&](Value a, Value b) -> Value {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  };
  auto add = [&](Value a, Value b) -> Value {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  };
  auto minimum = [&](Value a, Value b) -> Value {
    return builder.createOrFold<arith::MinSIOp>(loc, a, b);
  };
  bool isDynamic = ShapedType::isDynamic(extent);
  OpFoldResult local = isDynamic ? OpFoldResult(localExtent)
                                 : OpFoldResult(builder.getIndexAttr(extent));
  if (axes.empty())
    return {builder.getIndexAttr(0), local};
  if (isDynamic && grid.unevenDynamic) {
    Value whole =
        wholeExtent(builder, loc, grid, gridSymbol, localExtent, axes);
    return {blockOfWhole(builder, loc, grid, gridSymbol, whole, axes).offset,
            local};
  }
  auto coordinates = ProcessMultiIndexOp::create(
      builder, loc, gridSymbol.getValue(), ArrayRef<GridAxis>(axes));
  std::vector<int64_t> sizes = grid.sizes(axes);
  // Blocks are equal where an extent or a size of an axis is not known.
  bool isUnknown = ShapedType::isDynamic(grid.groupSize(axes));
  if (isDynamic || isUnknown) {
    Value position = coordinates.getResult()[0];
    for (size_t i = 1; i < sizes.size(); ++i)
      position = add(multiply(position, sizeOfGroup(builder, loc, grid,
                                                    gridSymbol, {axes[i]})),
                     coordinates.getResult()[i]);
    if (!isDynamic) {
      localExtent = arith::DivUIOp::create(
          builder, loc, constant(extent),
          sizeOfGroup(builder, loc, grid, gridSymbol, axes));
      local = localExtent;
    }
    return {multiply(position, localExtent), local};
  }
  // The run-time twin of Geometry's blockAt.
  bool even = dividesEvenly(extent, sizes);
  Value begin, end = even ? Value() : constant(extent);
  int64_t width = extent;
  for (auto [size, coordinate] :
       llvm::zip_equal(sizes, coordinates.getResult())) {
    width = ceilDiv(width, size);
    Value step = constant(width);
    Value before = multiply(coordinate, step);
    begin = begin ? add(begin, before) : before;
    if (even)
      continue;
    begin = minimum(begin, end);
    end = minimum(add(begin, step), end);
  }
  if (even)
    return {begin, builder.getIndexAttr(width)};
  return {begin, builder.createOrFold<arith::SubIOp>(loc, end, begin)};
}

KnownIndices *knownAt(OpBuilder &builder, const Emission &emission) {
  mlir::Block *block = builder.getInsertionBlock();
  Operation *parent = block->getParentOp();
  return emission.known && block->isEntryBlock() &&
                 builder.getInsertionPoint() == block->end() &&
                 (!parent || isa<FunctionOpInterface>(parent))
             ? emission.known
             : nullptr;
}

DynamicBlock sharedBlockOf(OpBuilder &builder, Location loc,
                           const Emission &emission, int64_t extent,
                           const AxisList &axes) {
  auto make = [&] {
    return blockOf(builder, loc, emission.grid, emission.gridSymbol, extent,
                   axes);
  };
  KnownIndices *known = knownAt(builder, emission);
  if (!known)
    return make();
  auto [at, isNew] = known->blocks.try_emplace(
      {builder.getInsertionBlock(), extent, axes, emission.grid.sizes(axes)});
  if (isNew)
    at->second = make();
  return at->second;
}

Value sharedConstant(OpBuilder &builder, Location loc, const Emission &emission,
                     int64_t number) {
  auto make = [&] {
    return arith::ConstantIndexOp::create(builder, loc, number).getResult();
  };
  KnownIndices *known = knownAt(builder, emission);
  if (!known)
    return make();
  Value &constant = known->constants[{builder.getInsertionBlock(), number}];
  return constant ? constant : constant = make();
}

Value extentOf(OpBuilder &builder, Location loc, Value tensor, int64_t dim) {
  return tensor::DimOp::create(builder, loc, tensor, dim);
}

Value sumOf(OpBuilder &builder, Location loc, Value index, int64_t number) {
  if (number == 0)
    return index;
  return builder.createOrFold<arith::AddIOp>(
      loc, index, arith::ConstantIndexOp::create(builder, loc, number));
}

Value spanOfIterations(OpBuilder &builder, Location loc, const Window &window,
                       Value iterations) {
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, number);
  };
  Value span = builder.createOrFold<arith::AddIOp>(
      loc,
      builder.createOrFold<arith::MulIOp>(loc, iterations,
                                          constant(window.step())),
      constant(window.reach - window.step()));
  Value isEmpty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        iterations, constant(0));
  return arith::SelectOp::create(builder, loc, isEmpty, constant(0), span);
}

//===----------------------------------------------------------------------===//
// PartitionContext
//===----------------------------------------------------------------------===//

Type PartitionContext::localResultType(Type type, unsigned index) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  RankedTensorType local = localType(tensor, grid, result(index));
  if (grown.empty())
    return local;
  SmallVector<int64_t> shape(local.getShape());
  for (auto [extent, loops] : llvm::zip_equal(shape, table.results[index].dims))
    if (loops.size() == 1)
      extent += growthOf(loops.front()).low + growthOf(loops.front()).high;
  return local.clone(shape);
}

bool PartitionContext::readsGrown(unsigned index) const {
  if (!grown.empty())
    for (const DimLoops &loops : table.operands[index].dims)
      for (int32_t loop : loops)
        if (!grown[loop].isNone())
          return true;
  return false;
}

int64_t PartitionContext::windowStart(unsigned index, unsigned dim) const {
  const TensorLoops &tensor = table.operands[index];
  unsigned loop = tensor.dims[dim].front();
  if (table.loops[loop].slidesOverUnknown)
    return tensor.windows[dim]->offset;
  return tensor.windows[dim]->start(
      0, localExtent(table.loops[loop].extent,
                     grid.groupSize(option.loops[loop])));
}

bool PartitionContext::isUneven(unsigned loop) const {
  int64_t extent = table.loops[loop].extent;
  return !ShapedType::isDynamic(extent) && !option.hasBounds(loop) &&
         !dividesEvenly(extent, grid.sizes(option.loops[loop]));
}

bool PartitionContext::computesSummands() const {
  if (!option.partial.empty())
    return true;
  for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops))
    if (loop.kind == LoopKind::Reduction && !axes.empty())
      return true;
  return false;
}

/// `block` with what is computed besides it.
static DynamicBlock grownBlock(OpBuilder &builder, Location loc,
                               DynamicBlock block, Growth growth) {
  if (growth.isNone())
    return block;
  auto plus = [&](OpFoldResult index, int64_t number) -> OpFoldResult {
    return sumOf(builder, loc,
                 getValueOrCreateConstantIndexOp(builder, loc, index), number);
  };
  return {plus(block.offset, -growth.low),
          plus(block.size, growth.low + growth.high)};
}

DynamicBlock PartitionContext::loopBlock(OpBuilder &builder, Location loc,
                                         unsigned loop,
                                         ArrayRef<Value> operands) const {
  Value localExtent;
  if (ShapedType::isDynamic(table.loops[loop].extent))
    for (auto [tensor, value] : llvm::zip_equal(table.operands, operands))
      for (auto [dim, digits] : llvm::enumerate(tensor.dims))
        if (!localExtent && digits.size() == 1 &&
            digits.front() == int32_t(loop))
          localExtent = tensor::DimOp::create(builder, loc, value, dim);
  int64_t extent = table.loops[loop].extent;
  const AxisList &axes = option.loops[loop];
  DynamicBlock block =
      localExtent ? blockOf(builder, loc, grid, emission.gridSymbol, extent,
                            axes, localExtent)
                  : sharedBlockOf(builder, loc, emission, extent, axes);
  return grownBlock(builder, loc, block, growthOf(loop));
}

//===----------------------------------------------------------------------===//
// The default form of a local op
//===----------------------------------------------------------------------===//

namespace {

/// Cuts the padding of some loops off tensors, so that an op sees valid
/// elements only; extents of these loops become dynamic.
class Trimmer {
public:
  Trimmer(OpBuilder &builder, Location loc, const PartitionContext &context,
          ArrayRef<Value> operands, const llvm::SmallBitVector &loops)
      : builder(builder), loc(loc), loops(loops), sizes(loops.size()) {
    for (unsigned loop : loops.set_bits())
      sizes[loop] = context.loopBlock(builder, loc, loop, operands).size;
  }

  bool touches(const TensorLoops &tensor) const {
    return llvm::any_of(tensor.dims, [&](const DimLoops &dim) {
      return trimmedLoop(dim) >= 0;
    });
  }

  Value trim(const TensorLoops &tensor, Value value) {
    SmallVector<OpFoldResult> extents;
    for (auto [number, dim] : llvm::enumerate(tensor.dims)) {
      int32_t loop = trimmedLoop(dim);
      extents.push_back(
          loop >= 0 ? sizes[loop]
                    : tensor::getMixedSize(builder, loc, value, number));
      if (loop >= 0 && tensor.isWindow(number))
        extents.back() = spanOfIterations(
            builder, loc, *tensor.windows[number],
            getValueOrCreateConstantIndexOp(builder, loc, sizes[loop]));
    }
    return leadingSlice(builder, loc, value, extents);
  }

  RankedTensorType trimmedType(const TensorLoops &tensor,
                               RankedTensorType local) const {
    SmallVector<int64_t> shape(local.getShape());
    for (auto [extent, dim] : llvm::zip_equal(shape, tensor.dims))
      if (trimmedLoop(dim) >= 0)
        extent = ShapedType::kDynamic;
    return local.clone(shape);
  }

  /// Puts a trimmed result back into a tensor of the padded local type.
  Value pad(Value trimmed, RankedTensorType local) {
    SmallVector<OpFoldResult> extents =
        tensor::getMixedSizes(builder, loc, trimmed);
    SmallVector<OpFoldResult> whole;
    for (auto [dim, extent] : llvm::enumerate(local.getShape()))
      whole.push_back(ShapedType::isDynamic(extent)
                          ? extents[dim]
                          : OpFoldResult(builder.getIndexAttr(extent)));
    SmallVector<OpFoldResult> zeros(whole.size(), builder.getIndexAttr(0));
    Value empty =
        tensor::EmptyOp::create(builder, loc, whole, local.getElementType());
    return insertionOf(builder, loc, trimmed, empty, zeros, extents);
  }

private:
  int32_t trimmedLoop(const DimLoops &dim) const {
    for (int32_t loop : dim)
      if (loops.test(loop))
        return loop;
    return -1;
  }

  OpBuilder &builder;
  Location loc;
  const llvm::SmallBitVector &loops;
  SmallVector<OpFoldResult> sizes;
};

} // namespace

LogicalResult partitionByCloning(Operation *op, OpBuilder &builder,
                                 ArrayRef<Value> operands,
                                 PartitionContext &context,
                                 SmallVectorImpl<Value> &results) {
  // An op that reduces over padding, or that may trap on it, gets valid elements
  // only. Other ops compute unspecified values from padding, which nothing reads.
  llvm::SmallBitVector loops(context.table.loops.size());
  std::optional<bool> traps;
  for (auto [number, loop] : llvm::enumerate(context.table.loops)) {
    if (!context.isUneven(number))
      continue;
    if (!traps)
      traps = cast<ShardingInterface>(op).mayTrapOnPadding();
    if (loop.kind == LoopKind::Reduction || *traps)
      loops.set(number);
  }
  Location loc = op->getLoc();
  SmallVector<Value> inputs(operands);
  std::optional<Trimmer> trimmer;
  if (loops.any()) {
    LLVM_DEBUG({
      llvm::dbgs() << "  cuts off the padding of loops ";
      llvm::interleaveComma(loops.set_bits(), llvm::dbgs());
      llvm::dbgs() << "\n";
    });
    trimmer.emplace(builder, loc, context, operands, loops);
    for (auto [tensor, value] : llvm::zip_equal(context.table.operands, inputs))
      if (trimmer->touches(tensor))
        value = trimmer->trim(tensor, value);
  }
  IRMapping mapping;
  for (auto [from, to] : llvm::zip_equal(op->getOperands(), inputs))
    mapping.map(from, to);
  Operation *local = builder.clone(*op, mapping);
  // By place, not by value: one value may be two operands under different shardings.
  local->setOperands(inputs);
  if (context.computesSummands())
    dropOverflowFlags(local);
  for (auto [index, result] : llvm::enumerate(local->getResults())) {
    Type type = context.localResultType(result.getType(), index);
    const TensorLoops &tensor = context.table.results[index];
    if (!trimmer || !trimmer->touches(tensor)) {
      result.setType(type);
      results.push_back(result);
      continue;
    }
    auto padded = cast<RankedTensorType>(type);
    result.setType(trimmer->trimmedType(tensor, padded));
    results.push_back(trimmer->pad(result, padded));
  }
  return success();
}

} // namespace shard
