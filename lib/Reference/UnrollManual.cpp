//===- UnrollManual.cpp - Manual computations on one device ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnrollManual.h"

#include "Unroller.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace shard;
using namespace shard::reference;

AxisList reference::manualAxesOf(const ResolvedDim &entry,
                                 const AxisList &manual) {
  AxisList axes;
  for (const AxisPart &axis : entry.axes)
    if (llvm::is_contained(manual, axis.axis))
      axes.push_back(axis.axis);
  return axes;
}

//===----------------------------------------------------------------------===//
// Manual computations
//===----------------------------------------------------------------------===//

/// The axes of `op` by number; reports those that are a part of an axis.
static FailureOr<AxisList> manualAxes(ManualComputationOp op, GridOp grid) {
  AxisList axes;
  for (auto reference : op.getManualAxes().getAsRange<AxisRefAttr>()) {
    if (reference.isSubAxis())
      return op.emitError()
             << "has manual axis " << reference.str()
             << ", a part of an axis; the reference of one device supports "
                "whole axes only";
    axes.push_back(*grid.axisNumber(reference));
  }
  return axes;
}

/// The sharding of operand or result `index`, of which the reference needs the
/// split dimensions only.
static FailureOr<ResolvedSharding> sideSharding(ManualComputationOp op,
                                                ArrayAttr list, unsigned index,
                                                Type type,
                                                const AxisList &manual) {
  SymbolTableCollection symbols;
  GridOp grid = getGrid(op, op.getGridAttr(), symbols);
  FailureOr<ResolvedSharding> sharding =
      resolve(cast<ShardingAttr>(list[index]), grid, type,
              [&] { return op.emitError(); });
  if (failed(sharding))
    return failure();
  for (auto [dim, entry] : llvm::enumerate(sharding->dims))
    if (!manualAxesOf(entry, manual).empty() &&
        cast<RankedTensorType>(type).isDynamicDim(dim))
      return op.emitError("splits dimension ")
             << dim << " of " << type
             << " by a manual axis; the reference of one device supports that "
                "for static extents only";
  return sharding;
}

LogicalResult Unroller::unrollOutermost(ManualComputationOp op) {
  SymbolTableCollection symbols;
  GridOp grid = getGrid(op, op.getGridAttr(), symbols);
  Scope outside;
  outside.grid = grid;
  outside.devices.shape.assign(grid.getRank(), 1);
  outside.values.resize(1);
  outside.members = {0};
  builder.setInsertionPoint(op);
  Messages own(builder);
  messages = &own;
  if (failed(unroll(op, outside)))
    return failure();
  for (Value result : op.getResults())
    result.replaceAllUsesWith(outside.values.front().lookup(result));
  mlir::Block *block = op->getBlock();
  op->erase();
  return own.finish(*block);
}

/// The scope of the body, operands cut into the body's arguments.
FailureOr<Scope> Unroller::enter(ManualComputationOp op, const Scope &outer) {
  SymbolTableCollection symbols;
  GridOp gridOp = getGrid(op, op.getGridAttr(), symbols);
  FailureOr<Grid> grid = staticGrid(gridOp);
  if (failed(grid))
    return op.emitError("is on a grid of unknown size; --grid supplies one");
  FailureOr<AxisList> manual = manualAxes(op, gridOp);
  if (failed(manual))
    return failure();
  Scope inner{outer.grid, outer.axes, outer.devices, {}, {}};
  llvm::append_range(inner.axes, *manual);
  for (GridAxis axis : *manual)
    inner.devices.shape[axis] = grid->shape[axis];
  int64_t copies = inner.devices.numDevices();
  if (copies > kMaxManualCopies)
    return op.emitError("has ")
           << copies << " manual coordinates; the reference of one device, "
           << "which copies the body for each of them, supports "
           << kMaxManualCopies;
  auto outerDevice = [&](int64_t device) {
    std::vector<int64_t> at = inner.devices.coordinates(device);
    for (GridAxis axis : *manual)
      at[axis] = 0;
    return outer.devices.device(at);
  };
  for (int64_t device = 0; device < copies; ++device) {
    inner.values.push_back(outer.values[outerDevice(device)]);
    if (llvm::is_contained(outer.members, outerDevice(device)))
      inner.members.push_back(device);
  }

  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    FailureOr<ResolvedSharding> sharding =
        sideSharding(op, op.getInShardings(), index, input.getType(), *manual);
    if (failed(sharding))
      return failure();
    for (const AxisPart &axis : sharding->partial)
      if (llvm::is_contained(*manual, axis.axis))
        return op.emitError("has operand ")
               << index << " partial on manual axis "
               << gridOp.axisName(axis.axis)
               << ", which the reference of one device does not support: how "
                  "a value falls into parts is not specified";
    for (int64_t device : inner.members) {
      Value whole = inner.values[device].lookupOrDefault(input);
      SmallVector<OpFoldResult> sizes =
          tensor::getMixedSizes(builder, op.getLoc(), whole);
      SmallVector<int64_t> offsets(sizes.size(), 0);
      auto type = cast<RankedTensorType>(input.getType());
      bool cut = false;
      for (auto [dim, entry] : llvm::enumerate(sharding->dims)) {
        AxisList axes = manualAxesOf(entry, *manual);
        if (axes.empty())
          continue;
        cut = true;
        int64_t local = type.getDimSize(dim) / inner.devices.groupSize(axes);
        offsets[dim] = inner.devices.positionInGroup(device, axes) * local;
        sizes[dim] = builder.getIndexAttr(local);
      }
      inner.values[device].map(
          op.getBody().getArgument(index),
          cut ? extractBlock(builder, op.getLoc(), whole, offsets, sizes)
              : whole);
    }
  }
  return inner;
}

/// Puts the copies of what the body returns as result `index` together, for
/// each device of `outer`.
LogicalResult Unroller::assemble(ManualComputationOp op, unsigned index,
                                 const AxisList &manual, const Scope &inner,
                                 Scope &outer) {
  auto type = cast<RankedTensorType>(op.getResult(index).getType());
  FailureOr<ResolvedSharding> sharding =
      sideSharding(op, op.getOutShardings(), index, type, manual);
  if (failed(sharding))
    return failure();
  Value returned = op.getBody().front().getTerminator()->getOperand(index);
  Copies blocks(inner.values.size());
  for (int64_t device : inner.members)
    blocks[device] = inner.values[device].lookupOrDefault(returned);
  AxisList partial;
  for (const AxisPart &axis : sharding->partial)
    if (llvm::is_contained(manual, axis.axis))
      partial.push_back(axis.axis);
  if (!partial.empty()) {
    FailureOr<Copies> summed = CollectiveUnroller(builder, inner.devices, {})
                                   .reduce(op, partial, sharding->reduction,
                                           blocks, type.getElementType());
    if (failed(summed))
      return failure();
    blocks = *summed;
  }
  AxisList splitting;
  for (const ResolvedDim &entry : sharding->dims)
    llvm::append_range(splitting, manualAxesOf(entry, manual));
  for (int64_t device : outer.members) {
    // Of replicas the one at coordinate 0 counts.
    int64_t first = inner.devices.device(outer.devices.coordinates(device));
    Value whole = blocks[first];
    if (!splitting.empty()) {
      SmallVector<OpFoldResult> sizes =
          tensor::getMixedSizes(builder, op.getLoc(), whole);
      for (auto [dim, size] : llvm::enumerate(sizes))
        if (!type.isDynamicDim(dim))
          size = builder.getIndexAttr(type.getDimSize(dim));
      whole = tensor::EmptyOp::create(builder, op.getLoc(), sizes,
                                      type.getElementType());
      for (int64_t member : inner.devices.groupMembers(first, splitting)) {
        SmallVector<int64_t> offsets(type.getRank(), 0);
        for (auto [dim, entry] : llvm::enumerate(sharding->dims)) {
          AxisList axes = manualAxesOf(entry, manual);
          if (!axes.empty())
            offsets[dim] =
                inner.devices.positionInGroup(member, axes) *
                (type.getDimSize(dim) / inner.devices.groupSize(axes));
        }
        whole =
            insertBlock(builder, op.getLoc(), blocks[member], whole, offsets);
      }
    }
    if (whole.getType() != type) {
      if (!tensor::CastOp::areCastCompatible(whole.getType(), type))
        return op.emitError("returns ")
               << whole.getType() << " where " << type << " is expected";
      whole = tensor::CastOp::create(builder, op.getLoc(), type, whole);
    }
    outer.values[device].map(op.getResult(index), whole);
  }
  return success();
}

LogicalResult Unroller::unroll(ManualComputationOp op, Scope &outer) {
  FailureOr<Scope> inner = enter(op, outer);
  if (failed(inner))
    return failure();
  if (failed(copyOps(op.getBody().front(), *inner)))
    return failure();
  AxisList manual(inner->axes.begin() + outer.axes.size(), inner->axes.end());
  for (unsigned index = 0; index < op.getNumResults(); ++index)
    if (failed(assemble(op, index, manual, *inner, outer)))
      return failure();
  return success();
}

LogicalResult reference::unrollManualComputations(ModuleOp module) {
  SmallVector<ManualComputationOp> outermost;
  module.walk<WalkOrder::PreOrder>([&](ManualComputationOp op) {
    outermost.push_back(op);
    return WalkResult::skip();
  });
  if (outermost.empty())
    return success();
  // Whoever changed the grid may have made bodies wrong; from here on they are
  // relied upon.
  if (failed(verify(module)))
    return failure();
  module.getContext()
      ->loadDialect<arith::ArithDialect, complex::ComplexDialect,
                    linalg::LinalgDialect, tensor::TensorDialect>();
  for (ManualComputationOp op : outermost)
    if (failed(Unroller(module.getContext()).unrollOutermost(op)))
      return failure();
  return success();
}
