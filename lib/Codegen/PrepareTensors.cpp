//===- PrepareTensors.cpp - Normal form of programs on tensors ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "shard/Codegen/Workarounds.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

/// Ops with more operands together are not fused: each operand of the fused op is a
/// pointer and a set of strides in its loop, which would no longer fit the registers.
/// They stay two loops.
static constexpr unsigned kMaxFusedOperands = 12;

/// Ops whose bodies have more ops together are not fused: each fusion copies both bodies, so
/// that a chain would take time quadratic in its length.
static constexpr size_t kMaxFusedOps = 128;

/// Whether computing `op`'s body again for every use costs next to nothing.
static bool isCheap(linalg::LinalgOp op) {
  return llvm::all_of(
      op.getBlock()->without_terminator(), [](Operation &inner) {
        return inner.getDialect()->getNamespace() == "arith" &&
               !isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp,
                    arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(inner);
      });
}

/// Whether the kernel computes `consumer`, and that is worth more than not to write
/// `operand` to memory. A matrix that is multiplied by a vector is read once: it is better
/// computed there.
static bool isKernelOperand(linalg::LinalgOp consumer, OpOperand *operand) {
  std::optional<MatchedContraction> match = matchContraction(consumer);
  return match && match->matrix != operand;
}

/// Fuse a producer into its only user, unless that user is a contraction (the
/// kernel would be lost) or would compute it many times over. A producer that
/// reads its init would, fused, run in place on it, once per element of a
/// broadcast.
static bool shouldFuse(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  if (!consumer || !producer || !operand->get().hasOneUse() ||
      isKernelOperand(consumer, operand) ||
      llvm::any_of(producer.getDpsInitsMutable(),
                   [&](OpOperand &init) {
                     return producer.payloadUsesValueFromOperand(&init);
                   }) ||
      consumer->getNumOperands() + producer->getNumOperands() >
          kMaxFusedOperands ||
      consumer.getBlock()->getOperations().size() +
              producer.getBlock()->getOperations().size() >
          kMaxFusedOps)
    return false;
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  return map.isPermutation() ||
         (map.isProjectedPermutation() && isCheap(producer));
}

LogicalResult codegen::prepareTensors(ModuleOp module) {
  if (failed(readResources(module)))
    return failure();
  IRRewriter rewriter(module.getContext());
  keepUnwrittenElements(module);
  separateCreators(module);
  unifySoftmaxTypes(module);
  // softmax and its like have their own decomposition.
  SmallVector<linalg::AggregatedOpInterface> aggregates;
  module.walk([&](linalg::AggregatedOpInterface op) {
    if (!isa<linalg::LinalgOp>(op.getOperation()))
      aggregates.push_back(op);
  });
  for (linalg::AggregatedOpInterface op : aggregates) {
    // MLIR's decomposition of softmax asserts on other elements, which the verifier
    // lets through.
    auto isReal = [](Type type) {
      return isa<FloatType>(getElementTypeOrSelf(type));
    };
    if (isa<linalg::SoftmaxOp>(op) &&
        !llvm::all_of(op->getOperandTypes(), isReal))
      return op.emitError("has elements that are not floating-point numbers; "
                          "convert them first");
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return op.emitError("cannot be decomposed into linalg.generic ops");
    rewriter.replaceOp(op, *results);
  }
  SmallVector<linalg::LinalgOp> named;
  module.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op.getOperation()) &&
        op.hasPureTensorSemantics())
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    // What has no general form is lowered as it is.
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
  RewritePatternSet patterns(module.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  // Where the limit of iterations is reached, fewer ops are fused; the program is
  // right all the same.
  GreedyRewriteConfig config;
  config.setMaxIterations(kMaxRewrites);
  (void)applyPatternsGreedily(module, std::move(patterns), config);
  return success();
}

/// The sum or product of the carried value of init `index` and what the body computes;
/// null if the body has another form.
static Operation *findCombiner(linalg::LinalgOp op, unsigned index) {
  SmallVector<Operation *, 4> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), index, combiners) ||
      combiners.size() != 1 ||
      !isa<arith::AddFOp, arith::MulFOp>(combiners.front()))
    return nullptr;
  return combiners.front();
}

/// `source`, of the extents of `like`, converted to `type` elementwise.
static Value convertTensor(OpBuilder &builder, Location loc, Value source,
                           Value like, Type type) {
  auto tensorType = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, like);
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, type);
  int64_t rank = tensorType.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  bool widens = type.getIntOrFloatBitWidth() >
                tensorType.getElementType().getIntOrFloatBitWidth();
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), ValueRange{source},
             ValueRange{empty}, ArrayRef<AffineMap>{identity, identity},
             iterators,
             [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
               Value result;
               if (widens)
                 result =
                     arith::ExtFOp::create(nested, nestedLoc, type, args[0]);
               else
                 result =
                     arith::TruncFOp::create(nested, nestedLoc, type, args[0]);
               linalg::YieldOp::create(nested, nestedLoc, result);
             })
      .getResult(0);
}

void codegen::widenReductions(ModuleOp module) {
  SmallVector<linalg::GenericOp> reductions;
  module.walk([&](linalg::GenericOp op) {
    if (op.getNumReductionLoops() && op.hasPureTensorSemantics() &&
        !matchContraction(op))
      reductions.push_back(op);
  });
  for (linalg::GenericOp op : reductions) {
    OpBuilder builder(op);
    Type wide = builder.getF32Type();
    for (auto [index, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      BlockArgument accumulator = op.getMatchingBlockArgument(&init);
      Type narrow = accumulator.getType();
      if (!narrow.isF16() && !narrow.isBF16())
        continue;
      Operation *combiner = findCombiner(op, index);
      if (!combiner)
        continue;
      builder.setInsertionPoint(op);
      init.set(
          convertTensor(builder, op.getLoc(), init.get(), init.get(), wide));
      accumulator.setType(wide);
      builder.setInsertionPoint(combiner);
      for (OpOperand &operand : combiner->getOpOperands())
        if (operand.get() != accumulator)
          operand.set(arith::ExtFOp::create(builder, combiner->getLoc(), wide,
                                            operand.get()));
      combiner->getResult(0).setType(wide);
      Value result = op->getResult(index);
      auto resultType = cast<RankedTensorType>(result.getType());
      result.setType(resultType.clone(wide));
      builder.setInsertionPointAfter(op);
      // The extents are those of the init: to ask `result` would be a use of it
      // that is replaced below.
      Value rounded =
          convertTensor(builder, op.getLoc(), result, init.get(), narrow);
      result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
    }
  }
}
