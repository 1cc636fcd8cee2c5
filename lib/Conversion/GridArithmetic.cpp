//===- GridArithmetic.cpp - The place of a device in a grid ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridArithmetic.h"
#include "CollectiveCalls.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

GridArithmetic::GridArithmetic(OpBuilder &builder, Operation *op, GridOp grid,
                               SymbolTableCollection &symbols, BackEnd backEnd)
    : emitter(builder, op, symbols), shape(runtimeShape(grid)),
      deviceIds(deviceIdsOf(grid, symbols)), backEnd(backEnd) {}

Value GridArithmetic::extent(int64_t axis) {
  if (shape[axis] >= 0)
    return emitter.index(shape[axis]);
  Value operands[] = {emitter.location(), emitter.index(shape.size()),
                      emitter.constantWords(shape), emitter.index(axis)};
  return emitter.call("shard_rt_grid_extent", operands, true).getResult(0);
}

Value GridArithmetic::stride(int64_t axis) {
  Value product;
  for (int64_t i = axis + 1, e = shape.size(); i < e; ++i)
    product = product ? multiply(product, extent(i)) : extent(i);
  return product ? product : emitter.index(1);
}

Value GridArithmetic::linearIndex() {
  if (backEnd == BackEnd::Runtime)
    return emitter.call("shard_rt_process_linear_index", {}, true).getResult(0);
  OpBuilder &builder = emitter.builder;
  Value world = mpi::CommWorldOp::create(
      builder, emitter.loc, mpi::CommType::get(builder.getContext()));
  Value rank = mpi::CommRankOp::create(builder, emitter.loc,
                                       TypeRange(builder.getI32Type()), world)
                   .getRank();
  Value id = arith::IndexCastOp::create(builder, emitter.loc,
                                        builder.getIndexType(), rank);
  if (deviceIds.empty())
    return id;
  // The id of a single device may be any.
  if (deviceIds.size() == 1)
    return emitter.index(0);
  SmallVector<int64_t> positions(deviceIds.size());
  for (auto [position, device] : llvm::enumerate(deviceIds))
    positions[device] = position;
  return emitter.constantWord(positions, id);
}

Value GridArithmetic::rankOf(Value linear) {
  Value id =
      deviceIds.empty() ? linear : emitter.constantWord(deviceIds, linear);
  return arith::IndexCastOp::create(emitter.builder, emitter.loc,
                                    emitter.builder.getI32Type(), id);
}

Value GridArithmetic::coordinate(Value linear, int64_t axis) {
  Value position = linear;
  if (axis + 1 < int64_t(shape.size()))
    position = arith::DivUIOp::create(emitter.builder, emitter.loc, linear,
                                      stride(axis));
  // Nothing is outside of axis 0.
  if (axis == 0)
    return position;
  return arith::RemUIOp::create(emitter.builder, emitter.loc, position,
                                extent(axis));
}

Value GridArithmetic::multiply(Value a, Value b) {
  return arith::MulIOp::create(emitter.builder, emitter.loc, a, b);
}

/// The listed axes; all of them if the list is empty.
static SmallVector<int64_t> axesOrAll(ArrayRef<int16_t> axes, int64_t rank) {
  SmallVector<int64_t> result(axes.begin(), axes.end());
  if (result.empty())
    llvm::append_range(result, llvm::seq<int64_t>(0, rank));
  return result;
}

static SmallVector<Value> valuesOf(GridShapeOp op, GridArithmetic &grid) {
  SmallVector<Value> results;
  for (int64_t axis : axesOrAll(op.getAxes(), grid.rank()))
    results.push_back(grid.extent(axis));
  return results;
}

static SmallVector<Value> valuesOf(ProcessMultiIndexOp op,
                                   GridArithmetic &grid) {
  Value linear = grid.linearIndex();
  SmallVector<Value> results;
  for (int64_t axis : axesOrAll(op.getAxes(), grid.rank()))
    results.push_back(grid.coordinate(linear, axis));
  return results;
}

static SmallVector<Value> valuesOf(ProcessLinearIndexOp, GridArithmetic &grid) {
  return {grid.linearIndex()};
}

static SmallVector<Value> valuesOf(NeighborsLinearIndicesOp op,
                                   GridArithmetic &grid) {
  Location loc = op.getLoc();
  OpBuilder &builder = grid.emitter.builder;
  int64_t axis = op.getSplitAxes()[0];
  Value linear = grid.emitter.index(0);
  for (auto [i, coordinate] : llvm::enumerate(op.getDevice()))
    linear = arith::AddIOp::create(
        builder, loc, grid.multiply(linear, grid.extent(i)), coordinate);
  Value here = op.getDevice()[axis];
  Value stride = grid.stride(axis);
  Value one = grid.emitter.index(1), none = grid.emitter.index(-1);
  Value last = arith::SubIOp::create(builder, loc, grid.extent(axis), one);
  Value hasDown = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                        here, grid.emitter.index(0));
  Value hasUp = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      here, last);
  Value down = arith::SubIOp::create(builder, loc, linear, stride);
  Value up = arith::AddIOp::create(builder, loc, linear, stride);
  return {arith::SelectOp::create(builder, loc, hasDown, down, none),
          arith::SelectOp::create(builder, loc, hasUp, up, none)};
}

bool conversion::isProcessOp(Operation *op) {
  return isa<GridShapeOp, ProcessMultiIndexOp, ProcessLinearIndexOp,
             NeighborsLinearIndicesOp>(op);
}

LogicalResult conversion::lowerProcessOp(RewriterBase &rewriter, Operation *op,
                                         SymbolTableCollection &symbols,
                                         BackEnd backEnd) {
  auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("grid");
  GridOp grid = symbol ? getGrid(op, symbol, symbols) : GridOp();
  if (!grid)
    return op->emitOpError() << "refers to no grid of the module";
  GridArithmetic arithmetic(rewriter, op, grid, symbols, backEnd);
  SmallVector<Value> values =
      TypeSwitch<Operation *, SmallVector<Value>>(op)
          .Case<GridShapeOp, ProcessMultiIndexOp, ProcessLinearIndexOp,
                NeighborsLinearIndicesOp>(
              [&](auto concrete) { return valuesOf(concrete, arithmetic); });
  rewriter.replaceOp(op, values);
  return success();
}

static bool isOurs(NamedAttribute attribute) {
  return attribute.getName().getValue().starts_with("shard.") ||
         attribute.getName().getValue() == kCollectiveMark;
}

void conversion::eraseGridsAndAttributes(ModuleOp module) {
  SmallVector<GridOp> grids;
  module->walk([&](GridOp grid) { grids.push_back(grid); });
  for (GridOp grid : grids)
    grid.erase();

  auto filter = [&](DictionaryAttr attributes) {
    SmallVector<NamedAttribute> kept;
    for (NamedAttribute attribute : attributes)
      if (!isOurs(attribute))
        kept.push_back(attribute);
    return DictionaryAttr::get(module.getContext(), kept);
  };
  module.walk([&](Operation *op) {
    SmallVector<StringAttr> names;
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (isOurs(attribute))
        names.push_back(attribute.getName());
    for (StringAttr name : names)
      op->removeDiscardableAttr(name);
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return;
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (DictionaryAttr attributes = function.getArgAttrDict(i))
        function.setArgAttrs(i, filter(attributes));
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      if (DictionaryAttr attributes = function.getResultAttrDict(i))
        function.setResultAttrs(i, filter(attributes));
  });
}
