//===- Extracts.cpp - Elements at known places become operands ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Extracts.h"

#include "InvariantExtracts.h"
#include "JoinedPlaces.h"
#include "LookUps.h"
#include "LoopPlaces.h"
#include "PlaceEvaluator.h"
#include "PlacesInTurns.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <variant>

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

/// Whether the places of `extract` in a static tensor may be known: it lies outside of `op`.
bool readsFromOutside(tensor::ExtractOp extract, linalg::GenericOp op) {
  RankedTensorType type = extract.getTensor().getType();
  return type.hasStaticShape() && type.getRank() > 0 &&
         !op.getRegion().isAncestor(extract.getTensor().getParentRegion());
}

/// What `index` reads of a dimension of `extent` elements, if all its places are known to lie in
/// it and maps can state it.
std::optional<AffineExpr> mappedPlace(Value index, int64_t extent,
                                      linalg::GenericOp op) {
  std::optional<LoopPlace> place = loopPlace(index, op);
  if (!place || place->least < 0 || place->most >= extent)
    return std::nullopt;
  // A loop is split by its quotient or remainder if that reaches all elements.
  if (isDivided(place->expr) &&
      (!isDividedLoop(place->expr) || place->most + 1 != extent))
    return std::nullopt;
  // A dimension that a loop alone indexes has as many elements as the loop iterations.
  auto loop = dyn_cast<AffineDimExpr>(place->expr);
  if (loop && op.getStaticLoopRanges()[loop.getPosition()] != extent)
    return std::nullopt;
  return place->expr;
}

/// The map by which `extract` reads its tensor, if all its places are known to lie in it.
std::optional<AffineMap> mapOf(tensor::ExtractOp extract,
                               linalg::GenericOp op) {
  if (!readsFromOutside(extract, op))
    return std::nullopt;
  SmallVector<AffineExpr> exprs;
  for (auto [index, extent] : llvm::zip_equal(
           extract.getIndices(), extract.getTensor().getType().getShape())) {
    std::optional<AffineExpr> expr = mappedPlace(index, extent, op);
    if (!expr)
      return std::nullopt;
    exprs.push_back(*expr);
  }
  return AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
}

/// Whether `expr` reads dimension `dim` of `tensor`, a slice in this dimension, in falling order,
/// and a few elements of it. Borders are reflected like that.
bool isReversedBorder(Value tensor, int64_t dim, AffineExpr expr,
                      linalg::GenericOp op) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getSourceType().getRank() != slice.getType().getRank() ||
      slice.getSourceType().getDimSize(dim) == slice.getType().getDimSize(dim))
    return false;
  SmallVector<int64_t, 4> ranges = op.getStaticLoopRanges();
  AffineMap map = AffineMap::get(op.getNumLoops(), 0, expr);
  SmallVector<int64_t> places(op.getNumLoops(), 0);
  int64_t first = map.compose(places).front();
  for (auto [loop, place] : llvm::enumerate(places)) {
    if (!map.isFunctionOfDim(loop) || ranges[loop] > kMostSingles)
      continue;
    place = 1;
    return map.compose(places).front() < first;
  }
  return false;
}

/// Whether `map` reads a border of its tensor in falling order in some dimension.
bool readsReversedBorder(tensor::ExtractOp extract, AffineMap map,
                         linalg::GenericOp op) {
  return llvm::any_of(llvm::enumerate(map.getResults()), [&](const auto &dim) {
    return isReversedBorder(extract.getTensor(), dim.index(), dim.value(), op);
  });
}

/// Whether zeros can stand beside elements of `type`: constants are signless.
bool canBePadded(RankedTensorType type) {
  return type.getElementType().isSignlessIntOrIndexOrFloat();
}

/// Makes an input of what `extract` reads, if its indices are known numbers in some dimensions,
/// a few slices of the tensor side by side or in turns, and maps can state those in the others.
/// Returns the new op, or null.
linalg::GenericOp raiseJoined(linalg::GenericOp op, tensor::ExtractOp extract,
                              IRRewriter &rewriter) {
  RankedTensorType type = extract.getTensor().getType();
  if (!readsFromOutside(extract, op) || type.getEncoding())
    return nullptr;
  SmallVector<AffineExpr> exprs;
  SmallVector<std::pair<int64_t, std::variant<JoinedPlaces, PlacesInTurns>>>
      known;
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    int64_t extent = type.getDimSize(dim);
    std::optional<AffineExpr> expr = mappedPlace(index, extent, op);
    bool isReversed =
        expr && isReversedBorder(extract.getTensor(), dim, *expr, op);
    if (expr && !isReversed) {
      exprs.push_back(*expr);
      continue;
    }
    std::optional<PlaceTable> table = placeTable(index, op);
    if (!table || llvm::any_of(table->numbers, [&](int64_t number) {
          return number < 0 || number >= extent;
        }))
      return nullptr;
    exprs.push_back(rewriter.getAffineDimExpr(table->loop));
    if (!isReversed && canBePadded(type))
      if (auto turns = placesInTurns(table->numbers, extent)) {
        known.push_back({int64_t(dim), std::move(*turns)});
        continue;
      }
    std::optional<JoinedPlaces> places = isReversed
                                             ? singlePlaces(table->numbers)
                                             : joinedPlaces(table->numbers);
    if (!places || places->size() == 1)
      return nullptr;
    known.push_back({int64_t(dim), std::move(*places)});
  }
  rewriter.setInsertionPoint(op);
  Value tensor = extract.getTensor();
  for (const auto &[dim, places] : known)
    if (auto *turns = std::get_if<PlacesInTurns>(&places))
      tensor = takeTurns(tensor, dim, *turns, extract.getLoc(), rewriter);
    else
      tensor = joinPlaces(tensor, dim, std::get<JoinedPlaces>(places),
                          extract.getLoc(), rewriter);
  return withInput(op, extract, tensor,
                   AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext()),
                   rewriter);
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

/// The input that `op` gives as it is, if it does nothing else and has no hint.
Value copiedInput(linalg::GenericOp op) {
  if (op->getNumResults() != 1 || hasHint(op))
    return nullptr;
  auto yielded =
      dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  if (!yielded || yielded.getOwner() != op.getBlock() ||
      yielded.getArgNumber() >= unsigned(op.getNumDpsInputs()))
    return nullptr;
  OpOperand *input = op.getDpsInputOperand(yielded.getArgNumber());
  bool isCopy =
      input->get().getType() == op->getResult(0).getType() &&
      op.getMatchingIndexingMap(input).isIdentity() &&
      op.getIndexingMapMatchingResult(op->getOpResult(0)).isIdentity();
  return isCopy ? input->get() : nullptr;
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
  bool changedAny = hoistInvariantExtracts(root);
  IRRewriter rewriter(root->getContext());
  root->walk([&](tensor::GenerateOp op) { makeGeneric(op, rewriter); });
  SmallVector<linalg::GenericOp> ops;
  root->walk([&](linalg::GenericOp op) {
    if (op.hasPureTensorSemantics())
      ops.push_back(op);
  });
  SmallVector<Operation *> changed;
  for (linalg::GenericOp op : ops) {
    bool any = false, joins = false;
    for (auto extract :
         llvm::to_vector(op.getBlock()->getOps<tensor::ExtractOp>())) {
      any |= makePlainLoops(extract, op, rewriter);
      linalg::GenericOp raised;
      std::optional<AffineMap> map = mapOf(extract, op);
      if (!map || readsReversedBorder(extract, *map, op))
        raised = raiseJoined(op, extract, rewriter);
      joins |= !!raised;
      if (!raised && map)
        raised = withInput(op, extract, extract.getTensor(), *map, rewriter);
      if (!raised)
        raised = raiseLookUp(op, extract, rewriter);
      if (!raised)
        continue;
      op = raised;
      any = true;
    }
    if (!any)
      continue;
    changedAny = true;
    eraseDeadIndices(op, rewriter);
    if (Value copied = joins ? copiedInput(op) : nullptr)
      rewriter.replaceOp(op, copied);
    else
      changed.push_back(op);
  }
  dropUnreadInputs(changed);
  return changedAny;
}

} // namespace shard
