//===- DataFlowEdges.cpp - Which values are handed on as others -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/DataFlowEdges.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace shard {

RegionEdges::RegionEdges(RegionBranchOpInterface op) : op(op) {
  bool fits = true;
  for (RegionBranchPoint point : op.getAllRegionBranchPoints())
    fits &= add(point);
  tensorsAreCovered = fits && coversTensors();
}

bool RegionEdges::add(RegionBranchPoint point) {
  Operation *owner =
      point.isParent() ? op : point.getTerminatorPredecessorOrNull();
  llvm::SmallVector<RegionSuccessor> successors;
  op.getSuccessorRegions(point, successors);
  bool fits = true;
  for (RegionSuccessor successor : successors) {
    OperandRange operands = op.getSuccessorOperands(point, successor);
    ValueRange taken = successor.getSuccessorInputs();
    if (operands.size() != taken.size()) {
      fits = false;
      continue;
    }
    // An empty range has no first operand.
    unsigned first = operands.empty() ? 0 : operands.getBeginOperandIndex();
    for (auto [index, input] : llvm::enumerate(taken)) {
      OpOperand &operand = owner->getOpOperand(first + index);
      list.push_back({&operand, input});
      inputs[&operand].push_back(input);
    }
  }
  return fits;
}

bool RegionEdges::coversTensors() const {
  // Iterations of a parallel loop have no order: nothing in them may communicate, so
  // they work on whole tensors.
  if (op->hasTrait<OpTrait::HasParallelRegion>())
    return false;
  llvm::DenseSet<Value> fed;
  for (const DataFlowEdge &edge : list) {
    fed.insert(edge.input);
    auto to = dyn_cast<RankedTensorType>(edge.input.getType());
    auto from = dyn_cast<RankedTensorType>(edge.operand->get().getType());
    if (to && (!from || from.getShape() != to.getShape()))
      return false;
    // A tensor that becomes part of something else, whose type would not follow.
    if (from && !to)
      return false;
  }
  auto isFed = [&](Value value) {
    return !isa<RankedTensorType>(value.getType()) || fed.contains(value);
  };
  auto isHandedOn = [&](OpOperand &operand) {
    return !isa<RankedTensorType>(operand.get().getType()) ||
           inputs.contains(&operand);
  };
  return llvm::all_of(op->getOpOperands(), isHandedOn) &&
         llvm::all_of(op->getResults(), isFed) &&
         llvm::all_of(op->getRegions(), [&](Region &region) {
           return region.empty() || llvm::all_of(region.getArguments(), isFed);
         });
}

llvm::SmallVector<DataFlowEdge, 4> branchEdges(BranchOpInterface terminator) {
  llvm::SmallVector<DataFlowEdge, 4> edges;
  for (OpOperand &operand : terminator->getOpOperands())
    if (std::optional<BlockArgument> target =
            terminator.getSuccessorBlockArgument(operand.getOperandNumber()))
      edges.push_back({&operand, *target});
  return edges;
}

std::optional<llvm::SmallVector<DataFlowEdge, 4>>
callEdges(CallOpInterface call, FunctionOpInterface callee) {
  OperandRange operands = call.getArgOperands();
  if (operands.size() != callee.getNumArguments())
    return std::nullopt;
  llvm::SmallVector<DataFlowEdge, 4> edges;
  unsigned first = operands.empty() ? 0 : operands.getBeginOperandIndex();
  for (BlockArgument argument : callee.getArguments())
    edges.push_back(
        {&call->getOpOperand(first + argument.getArgNumber()), argument});
  return edges;
}

} // namespace shard
