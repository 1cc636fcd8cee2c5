//===- ForallModel.cpp - What scf.forall leaves whole ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iterations of an scf.forall insert slices into its shared outputs, by
// tensor.parallel_insert_slice.
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/RegionLoopsInterface.h"
#include "shard/Models/Models.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace shard {

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

namespace {

struct ForallModel
    : public RegionLoopsInterface::ExternalModel<ForallModel, scf::ForallOp> {
  bool hasRegionLoops(Operation *op) const {
    auto forall = cast<scf::ForallOp>(op);
    if (forall.getOutputs().empty())
      return false;
    for (Value output : forall.getOutputs())
      if (!isa<RankedTensorType>(output.getType()))
        return false;
    for (Operation &combine : forall.getTerminator().getYieldingOps()) {
      auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(combine);
      auto dest = insert ? dyn_cast<BlockArgument>(insert.getDest()) : nullptr;
      if (!dest || dest.getOwner() != forall.getBody())
        return false;
    }
    return true;
  }

  MutableOperandRange getSharedTensors(Operation *op) const {
    return cast<scf::ForallOp>(op).getOutputsMutable();
  }

  LoopTable getSharedTensorLoops(Operation *op, unsigned number) const {
    auto forall = cast<scf::ForallOp>(op);
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

  OpOperand &getInsertedSlice(Operation *, Operation *insertion) const {
    return cast<tensor::ParallelInsertSliceOp>(insertion).getSourceMutable();
  }

  LoopTable getInsertionLoops(Operation *, Operation *insertion) const {
    auto insert = cast<tensor::ParallelInsertSliceOp>(insertion);
    LoopTable table;
    table.operands.push_back(tensorOfRank(insert.getSourceType().getRank()));
    table.results.push_back(tensorOfRank(insert.getDestType().getRank()));
    for (auto [dim, inner] : llvm::enumerate(wholeDims(insert))) {
      if (inner < 0)
        continue;
      int32_t loop = table.loops.size();
      table.loops.push_back(
          Loop::parallel(insert.getDestType().getDimSize(dim)));
      table.operands[0].dims[inner] = {loop};
      table.results[0].dims[dim] = {loop};
    }
    return table;
  }

  void buildLocalInsertion(Operation *, OpBuilder &builder,
                           Operation *insertion, ArrayRef<Value> operands,
                           const Sharding &destination) const {
    auto insert =
        cast<tensor::ParallelInsertSliceOp>(builder.clone(*insertion));
    // Axes split whole dimensions alone, whose sizes are attributes.
    SmallVector<int64_t> sizes(insert.getStaticSizes());
    insert->setOperands(operands);
    for (auto [dim, axes] : llvm::enumerate(destination.dims))
      if (!axes.empty())
        sizes[dim] = insert.getDestType().getDimSize(dim);
    insert.setStaticSizes(sizes);
  }

  SmallVector<Value> makeSequential(Operation *op, OpBuilder &builder) const {
    auto forall = cast<scf::ForallOp>(op);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(forall);
    // The ops are moved: partition knows them, and the values that they make.
    auto body = [&](OpBuilder &inner, Location loc, ValueRange indices,
                    ValueRange outs) -> scf::ValueVector {
      mlir::Block *from = forall.getBody();
      Operation *terminator = forall.getTerminator();
      inner.getInsertionBlock()->getOperations().splice(
          inner.getInsertionPoint(), from->getOperations(), from->begin(),
          terminator->getIterator());
      SmallVector<std::pair<tensor::ParallelInsertSliceOp, unsigned>> inserts;
      for (Operation &combine : forall.getTerminator().getYieldingOps()) {
        auto insert = cast<tensor::ParallelInsertSliceOp>(combine);
        inserts.emplace_back(
            insert, cast<BlockArgument>(insert.getDest()).getArgNumber() -
                        forall.getRank());
      }
      for (auto [argument, value] :
           llvm::zip(forall.getInductionVars(), indices))
        argument.replaceAllUsesWith(value);
      for (auto [argument, value] : llvm::zip(forall.getRegionIterArgs(), outs))
        argument.replaceAllUsesWith(value);
      // An insertion changes what the next one finds, not what the body has read.
      scf::ValueVector results(outs.begin(), outs.end());
      for (auto [insert, number] : inserts)
        results[number] = tensor::InsertSliceOp::create(
            inner, insert.getLoc(), insert.getSource(), results[number],
            insert.getMixedOffsets(), insert.getMixedSizes(),
            insert.getMixedStrides());
      return results;
    };
    scf::LoopNest nest = scf::buildLoopNest(
        builder, forall.getLoc(), forall.getLowerBound(builder),
        forall.getUpperBound(builder), forall.getStep(builder),
        forall.getOutputs(), body);
    SmallVector<Value> results(nest.results.begin(), nest.results.end());
    forall.erase();
    return results;
  }
};

} // namespace

void registerScfModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    scf::ForallOp::attachInterface<ForallModel>(*context);
  });
}

} // namespace shard
