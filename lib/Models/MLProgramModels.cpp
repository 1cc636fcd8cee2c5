//===- MLProgramModels.cpp - Globals of ml_program -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every device has the whole of each global: a load takes a block of it, a store
// needs the whole value.
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Models.h"

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/LocalOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace shard {

namespace {

template <typename OpTy>
struct LoadModel : public DescribedModel<LoadModel<OpTy>, OpTy> {
  void describe(OpTy op, MapBuilder &maps) const { describeResult(op, maps); }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    return partitionAsBlockOfWhole(op, builder, operands, context, results);
  }
};

struct StoreModel
    : public DescribedModel<StoreModel, ml_program::GlobalStoreOp> {
  void describe(ml_program::GlobalStoreOp, MapBuilder &) const {}
};

} // namespace

void registerMLProgramModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, ml_program::MLProgramDialect *) {
        context->loadDialect<arith::ArithDialect, tensor::TensorDialect>();
        ml_program::GlobalLoadOp::attachInterface<
            LoadModel<ml_program::GlobalLoadOp>>(*context);
        ml_program::GlobalLoadConstOp::attachInterface<
            LoadModel<ml_program::GlobalLoadConstOp>>(*context);
        ml_program::GlobalStoreOp::attachInterface<StoreModel>(*context);
      });
}

} // namespace shard
