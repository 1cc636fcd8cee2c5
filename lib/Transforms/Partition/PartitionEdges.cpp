//===- PartitionEdges.cpp - What ops pass on to blocks and functions ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that pass tensors on: returns, calls, branches, ops with regions and their
// terminators, manual computations. Whoever takes the tensor says in which
// sharding.
//
//===----------------------------------------------------------------------===//

#include "Partition/FunctionPartitioner.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// Functions and branches
//===----------------------------------------------------------------------===//

LogicalResult FunctionPartitioner::rebuildReturn(Operation *op) {
  SmallVector<Value> operands;
  for (auto [index, value] : llvm::enumerate(op->getOperands())) {
    FailureOr<Value> local = localAs(value, shardings.signature.results[index],
                                     op, "operand " + Twine(index));
    if (failed(local))
      return failure();
    operands.push_back(*local);
  }
  builder.clone(*op)->setOperands(operands);
  return success();
}

LogicalResult FunctionPartitioner::rebuildCall(Operation *op,
                                               StringRef callee) {
  const SignatureShardings *signature = signatureOf(op, callee);
  if (!signature || signature->arguments.size() != op->getNumOperands() ||
      signature->results.size() != op->getNumResults())
    return rebuildReplicated(op);
  SmallVector<Value> operands;
  for (auto [index, value] : llvm::enumerate(op->getOperands())) {
    FailureOr<Value> local = localAs(value, signature->arguments[index], op,
                                     "operand " + Twine(index));
    if (failed(local))
      return failure();
    operands.push_back(*local);
  }
  Operation *call = builder.clone(*op);
  call->setOperands(operands);
  for (auto [index, result] : llvm::enumerate(call->getResults())) {
    const Sharding *sharding = signature->results[index];
    result.setType(localTypeOf(result.getType(), sharding));
    if (failed(setResult(op->getResult(index), result, sharding, op)))
      return failure();
  }
  return success();
}

LogicalResult FunctionPartitioner::rebuildBranch(BranchOpInterface branch) {
  for (auto [operand, argument] : branchEdges(branch))
    edgeOperands[operand] = shardings.of(argument);
  SmallVector<Value> operands;
  if (failed(localEdgeOperands(branch, operands)))
    return failure();
  Operation *local = builder.clone(*branch);
  local->setOperands(operands);
  for (BlockOperand &successor : local->getBlockOperands())
    successor.set(blocks.lookup(successor.get()));
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

LogicalResult
FunctionPartitioner::localEdgeOperands(Operation *op,
                                       SmallVectorImpl<Value> &operands) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto edge = edgeOperands.find(&operand);
    FailureOr<Value> local =
        localAs(operand.get(),
                edge == edgeOperands.end() ? replicatedLike(operand.get())
                                           : edge->second,
                op, "operand " + Twine(operand.getOperandNumber()));
    if (failed(local))
      return failure();
    operands.push_back(*local);
  }
  return success();
}

LogicalResult FunctionPartitioner::rebuildTerminator(Operation *op) {
  SmallVector<Value> operands;
  if (failed(localEdgeOperands(op, operands)))
    return failure();
  builder.clone(*op)->setOperands(operands);
  return success();
}

LogicalResult
FunctionPartitioner::rebuildRegionBranch(Operation *branch,
                                         const RegionEdges &edges) {
  for (const auto &[operand, inputs] : edges.byOperand())
    edgeOperands[operand] = shardings.of(inputs.front());
  SmallVector<Value> operands;
  if (failed(localEdgeOperands(branch, operands)))
    return failure();
  Operation *local = branch->cloneWithoutRegions();
  local->setOperands(operands);
  builder.insert(local);
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), local->getRegions())) {
    OpBuilder::InsertionGuard guard(builder);
    if (failed(rebuild(from, to)))
      return failure();
  }
  for (auto [result, global] :
       llvm::zip_equal(local->getResults(), branch->getResults())) {
    const Sharding *sharding = shardings.of(global);
    result.setType(localTypeOf(result.getType(), sharding));
    locals[global] = {result, sharding};
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Manual computations
//===----------------------------------------------------------------------===//

/// The body is code for one device already, as far as manual axes go: it is put in
/// place of the op. Its values are global with respect to the other axes.
LogicalResult FunctionPartitioner::rebuildManual(ManualComputationOp op) {
  mlir::Block &body = op.getBody().front();
  Grid outside = planningGrid, inside = planningGrid;
  for (Attribute attribute : op.getManualAxes())
    inside.shape[*GridOp(shardings.gridOp)
                      .axisNumber(cast<AxisRefAttr>(attribute))] = 1;
  auto shardingAt = [&](ArrayAttr list, unsigned index, Type type) {
    return shardings.resolveFor(op, cast<ShardingAttr>(list[index]), type);
  };
  for (auto [index, argument] : llvm::enumerate(body.getArguments())) {
    Value input = op.getInputs()[index];
    FailureOr<const Sharding *> in =
        shardingAt(op.getInShardings(), index, input.getType());
    if (failed(in))
      return failure();
    FailureOr<Value> local = localAs(input, *in, op, "operand " + Twine(index));
    if (failed(local))
      return failure();
    locals[argument] = {*local, withoutManualAxes(op, **in)};
    const Sharding *stated = shardings.of(argument);
    planningGrid = inside;
    FailureOr<Value> asStated = localAs(argument, stated, op, "body argument");
    planningGrid = outside;
    if (failed(asStated))
      return failure();
    locals[argument] = {*asStated, stated};
  }
  SmallVector<std::pair<Value, LocalValue>> captured;
  if (failed(gatherCaptures(op, captured)))
    return failure();
  planningGrid = inside;
  for (Operation &inner : llvm::make_early_inc_range(body.without_terminator()))
    if (failed(rebuildOp(&inner)))
      return failure();
  for (auto [index, value] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    Value result = op.getResult(index);
    FailureOr<const Sharding *> out =
        shardingAt(op.getOutShardings(), index, result.getType());
    if (failed(out))
      return failure();
    FailureOr<Value> local = localAs(value, withoutManualAxes(op, **out), op,
                                     "returned value " + Twine(index));
    planningGrid = outside;
    if (failed(local) || failed(setResult(result, *local, *out, op)))
      return failure();
    planningGrid = inside;
  }
  planningGrid = outside;
  for (const auto &[value, local] : captured)
    locals[value] = local;
  return success();
}

/// Every device of the manual axes of `op` sees the whole of a tensor that the body
/// takes from outside. `outside` is what those have been until now that manual
/// axes split.
LogicalResult FunctionPartitioner::gatherCaptures(
    ManualComputationOp op,
    SmallVectorImpl<std::pair<Value, LocalValue>> &outside) {
  llvm::SetVector<Value> captured;
  op.getBody().walk([&](Operation *inner) {
    for (Value value : inner->getOperands())
      if (!op.getBody().isAncestor(value.getParentRegion()))
        captured.insert(value);
  });
  for (Value value : captured) {
    LocalValue local = locals.lookup(value);
    if (!local.sharding)
      continue;
    const Sharding *whole = withoutManualAxes(op, *local.sharding);
    FailureOr<Value> gathered = localAs(value, whole, op, "a captured value");
    if (failed(gathered))
      return failure();
    if (whole == local.sharding)
      continue;
    outside.emplace_back(value, local);
    locals[value] = {*gathered, whole};
  }
  return success();
}

const Sharding *
FunctionPartitioner::withoutManualAxes(ManualComputationOp op,
                                       const Sharding &sharding) {
  Sharding free = sharding;
  for (Attribute attribute : op.getManualAxes()) {
    GridAxis axis =
        *GridOp(shardings.gridOp).axisNumber(cast<AxisRefAttr>(attribute));
    for (AxisList &axes : free.dims)
      llvm::erase(axes, axis);
    llvm::erase(free.partial, axis);
  }
  return pool.intern(free);
}

} // namespace shard
