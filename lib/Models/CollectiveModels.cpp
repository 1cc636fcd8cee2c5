//===- CollectiveModels.cpp - Collectives in manual computations ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the body of a manual computation, collectives over manual axes stand among
// ops that are sharded over the other axes. A collective works on each element,
// or on each line along the dimensions that it names: the other dimensions may be
// split.
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Models.h"

#include "shard/IR/ShardOps.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace shard {

namespace {

SmallVector<int64_t> namedDims(AllGatherOp op) {
  return {op.getGatherAxis().getSExtValue()};
}
SmallVector<int64_t> namedDims(AllSliceOp op) {
  return {op.getSliceAxis().getSExtValue()};
}
SmallVector<int64_t> namedDims(ReduceScatterOp op) {
  return {op.getScatterAxis().getSExtValue()};
}
SmallVector<int64_t> namedDims(AllToAllOp op) {
  return {op.getSplitAxis().getSExtValue(), op.getConcatAxis().getSExtValue()};
}
template <typename OpTy>
SmallVector<int64_t> namedDims(OpTy) {
  return {};
}

template <typename OpTy>
struct CollectiveModel
    : public ShardingInterface::ExternalModel<CollectiveModel<OpTy>, OpTy> {
  SmallVector<Loop> getShardingLoops(Operation *op) const {
    SmallVector<Loop> loops;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      return loops;
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      loops.push_back(isNamed(op, dim) ? Loop::invalid(extent)
                                       : Loop::parallel(extent));
    return loops;
  }

  SmallVector<AffineMap> getShardingMaps(Operation *op) const {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      return {};
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      exprs.push_back(isNamed(op, dim)
                          ? getAffineConstantExpr(0, op->getContext())
                          : getAffineDimExpr(dim, op->getContext()));
    auto map = AffineMap::get(type.getRank(), 0, exprs, op->getContext());
    SmallVector<AffineMap> maps(op->getNumOperands());
    maps.front() = map;
    maps.push_back(map);
    return maps;
  }

private:
  static bool isNamed(Operation *op, int64_t dim) {
    return llvm::is_contained(namedDims(cast<OpTy>(op)), dim);
  }
};

template <typename... OpTys>
void attach(MLIRContext *context) {
  (OpTys::template attachInterface<CollectiveModel<OpTys>>(*context), ...);
}

} // namespace

void registerCollectiveModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, BuiltinDialect *) {
    context->getOrLoadDialect<ShardDialect>();
    attach<AllGatherOp, AllReduceOp, AllSliceOp, AllToAllOp, BroadcastOp,
           PermuteOp, ReduceScatterOp, ShiftOp>(context);
  });
}

} // namespace shard
