//===- Extracts.cpp - Elements at known places become operands ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Extracts.h"

#include "LookUps.h"
#include "LoopPlaces.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace shard {

namespace {

bool isDivision(AffineExpr expr) {
  return expr.getKind() == AffineExprKind::FloorDiv ||
         expr.getKind() == AffineExprKind::Mod;
}

/// Whether some part of `expr` is a quotient or a remainder.
bool isDivided(AffineExpr expr) {
  bool found = false;
  expr.walk([&](AffineExpr part) { found |= isDivision(part); });
  return found;
}

/// Whether `expr` is the quotient or the remainder of one loop.
bool isDividedLoop(AffineExpr expr) {
  return isDivision(expr) &&
         isa<AffineDimExpr>(cast<AffineBinaryOpExpr>(expr).getLHS());
}

/// The map by which `extract` reads its tensor, if all its places are known to lie in it.
std::optional<AffineMap> mapOf(tensor::ExtractOp extract,
                               linalg::GenericOp op) {
  RankedTensorType type = extract.getTensor().getType();
  Region *home = extract.getTensor().getParentRegion();
  if (!type.hasStaticShape() || type.getRank() == 0 ||
      op.getRegion().isAncestor(home))
    return std::nullopt;
  SmallVector<int64_t, 4> ranges = op.getStaticLoopRanges();
  SmallVector<AffineExpr> exprs;
  for (auto [index, extent] :
       llvm::zip_equal(extract.getIndices(), type.getShape())) {
    std::optional<LoopPlace> place = loopPlace(index, op);
    if (!place || place->least < 0 || place->most >= extent)
      return std::nullopt;
    exprs.push_back(place->expr);
    // A loop is split by its quotient or remainder if that reaches all elements.
    if (isDivided(exprs.back()) &&
        (!isDividedLoop(exprs.back()) || place->most + 1 != extent))
      return std::nullopt;
    // A dimension that a loop alone indexes has as many elements as the loop iterations.
    auto loop = dyn_cast<AffineDimExpr>(exprs.back());
    if (loop && ranges[loop.getPosition()] != extent)
      return std::nullopt;
  }
  return AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
}

/// Makes `linalg.index` of the indices of `extract` that are loops in another form.
bool makePlainLoops(tensor::ExtractOp extract, linalg::GenericOp op,
                    IRRewriter &rewriter) {
  bool changed = false;
  for (OpOperand &index : extract.getIndicesMutable()) {
    if (index.get().getDefiningOp<linalg::IndexOp>())
      continue;
    std::optional<LoopPlace> place = loopPlace(index.get(), op);
    auto loop = dyn_cast_or_null<AffineDimExpr>(place ? place->expr : nullptr);
    if (!loop)
      continue;
    rewriter.setInsertionPoint(extract);
    Value plain =
        linalg::IndexOp::create(rewriter, extract.getLoc(), loop.getPosition());
    rewriter.modifyOpInPlace(extract, [&] { index.set(plain); });
    changed = true;
  }
  return changed;
}

/// Erases the indices that nothing reads any more: an op that asks for its place is not
/// pointwise.
void eraseDeadIndices(linalg::GenericOp op, IRRewriter &rewriter) {
  for (Operation &inner :
       llvm::make_early_inc_range(llvm::reverse(*op.getBlock())))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);
}

/// Drops the inputs of `ops` that their bodies do not read any more: a tensor of places that
/// nothing reads would still be split, and gathered, as the op wants it.
void dropUnreadInputs(ArrayRef<Operation *> ops) {
  if (ops.empty())
    return;
  RewritePatternSet patterns(ops.front()->getContext());
  linalg::populateEraseUnnecessaryInputsPatterns(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .enableFolding(false)
      .enableConstantCSE(false);
  (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
}

/// Makes a linalg.generic of `op` if it extracts elements at places that are known then.
void makeGeneric(tensor::GenerateOp op, IRRewriter &rewriter) {
  RankedTensorType type = op.getType();
  mlir::Block &body = op.getBody().front();
  auto extracts = body.getOps<tensor::ExtractOp>();
  if (!type.hasStaticShape() || extracts.empty())
    return;
  rewriter.setInsertionPoint(op);
  Value empty =
      tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(),
                              type.getElementType(), type.getEncoding());
  auto generic = linalg::GenericOp::create(
      rewriter, op.getLoc(), TypeRange(type), ValueRange(), ValueRange(empty),
      rewriter.getMultiDimIdentityMap(type.getRank()),
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &builder, Location loc, ValueRange) {
        IRMapping map;
        for (BlockArgument index : body.getArguments())
          map.map(index,
                  linalg::IndexOp::create(builder, loc, index.getArgNumber())
                      .getResult());
        for (Operation &inner : body.without_terminator())
          builder.clone(inner, map);
        linalg::YieldOp::create(
            builder, loc,
            map.lookupOrDefault(body.getTerminator()->getOperand(0)));
      });
  generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  bool isKnown = llvm::any_of(
      generic.getBlock()->getOps<tensor::ExtractOp>(),
      [&](tensor::ExtractOp extract) { return !!mapOf(extract, generic); });
  if (isKnown)
    return rewriter.replaceOp(op, generic);
  rewriter.eraseOp(generic);
  rewriter.eraseOp(empty.getDefiningOp());
}

} // namespace

linalg::GenericOp withInput(linalg::GenericOp op, tensor::ExtractOp extract,
                            Value tensor, AffineMap map, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs(op.getInputs());
  unsigned place = inputs.size();
  inputs.push_back(tensor);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.insert(maps.begin() + place, map);
  auto made = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(),
      rewriter.getAffineMapArrayAttr(maps), op.getIteratorTypes(),
      op.getDocAttr(), op.getLibraryCallAttr());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  mlir::Block &body = *op.getBlock();
  BlockArgument element =
      body.insertArgument(place, extract.getType(), extract.getLoc());
  rewriter.replaceOp(extract, element);
  made.getRegion().takeBody(op.getRegion());
  rewriter.replaceOp(op, made);
  return made;
}

bool raiseExtracts(Operation *root) {
  IRRewriter rewriter(root->getContext());
  root->walk([&](tensor::GenerateOp op) { makeGeneric(op, rewriter); });
  SmallVector<linalg::GenericOp> ops;
  root->walk([&](linalg::GenericOp op) {
    if (op.hasPureTensorSemantics())
      ops.push_back(op);
  });
  SmallVector<Operation *> changed;
  for (linalg::GenericOp op : ops) {
    bool any = false;
    for (auto extract :
         llvm::to_vector(op.getBlock()->getOps<tensor::ExtractOp>())) {
      any |= makePlainLoops(extract, op, rewriter);
      linalg::GenericOp raised;
      if (std::optional<AffineMap> map = mapOf(extract, op))
        raised = withInput(op, extract, extract.getTensor(), *map, rewriter);
      else
        raised = raiseLookUp(op, extract, rewriter);
      if (!raised)
        continue;
      op = raised;
      any = true;
    }
    if (!any)
      continue;
    eraseDeadIndices(op, rewriter);
    changed.push_back(op);
  }
  dropUnreadInputs(changed);
  return !changed.empty();
}

} // namespace shard
