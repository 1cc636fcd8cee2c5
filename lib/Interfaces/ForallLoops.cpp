//===- ForallLoops.cpp - What scf.forall leaves whole ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/ForallLoops.h"

using namespace mlir;

namespace shard {

scf::ForallOp asTensorForall(Operation *op) {
  auto forall = dyn_cast<scf::ForallOp>(op);
  if (!forall || forall.getOutputs().empty())
    return nullptr;
  for (Value output : forall.getOutputs())
    if (!isa<RankedTensorType>(output.getType()))
      return nullptr;
  for (Operation &combine : forall.getTerminator().getYieldingOps()) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(combine);
    auto dest = insert ? dyn_cast<BlockArgument>(insert.getDest()) : nullptr;
    if (!dest || dest.getOwner() != forall.getBody())
      return nullptr;
  }
  return forall;
}

/// Per dimension of the destination the one of the source that is the whole of it,
/// or -1.
static SmallVector<int64_t> wholeDims(tensor::ParallelInsertSliceOp insert) {
  RankedTensorType source = insert.getSourceType(), dest = insert.getDestType();
  SmallVector<int64_t> whole(dest.getRank(), -1);
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  int64_t inner = 0;
  for (int64_t dim = 0; dim < dest.getRank(); ++dim) {
    if (dropped.test(dim))
      continue;
    if (!dest.isDynamicDim(dim) &&
        isConstantIntValue(insert.getMixedOffsets()[dim], 0) &&
        isConstantIntValue(insert.getMixedStrides()[dim], 1) &&
        isConstantIntValue(insert.getMixedSizes()[dim], dest.getDimSize(dim)) &&
        source.getDimSize(inner) == dest.getDimSize(dim))
      whole[dim] = inner;
    ++inner;
  }
  return whole;
}

static TensorLoops tensorOfRank(int64_t rank) {
  TensorLoops tensor;
  tensor.isTensor = true;
  tensor.dims.resize(rank);
  return tensor;
}

LoopTable insertTable(tensor::ParallelInsertSliceOp insert) {
  LoopTable table;
  table.operands.push_back(tensorOfRank(insert.getSourceType().getRank()));
  table.results.push_back(tensorOfRank(insert.getDestType().getRank()));
  for (auto [dim, inner] : llvm::enumerate(wholeDims(insert))) {
    if (inner < 0)
      continue;
    int32_t loop = table.loops.size();
    table.loops.push_back(Loop::parallel(insert.getDestType().getDimSize(dim)));
    table.operands[0].dims[inner] = {loop};
    table.results[0].dims[dim] = {loop};
  }
  return table;
}

LoopTable sharedOutTable(scf::ForallOp forall, unsigned number) {
  auto type = cast<RankedTensorType>(forall.getOutputs()[number].getType());
  BlockArgument argument = forall.getRegionIterArgs()[number];
  SmallVector<bool> whole(type.getRank(), true);
  for (Operation &combine : forall.getTerminator().getYieldingOps()) {
    auto insert = cast<tensor::ParallelInsertSliceOp>(combine);
    if (insert.getDest() == argument)
      for (auto [dim, inner] : llvm::enumerate(wholeDims(insert)))
        whole[dim] = whole[dim] && inner >= 0;
  }
  LoopTable table;
  TensorLoops tensor = tensorOfRank(type.getRank());
  for (auto [dim, isWhole] : llvm::enumerate(whole)) {
    if (!isWhole)
      continue;
    tensor.dims[dim] = {int32_t(table.loops.size())};
    table.loops.push_back(Loop::parallel(type.getDimSize(dim)));
  }
  table.operands.push_back(tensor);
  table.results.assign(2, tensor);
  return table;
}

Sharding operandFor(const LoopTable &table, const Sharding &target) {
  const TensorLoops &operand = table.operands.front();
  Sharding result = Sharding::replicated(operand.dims.size());
  for (auto [axes, loops] : llvm::zip_equal(result.dims, operand.dims))
    for (auto [from, other] :
         llvm::zip_equal(target.dims, table.results.front().dims))
      if (!loops.empty() && loops == other)
        axes = from;
  return result;
}

} // namespace shard
