//===- LinalgModels.cpp - Structured ops of linalg ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One model for every op with linalg's LinalgOp interface, named or generic:
// the loops are its iterators, the maps its indexing maps. What a split needs
// beyond that is read off the body: which op combines a reduction, whether the
// result is linear in the inputs, and the places that ask for loop indices.
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Models.h"

#include "BodyReductions.h"
#include "Commuting.h"
#include "QuotientLoops.h"
#include "RelayoutModels.h"
#include "TensorModels.h"

#include "shard/IR/ShardOps.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/Emitter.h"
#include "shard/Partitioning/PartitionContext.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

namespace {

/// Whether `op` computes one new tensor from the places of its elements alone.
bool makesNewTensorOfPlaces(linalg::LinalgOp op) {
  return op->getNumResults() == 1 && op.getNumDpsInputs() == 0 &&
         op.getNumReductionLoops() == 0 &&
         op.getDpsInits().front().getDefiningOp<tensor::EmptyOp>() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) &&
         readsNoTensor(op->getRegion(0));
}

/// What `value`, which `body` computes, is a fixed multiple of: the same factor in each iteration.
Value withoutFactors(Value value, mlir::Block *body) {
  auto isFixed = [&](Value factor) {
    return factor.getParentBlock() != body ||
           matchPattern(factor, m_Constant());
  };
  while (Operation *op = value.getDefiningOp()) {
    if (op->getBlock() != body)
      break;
    if (isa<arith::NegFOp>(op))
      value = op->getOperand(0);
    else if (!isa<arith::MulFOp, arith::MulIOp>(op))
      break;
    else if (isFixed(op->getOperand(1)))
      value = op->getOperand(0);
    else if (isFixed(op->getOperand(0)))
      value = op->getOperand(1);
    else
      break;
  }
  return value;
}

/// How the computed value depends on the inputs, as far as sums are concerned.
PartialRule ruleOf(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return PartialRule::None;
  mlir::Block *body = op.getBlock();
  Value value = body->getTerminator()->getOperand(0);
  BlockArgument carried = op.getRegionOutputArgs()[0];
  bool reduces = op.getNumReductionLoops() > 0;
  // Elements of the init that are not written would be added up too.
  if (!reduces && !op.getMatchingIndexingMap(op.getDpsInitOperand(0))
                       .isProjectedPermutation())
    return PartialRule::None;
  if (reduces) {
    std::optional<BodyReduction> reduction = matchBodyReduction(op, 0);
    if (!reduction || reduction->kind != ReductionKind::Sum || !reduction->term)
      return PartialRule::None;
    value = reduction->term;
  }
  Value multiple = value;
  value = withoutFactors(value, body);
  bool isScaled = value != multiple;
  // The rules speak of tensor operands, and each of them must take part: a
  // scalar is never partial, and an operand that the body ignores adds nothing.
  llvm::SmallPtrSet<Value, 4> used;
  auto isInput = [&](Value input) {
    auto argument = dyn_cast<BlockArgument>(input);
    if (!argument || argument.getOwner() != body || argument == carried)
      return false;
    used.insert(argument);
    return true;
  };
  auto isTensor = [&](BlockArgument argument) {
    return isa<RankedTensorType>(
        op->getOperand(argument.getArgNumber()).getType());
  };
  auto allTakePart = [&] {
    return llvm::all_of(op.getRegionInputArgs(), [&](BlockArgument argument) {
      return !isTensor(argument) || used.contains(argument);
    });
  };
  if (isInput(value)) {
    if (!allTakePart() || !isTensor(cast<BlockArgument>(value)))
      return PartialRule::None;
    return reduces || isScaled ? PartialRule::Multilinear
                               : PartialRule::Movement;
  }
  Operation *compute = value.getDefiningOp();
  if (!compute || compute->getBlock() != body ||
      !llvm::all_of(compute->getOperands(), isInput) || !allTakePart())
    return PartialRule::None;
  if (isa<arith::MulFOp, arith::MulIOp>(compute) &&
      compute->getOperand(0) != compute->getOperand(1))
    return PartialRule::Multilinear;
  // A reduction of a sum is linear in all inputs together only when each comes
  // partial, which the engine does not track per input: elementwise only.
  bool allTensors = llvm::all_of(compute->getOperands(), [&](Value operand) {
    return isTensor(cast<BlockArgument>(operand));
  });
  if (!reduces && allTensors &&
      isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp,
          arith::NegFOp>(compute))
    return PartialRule::Additive;
  return PartialRule::None;
}

/// Whether the body of `op` computes the result of input `index` by a chain of ops that
/// commute with `kind`, each element of the result by one of the input.
bool bodyCommutes(linalg::LinalgOp op, ReductionKind kind, unsigned index) {
  if (op.getNumReductionLoops() > 0 || index >= op.getNumDpsInputs() ||
      op.getNumDpsInits() != 1 ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0))
           .isProjectedPermutation())
    return false;
  mlir::Block *body = op.getBlock();
  for (Value value = body->getArgument(index); value.hasOneUse();) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (user == body->getTerminator())
      return true;
    if (user->getBlock() != body ||
        !commutesWithReduction(user, kind, use.getOperandNumber()))
      return false;
    value = user->getResult(0);
  }
  return false;
}

/// Makes loops that index both static and dynamic dimensions `evenOnly`, with the
/// static extent.
void mergeExtents(linalg::LinalgOp op, MutableArrayRef<Loop> loops) {
  auto dims = [&](auto visit) {
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type)
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [expr, extent] :
           llvm::zip_equal(map.getResults(), type.getShape()))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          visit(loops[dim.getPosition()], extent);
    }
  };
  dims([](Loop &loop, int64_t extent) {
    if (ShapedType::isDynamic(loop.extent))
      loop.extent = extent;
  });
  dims([](Loop &loop, int64_t extent) {
    loop.evenOnly |=
        ShapedType::isDynamic(extent) && ShapedType::isStatic(loop.extent);
  });
}

struct LinalgModel : public GenericShardingModel<LinalgModel> {
  SmallVector<Loop> getShardingLoops(Operation *op) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (!linalgOp.hasPureTensorSemantics())
      return {};
    // Each result must have a combiner that can run on parts, else the
    // reduction loops cannot be split. The kind is asked for per result.
    bool splits = true;
    for (unsigned index = 0; index < op->getNumResults(); ++index) {
      std::optional<BodyReduction> reduction =
          matchBodyReduction(linalgOp, index);
      splits &= reduction &&
                canReduce(reduction->kind,
                          getElementTypeOrSelf(op->getResult(index).getType()));
    }
    SmallVector<Loop> loops;
    for (auto [type, extent] :
         llvm::zip_equal(linalgOp.getIteratorTypesArray(),
                         linalgOp.getStaticLoopRanges())) {
      if (type == utils::IteratorType::parallel)
        loops.push_back(Loop::parallel(extent));
      else if (type == utils::IteratorType::reduction && splits)
        loops.push_back(Loop::reduce(extent, getResultReduction(op, 0)));
      else
        loops.push_back(Loop::invalid(extent));
    }
    mergeExtents(linalgOp, loops);
    for (QuotientLoop split : quotientLoops(linalgOp)) {
      loops[split.loop].extent /= split.divisor;
      loops.push_back(Loop::parallel(split.divisor));
    }
    return loops;
  }

  SmallVector<AffineMap> getShardingMaps(Operation *op) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    SmallVector<AffineMap> maps = linalgOp.getIndexingMapsArray();
    for (auto [map, operand] : llvm::zip(maps, op->getOperands()))
      if (!isa<RankedTensorType>(operand.getType()))
        map = AffineMap();
    for (OpOperand &init : linalgOp.getDpsInitsMutable())
      maps.push_back(linalgOp.getMatchingIndexingMap(&init));
    SmallVector<QuotientLoop> quotients = quotientLoops(linalgOp);
    for (AffineMap &map : maps)
      map = withRemainders(map, quotients);
    return maps;
  }

  ReductionKind getResultReduction(Operation *op, unsigned result) const {
    std::optional<BodyReduction> reduction =
        matchBodyReduction(cast<linalg::LinalgOp>(op), result);
    return reduction ? reduction->kind : ReductionKind::Sum;
  }

  PartialRule getPartialRule(Operation *op) const {
    return ruleOf(cast<linalg::LinalgOp>(op));
  }
  bool commutesWith(Operation *op, ReductionKind kind, unsigned operand) const {
    return bodyCommutes(cast<linalg::LinalgOp>(op), kind, operand);
  }

  int32_t getFirstInit(Operation *op) const {
    return cast<linalg::LinalgOp>(op).getNumDpsInputs();
  }

  bool computesBeyondBlock(Operation *) const { return true; }
  bool isPointwise(Operation *op) const {
    return !cast<linalg::LinalgOp>(op).hasIndexSemantics() &&
           !mayTrapByEffects(op);
  }

  /// Fills of new tensors are.
  bool isCreator(Operation *op) const {
    auto fill = dyn_cast<linalg::FillOp>(op);
    return fill && op->getNumResults() == 1 &&
           fill.getOutputs().front().getDefiningOp<tensor::EmptyOp>();
  }
  bool isMadeForEachUser(Operation *op) const {
    return isCreator(op) || makesNewTensorOfPlaces(cast<linalg::LinalgOp>(op));
  }

  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    SmallVector<Value> inputs(operands);
    for (unsigned index = 0; index < op->getNumResults(); ++index)
      countInitOnce(linalgOp, index, builder, context, inputs);
    OpBuilder::InsertPoint before = builder.saveInsertionPoint();
    Operation *last = before.getPoint() == before.getBlock()->begin()
                          ? nullptr
                          : &*std::prev(before.getPoint());
    if (failed(partitionByCloning(op, builder, inputs, context, results)))
      return failure();
    // The clone is among the ops built since.
    Operation *local = last ? last->getNextNode() : &before.getBlock()->front();
    while (local->getName() != op->getName())
      local = local->getNextNode();
    if (auto generic = dyn_cast<linalg::GenericOp>(local))
      moveToWindows(generic, context);
    if (linalgOp.hasIndexSemantics())
      globaliseIndices(local, builder, inputs, context);
    return success();
  }

private:
  /// If the op computes partial values of result `index`, the first device of each
  /// group uses the init and the others the neutral element, unless the init is partial. All
  /// devices may use that of an idempotent reduction, but one that is gathered may have to be
  /// combined later (LateInits.h), which is right for an init of the first device alone.
  void countInitOnce(linalg::LinalgOp op, unsigned index, OpBuilder &builder,
                     PartitionContext &context,
                     SmallVectorImpl<Value> &inputs) const {
    Sharding result = context.result(index);
    unsigned number = op.getNumDpsInputs() + index;
    if (result.partial.empty() || context.option.isPartialOperand(number))
      return;
    Value init = inputs[number];
    if (isIdempotent(result.reduction) && !init.getDefiningOp<AllGatherOp>())
      return;
    if (!op.payloadUsesValueFromOperand(op.getDpsInitOperand(index)))
      return;
    if (isNeutralTensor(op->getOperand(number), result.reduction))
      return;
    Location loc = op->getLoc();
    Value rest = neutralTensor(builder, loc, result.reduction, init);
    Value first =
        isFirstOf(builder, loc, context.emission.gridSymbol, result.partial);
    inputs[number] = arith::SelectOp::create(builder, loc, first, init, rest);
  }

  /// The maps of operands count from the begin of their windows.
  static void moveToWindows(linalg::GenericOp local,
                            const PartitionContext &context) {
    SmallVector<AffineMap> maps = local.getIndexingMapsArray();
    for (auto [index, tensor] : llvm::enumerate(context.table.operands)) {
      SmallVector<AffineExpr> places(maps[index].getResults());
      for (auto [dim, place] : llvm::enumerate(places))
        if (tensor.isWindow(dim) &&
            !context.option.loops[tensor.dims[dim].front()].empty())
          place = place - context.windowStart(index, dim);
      maps[index] = AffineMap::get(maps[index].getNumDims(), 0, places,
                                   local.getContext());
    }
    local.setIndexingMapsAttr(
        Builder(local.getContext()).getAffineMapArrayAttr(maps));
  }

  void globaliseIndices(Operation *local, OpBuilder &builder,
                        ArrayRef<Value> operands,
                        PartitionContext &context) const {
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Value> offsets(context.table.loops.size());
    for (auto index : llvm::make_early_inc_range(
             local->getRegion(0).front().getOps<linalg::IndexOp>())) {
      unsigned loop = index.getDim();
      if (context.option.loops[loop].empty())
        continue;
      if (!offsets[loop]) {
        builder.setInsertionPoint(local);
        DynamicBlock block =
            context.loopBlock(builder, local->getLoc(), loop, operands);
        offsets[loop] = getValueOrCreateConstantIndexOp(
            builder, local->getLoc(), block.offset);
      }
      builder.setInsertionPointAfter(index);
      auto global = arith::AddIOp::create(builder, index.getLoc(),
                                          index.getResult(), offsets[loop]);
      index.getResult().replaceAllUsesExcept(global, global);
    }
  }
};

} // namespace

void registerLinalgModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    context->loadDialect<arith::ArithDialect, complex::ComplexDialect,
                         tensor::TensorDialect>();
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (op.getDialectNamespace() == "linalg" &&
          op.hasInterface<linalg::LinalgOp>())
        op.attachInterface<LinalgModel>();
    attachRelayoutModels(context);
  });
}

} // namespace shard
