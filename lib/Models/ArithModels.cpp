//===- ArithModels.cpp - Elementwise ops and constants --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Models.h"

#include "Commuting.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/Emitter.h"
#include "shard/Partitioning/PartitionContext.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

namespace {

/// One parallel loop per dimension of the first result; every tensor operand and
/// every other result (math.sincos) has the same shape.
struct ElementwiseModel : public GenericShardingModel<ElementwiseModel> {
  SmallVector<Loop> getShardingLoops(Operation *op) const {
    SmallVector<Loop> loops;
    if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType()))
      for (int64_t extent : type.getShape())
        loops.push_back(Loop::parallel(extent));
    return loops;
  }

  SmallVector<AffineMap> getShardingMaps(Operation *op) const {
    SmallVector<AffineMap> maps;
    for (Type type :
         llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                  SmallVector<Type>(op->getResultTypes()))) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      maps.push_back(tensor ? AffineMap::getMultiDimIdentityMap(
                                  tensor.getRank(), op->getContext())
                            : AffineMap());
    }
    return maps;
  }

  PartialRule getPartialRule(Operation *op) const {
    if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp,
            arith::NegFOp>(op))
      return PartialRule::Additive;
    if (isa<arith::MulFOp, arith::MulIOp>(op))
      return PartialRule::Multilinear;
    return PartialRule::None;
  }
  bool commutesWith(Operation *op, ReductionKind kind, unsigned operand) const {
    return commutesWithReduction(op, kind, operand);
  }

  /// MLIR calls these pure, but they divide; math.ipowi is lowered to a division.
  bool mayTrapOnPadding(Operation *op) const {
    return isa<arith::FloorDivSIOp, arith::RemUIOp, arith::RemSIOp,
               math::IPowIOp>(op) ||
           mayTrapByEffects(op);
  }
  bool isPointwise(Operation *op) const { return !mayTrapOnPadding(op); }
  bool computesBeyondBlock(Operation *) const { return true; }
};

struct ConstantModel
    : public ShardingInterface::ExternalModel<ConstantModel,
                                              arith::ConstantOp> {
  SmallVector<Loop> getShardingLoops(Operation *op) const {
    return ElementwiseModel().getShardingLoops(op);
  }
  SmallVector<AffineMap> getShardingMaps(Operation *op) const {
    return ElementwiseModel().getShardingMaps(op);
  }
  bool isPointwise(Operation *) const { return true; }
  bool computesBeyondBlock(Operation *op) const {
    DenseElementsAttr elements;
    return matchPattern(op, m_Constant(&elements)) && elements.isSplat();
  }

  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto constant = cast<arith::ConstantOp>(op);
    auto type = dyn_cast<RankedTensorType>(constant.getType());
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    Sharding sharding = context.result(0);
    if (type && elements && elements.isSplat()) {
      auto local = cast<RankedTensorType>(context.localResultType(type, 0));
      results.push_back(arith::ConstantOp::create(builder, op->getLoc(),
                                                  elements.resizeSplat(local)));
      return success();
    }
    // Each device keeps its block of the whole constant.
    Value whole = builder.clone(*op)->getResult(0);
    if (type && !sharding.isReplicated()) {
      FailureOr<Value> block = emitReshard(builder, op->getLoc(), whole, type,
                                           Sharding::replicated(type.getRank()),
                                           sharding, context.emission);
      if (failed(block))
        return failure();
      whole = *block;
    }
    results.push_back(whole);
    return success();
  }
};

/// Attaches ElementwiseModel to the elementwise ops of the dialect `name`.
void attachElementwise(MLIRContext *context, StringRef name) {
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() == name &&
        op.hasTrait<OpTrait::Elementwise>() &&
        !op.hasTrait<OpTrait::ZeroResults>())
      op.attachInterface<ElementwiseModel>();
}

} // namespace

void registerArithModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachElementwise(context, "arith");
    arith::ConstantOp::attachInterface<ConstantModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachElementwise(context, "math");
  });
}

} // namespace shard
