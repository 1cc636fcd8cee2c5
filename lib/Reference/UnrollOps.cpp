//===- UnrollOps.cpp - Ops copied once per device -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unroller.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <numeric>

using namespace mlir;
using namespace shard;
using namespace shard::reference;

/// Ops that ask where a device is, or how many there are.
static bool asksForPlace(Operation *op) {
  return isa<ProcessMultiIndexOp, ProcessLinearIndexOp, GridShapeOp,
             NeighborsLinearIndicesOp>(op);
}

/// The devices of `scope`, in the same order, as those of the grid that `op` is on:
/// that of the scope, one that this refines, or, where all axes are manual, another
/// grid of as many devices.
FailureOr<Grid> Unroller::devicesFor(Operation *op, const Scope &scope) {
  GridOp own = getGrid(op, symbols);
  FailureOr<std::vector<AxisList>> runs = failure();
  if (own)
    runs = axesInRefinement(own, scope.grid, symbols);
  if (succeeded(runs)) {
    Grid devices;
    for (const AxisList &run : *runs)
      devices.shape.push_back(scope.devices.groupSize(run));
    return devices;
  }
  FailureOr<Grid> sizes = own ? staticGrid(own) : FailureOr<Grid>();
  FailureOr<Grid> all = staticGrid(scope.grid);
  if (failed(sizes) || failed(all) || all->shape != scope.devices.shape ||
      sizes->numDevices() != all->numDevices())
    return notSupported(op)
           << ": it is not about grid @" << GridOp(scope.grid).getSymName();
  return sizes;
}

/// The linear indices of the neighbours of the device whose coordinates are the
/// operands of `op`; -1 where there is none.
static SmallVector<Value> neighborsOf(OpBuilder &builder,
                                      NeighborsLinearIndicesOp op,
                                      ValueRange coordinates,
                                      const Grid &grid) {
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  GridAxis axis = op.getSplitAxes().front();
  int64_t stride = 1;
  Value linear = constant(0);
  for (GridAxis at = 0; at < grid.rank(); ++at) {
    Value size = constant(grid.shape[at]);
    linear = builder.createOrFold<arith::MulIOp>(loc, linear, size);
    linear = builder.createOrFold<arith::AddIOp>(loc, linear, coordinates[at]);
    if (at > axis)
      stride *= grid.shape[at];
  }
  auto neighbor = [&](arith::CmpIPredicate predicate, int64_t border,
                      int64_t distance) -> Value {
    Value exists = builder.createOrFold<arith::CmpIOp>(
        loc, predicate, coordinates[axis], constant(border));
    Value there =
        builder.createOrFold<arith::AddIOp>(loc, linear, constant(distance));
    return builder.createOrFold<arith::SelectOp>(loc, exists, there,
                                                 constant(-1));
  };
  return {neighbor(arith::CmpIPredicate::sgt, 0, -stride),
          neighbor(arith::CmpIPredicate::slt, grid.shape[axis] - 1, stride)};
}

/// The results of an op that asks for the place of `device`, for these `operands`.
FailureOr<SmallVector<Value>> Unroller::placeOf(Operation *op,
                                                ValueRange operands,
                                                int64_t device,
                                                const Scope &scope) {
  GridOp gridOp = getGrid(op, symbols);
  FailureOr<Grid> devices = devicesFor(op, scope);
  if (failed(devices))
    return failure();
  if (auto neighbors = dyn_cast<NeighborsLinearIndicesOp>(op)) {
    FailureOr<Grid> grid = staticGrid(gridOp);
    if (failed(grid))
      return notSupported(op) << ": its grid has an axis of unknown size";
    return neighborsOf(builder, neighbors, operands, *grid);
  }
  AxisList axes(gridOp.getRank());
  std::iota(axes.begin(), axes.end(), 0);
  bool sizes = isa<GridShapeOp>(op);
  auto named = op->getAttrOfType<GridAxesAttr>("axes");
  if (named && !named.empty())
    axes.assign(named.asArrayRef().begin(), named.asArrayRef().end());
  // The verifier has seen to it that all axes of coordinates are manual.
  std::vector<int64_t> at = devices->coordinates(device);
  SmallVector<int64_t> numbers;
  if (isa<ProcessLinearIndexOp>(op))
    numbers.push_back(device);
  else
    for (GridAxis axis : axes)
      numbers.push_back(sizes ? gridOp.getShape()[axis] : at[axis]);
  SmallVector<Value> values;
  for (int64_t number : numbers)
    values.push_back(
        arith::ConstantIndexOp::create(builder, op->getLoc(), number));
  return values;
}

/// Answers the ops in `clone`, which is copied for `device`, that ask for its place.
LogicalResult Unroller::answerPlaces(Operation *clone, int64_t device,
                                     const Scope &scope) {
  SmallVector<Operation *> questions;
  clone->walk([&](Operation *inner) {
    if (asksForPlace(inner))
      questions.push_back(inner);
  });
  for (Operation *question : questions) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(question);
    FailureOr<SmallVector<Value>> answer =
        placeOf(question, question->getOperands(), device, scope);
    if (failed(answer))
      return failure();
    question->replaceAllUsesWith(*answer);
    question->erase();
  }
  return success();
}

LogicalResult Unroller::copyForeign(Operation *op, Scope &scope) {
  // Numbers that follow from a device's place decide which way it takes, so they
  // are computed here.
  bool isNumber = op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                  llvm::all_of(op->getResultTypes(),
                               [](Type type) { return type.isIntOrIndex(); });
  for (int64_t device : scope.members) {
    IRMapping &mapping = scope.values[device];
    Operation *clone = builder.clone(*op, mapping);
    if (failed(answerPlaces(clone, device, scope)))
      return failure();
    SmallVector<Value> folded;
    if (!isNumber || failed(builder.tryFold(clone, folded)) || folded.empty())
      continue;
    mapping.map(op->getResults(), folded);
    clone->erase();
  }
  return success();
}

LogicalResult Unroller::copyCollective(Operation *op, Scope &scope) {
  FailureOr<Grid> devices = devicesFor(op, scope);
  if (failed(devices))
    return failure();
  Copies inputs(scope.values.size());
  for (int64_t device : scope.members)
    inputs[device] = scope.values[device].lookupOrDefault(op->getOperand(0));
  auto operandOn = [&](Value operand, int64_t device) {
    return scope.values[device].lookupOrDefault(operand);
  };
  CollectiveUnroller unroller(builder, *devices, operandOn);
  FailureOr<Copies> results =
      isa<SendOp, RecvOp>(op) ? unroller.message(op, inputs, *messages, sends++)
                              : unroller.unroll(op, inputs);
  if (failed(results))
    return failure();
  Type type = op->getResult(0).getType();
  for (int64_t device : scope.members) {
    Value result = (*results)[device];
    if (result.getType() != type) {
      if (!tensor::CastOp::areCastCompatible(result.getType(), type))
        return notSupported(op)
               << ": it makes " << result.getType() << ", not " << type;
      result = tensor::CastOp::create(builder, op->getLoc(), type, result);
    }
    scope.values[device].map(op->getResult(0), result);
  }
  return success();
}

LogicalResult Unroller::copy(Operation *op, Scope &scope) {
  if (auto manual = dyn_cast<ManualComputationOp>(op))
    return unroll(manual, scope);
  if (isa<GroupOp>(op))
    return success();
  if (isa<ShardOp, ConstraintOp, WaitOp>(op)) {
    for (int64_t device : scope.members) {
      IRMapping &mapping = scope.values[device];
      mapping.map(op->getResult(0), mapping.lookupOrDefault(op->getOperand(0)));
    }
    return success();
  }
  if (asksForPlace(op)) {
    for (int64_t device : scope.members) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(scope.values[device].lookupOrDefault(operand));
      FailureOr<SmallVector<Value>> answer =
          placeOf(op, operands, device, scope);
      if (failed(answer))
        return failure();
      scope.values[device].map(op->getResults(), *answer);
    }
    return success();
  }
  if (communicates(op))
    return op->getDialect() ==
                   op->getContext()->getLoadedDialect<ShardDialect>()
               ? copyCollective(op, scope)
               : copyConnected(op, scope);
  // Shardings may be used inside regions; who drops annotations drops them.
  return copyForeign(op, scope);
}
