//===- EdgePartitioner.cpp - What ops pass on, on one device --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that pass tensors on: returns, calls, branches, ops with regions and their
// terminators. Whoever takes the tensor says in which sharding.
//
//===----------------------------------------------------------------------===//

#include "Partition/Partitioners.h"

#include "shard/IR/ShardingUtils.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult partitionReturn(LocalFunction &local, Operation *op) {
  SmallVector<Value> operands;
  auto wanted = [&](unsigned index) {
    return local.shardings.signature.results[index];
  };
  if (failed(local.localOperands(op, wanted, operands)))
    return failure();
  local.builder.clone(*op)->setOperands(operands);
  return success();
}

LogicalResult partitionCall(LocalFunction &local, Operation *op,
                            StringRef callee) {
  const SignatureShardings *signature = local.signatureOf(op, callee);
  if (!signature || signature->arguments.size() != op->getNumOperands() ||
      signature->results.size() != op->getNumResults())
    return partitionReplicated(local, op);
  SmallVector<Value> operands;
  auto wanted = [&](unsigned index) { return signature->arriving[index]; };
  if (failed(local.localOperands(op, wanted, operands)))
    return failure();
  Operation *call = local.builder.clone(*op);
  call->setOperands(operands);
  for (auto [index, result] : llvm::enumerate(call->getResults())) {
    const Sharding *sharding = signature->results[index];
    result.setType(local.localTypeOf(result.getType(), sharding));
    if (failed(local.setResult(op->getResult(index), result, sharding, op)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Branches and regions
//===----------------------------------------------------------------------===//

/// The local operands of `op` as LocalFunction::edgeOperands says; replicated where
/// it says nothing.
static LogicalResult edgeOperands(LocalFunction &local, Operation *op,
                                  SmallVectorImpl<Value> &operands) {
  auto wanted = [&](unsigned index) {
    OpOperand &operand = op->getOpOperand(index);
    auto edge = local.edgeOperands.find(&operand);
    return edge == local.edgeOperands.end()
               ? local.replicatedLike(operand.get())
               : edge->second;
  };
  return local.localOperands(op, wanted, operands);
}

LogicalResult partitionBranch(LocalFunction &local, BranchOpInterface branch) {
  for (auto [operand, argument] : branchEdges(branch))
    local.edgeOperands[operand] = local.shardings.of(argument);
  SmallVector<Value> operands;
  if (failed(edgeOperands(local, branch, operands)))
    return failure();
  Operation *made = local.builder.clone(*branch);
  made->setOperands(operands);
  for (BlockOperand &successor : made->getBlockOperands())
    successor.set(local.blocks.lookup(successor.get()));
  return success();
}

LogicalResult partitionTerminator(LocalFunction &local, Operation *op) {
  SmallVector<Value> operands;
  if (failed(edgeOperands(local, op, operands)))
    return failure();
  local.builder.clone(*op)->setOperands(operands);
  return success();
}

LogicalResult partitionRegionBranch(LocalFunction &local, Operation *op,
                                    const RegionEdges &edges,
                                    RebuildRegion rebuild) {
  for (const auto &[operand, inputs] : edges.byOperand())
    local.edgeOperands[operand] = local.shardings.of(inputs.front());
  SmallVector<Value> operands;
  if (failed(edgeOperands(local, op, operands)))
    return failure();
  Operation *made = op->cloneWithoutRegions();
  made->setOperands(operands);
  local.builder.insert(made);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), made->getRegions()))
    if (failed(rebuild(from, to)))
      return failure();
  for (auto [result, global] :
       llvm::zip_equal(made->getResults(), op->getResults())) {
    const Sharding *sharding = local.shardings.of(global);
    result.setType(local.localTypeOf(result.getType(), sharding));
    local.locals[global] = {result, sharding};
  }
  return success();
}

} // namespace shard
