//===- ShardingInterface.cpp - What an op tells about sharding ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

ReductionKind firstReductionKind(Operation *op) {
  for (const Loop &loop : cast<ShardingInterface>(op).getShardingLoops())
    if (loop.kind == LoopKind::Reduction)
      return loop.reduction;
  return ReductionKind::Sum;
}

bool isCreator(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  if (isa<tensor::EmptyOp, tensor::SplatOp>(op))
    return true;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return isa_and_present<tensor::EmptyOp>(
        fill.getOutputs().front().getDefiningOp());
  return op->hasTrait<OpTrait::ConstantLike>();
}

void ShardingInterface::printLoopTypesAndIndexingMaps(raw_ostream &os) {
  os << "loops:";
  // As propagation has them: loops of windows are invalid there.
  for (const Loop &loop : buildLoopTable(*this).loops) {
    switch (loop.kind) {
    case LoopKind::Parallel:
      os << " parallel";
      break;
    case LoopKind::Reduction:
      os << " reduction<" << stringifyReductionKind(loop.reduction) << ">";
      break;
    case LoopKind::Invalid:
      os << " invalid";
      break;
    }
    os << "(";
    if (ShapedType::isDynamic(loop.extent))
      os << "?";
    else
      os << loop.extent;
    os << ")";
  }
  os << "\n";
  unsigned numOperands = (*this)->getNumOperands();
  for (auto [index, map] : llvm::enumerate(getShardingMaps())) {
    if (index < numOperands)
      os << "operand " << index << ": ";
    else
      os << "result " << index - numOperands << ": ";
    if (map)
      os << map << "\n";
    else
      os << "no tensor\n";
  }
}

} // namespace shard

#include "shard/Interfaces/ShardingInterface.cpp.inc"
