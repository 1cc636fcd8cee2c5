//===- LocalOps.cpp - What models build local ops from --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/LocalOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace shard {

/// The extent of the block of which `whole` is the extent of the whole, if it is known.
static Value knownBlockExtent(Value whole, const AxisList &axes,
                              const Emission &emission) {
  if (!emission.blockExtents)
    return {};
  auto known = emission.blockExtents->find(whole);
  return known != emission.blockExtents->end() && known->second.axes == axes
             ? known->second.extent
             : Value();
}

SmallVector<Value> localExtents(OpBuilder &builder, Location loc,
                                RankedTensorType type, ValueRange extents,
                                const Emission &emission,
                                const Sharding &sharding) {
  const Grid &grid = emission.grid;
  SmallVector<Value> local;
  size_t next = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    Value extent = extents[next++];
    int64_t parts = grid.groupSize(sharding.dims[dim]);
    if (Value known = knownBlockExtent(extent, sharding.dims[dim], emission)) {
      extent = known;
    } else if (parts > 1 && grid.unevenDynamic) {
      extent = getValueOrCreateConstantIndexOp(
          builder, loc,
          blockOfWhole(builder, loc, grid, emission.gridSymbol, extent,
                       sharding.dims[dim])
              .size);
    } else if (parts > 1) {
      // Ops that make extents are split only on grids of known sizes.
      Value divisor = arith::ConstantIndexOp::create(builder, loc, parts);
      Value rest = arith::RemUIOp::create(builder, loc, extent, divisor);
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      Value divides = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, rest, zero);
      cf::AssertOp::create(builder, loc, divides,
                           "dynamic dimension " + std::to_string(dim) +
                               " does not divide evenly among " +
                               std::to_string(parts) +
                               " devices; state uneven_dynamic on the grid "
                               "(--uneven-dynamic), or another sharding");
      extent = arith::DivUIOp::create(builder, loc, extent, divisor);
    }
    local.push_back(extent);
  }
  return local;
}

LogicalResult partitionWithPadding(Operation *op, OpBuilder &builder,
                                   ArrayRef<Value> operands,
                                   PartitionContext &context,
                                   SmallVectorImpl<Value> &results) {
  Operation *local = builder.clone(*op);
  local->setOperands(operands);
  for (auto [index, result] : llvm::enumerate(local->getResults())) {
    result.setType(context.localResultType(result.getType(), index));
    results.push_back(result);
  }
  return success();
}

LogicalResult partitionAsBlockOfWhole(Operation *op, OpBuilder &builder,
                                      ArrayRef<Value> operands,
                                      PartitionContext &context,
                                      SmallVectorImpl<Value> &results) {
  Operation *local = builder.clone(*op);
  local->setOperands(operands);
  results.append(local->result_begin(), local->result_end());
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return success();
  FailureOr<Value> block = emitReshard(builder, op->getLoc(), results[0], type,
                                       Sharding::replicated(type.getRank()),
                                       context.result(0), context.emission);
  if (failed(block))
    return failure();
  results[0] = *block;
  return success();
}

void globaliseIndexArguments(OpBuilder &builder, Location loc,
                             mlir::Block &body, RankedTensorType type,
                             const Sharding &sharding, ValueRange extents,
                             const Emission &emission) {
  size_t nextExtent = 0;
  for (auto [dim, axes] : llvm::enumerate(sharding.dims)) {
    Value localExtent =
        type.isDynamicDim(dim) ? extents[nextExtent++] : Value();
    BlockArgument index = body.getArgument(dim);
    if (axes.empty() || index.use_empty())
      continue;
    int64_t extent = type.getDimSize(dim);
    DynamicBlock range =
        blockOf(builder, loc, emission.grid, emission.gridSymbol, extent, axes,
                localExtent);
    Value offset = getValueOrCreateConstantIndexOp(builder, loc, range.offset);
    OpBuilder inner = OpBuilder::atBlockBegin(&body);
    auto global = arith::AddIOp::create(inner, loc, index, offset);
    Value valid = global;
    if (!type.isDynamicDim(dim) &&
        !dividesEvenly(extent, emission.grid.sizes(axes))) {
      Value last = arith::ConstantIndexOp::create(inner, loc, extent - 1);
      valid = arith::MinSIOp::create(inner, loc, global, last);
    }
    index.replaceAllUsesExcept(valid, global);
  }
}

} // namespace shard
