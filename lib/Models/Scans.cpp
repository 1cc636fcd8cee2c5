//===- Scans.cpp - Running sums become scans of blocks --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Scans.h"

#include "LoopPlaces.h"

#include "shard/Geometry/BlockLayout.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace shard {

namespace {

/// Element i of the result of `op` combines, along dimension `dim`, the elements of
/// `source` up to i, or from i on if it is `reversed`.
struct Scan {
  linalg::LinalgOp op;
  Value source;
  /// What `source` is padded with already; null where it is not.
  Value padding;
  unsigned dim = 0;
  bool reversed = false;
  /// Combines an element with what was combined before.
  Operation *combiner = nullptr;
  TypedAttr neutral;
};

/// Whether `element` is `neutral`; zeros of both signs are for sums.
bool isNeutral(Attribute element, TypedAttr neutral) {
  auto a = dyn_cast_or_null<FloatAttr>(element);
  auto b = dyn_cast_or_null<FloatAttr>(neutral);
  if (a && b && a.getType() == b.getType() && a.getValue().isZero())
    return b.getValue().isZero();
  return element && element == neutral;
}

/// The op that combines the first input of `op` with its output; null where the body does
/// anything else. It combines blocks of the scan too, so that it is no difference, which
/// sums up negatives.
Operation *combinerOf(linalg::LinalgOp op) {
  mlir::Block &body = *op.getBlock();
  Value result = body.getTerminator()->getOperand(0);
  Operation *combiner = result.getDefiningOp();
  BlockArgument element = body.getArgument(0),
                carried = body.getArguments().back();
  if (!combiner || body.getOperations().size() != 2 ||
      combiner->getNumOperands() != 2 || combiner->getNumRegions() != 0 ||
      !combiner->hasTrait<OpTrait::IsCommutative>())
    return nullptr;
  bool isPair = (combiner->getOperand(0) == element &&
                 combiner->getOperand(1) == carried) ||
                (combiner->getOperand(0) == carried &&
                 combiner->getOperand(1) == element);
  return isPair ? combiner : nullptr;
}

/// The loop that `op` reduces over; a pooling of images has one more, of one element, where the
/// window has one column.
std::optional<unsigned> windowLoop(linalg::LinalgOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (reductions.size() > 1)
    llvm::erase_if(reductions,
                   [ranges = op.getStaticLoopRanges()](unsigned loop) {
                     return ranges[loop] == 1;
                   });
  return reductions.size() == 1 ? std::optional<unsigned>(reductions.front())
                                : std::nullopt;
}

/// The dimension along which the first input of `op` is read by a window of `d_i + d_k`,
/// where d_i indexes that dimension of the result and d_k is `loop`, which the op reduces over.
/// All other dimensions of the two are the same.
std::optional<unsigned> windowDim(linalg::LinalgOp op, unsigned loop) {
  AffineMap read = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned rank = written.getNumResults();
  if (op.getNumParallelLoops() != rank || read.getNumResults() != rank ||
      !written.isProjectedPermutation())
    return std::nullopt;
  // Loops of one element are at their first one.
  llvm::DenseMap<AffineExpr, AffineExpr> first;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  for (unsigned other : reductions)
    if (other != loop)
      first[getAffineDimExpr(other, op.getContext())] =
          getAffineConstantExpr(0, op.getContext());
  read = read.replace(first);
  AffineExpr step = getAffineDimExpr(loop, op.getContext());
  std::optional<unsigned> found;
  for (unsigned dim = 0; dim < rank; ++dim) {
    AffineExpr place = written.getResult(dim);
    if (place == step)
      return std::nullopt;
    if (read.getResult(dim) == place)
      continue;
    if (found || read.getResult(dim) != place + step)
      return std::nullopt;
    found = dim;
  }
  return found;
}

/// Whether `op` has one result, and reads nothing but its first input.
bool readsOneInput(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumDpsInputs() == 0)
    return false;
  // The other inputs tell the extent of the window.
  return llvm::all_of(
      op.getBlock()->getArguments().slice(1, size_t(op.getNumDpsInputs()) - 1),
      [](BlockArgument unused) { return unused.use_empty(); });
}

/// Finds how `scan.op`, which reduces over `loop` alone, combines elements.
bool findCombiner(Scan &scan, unsigned loop) {
  scan.combiner = combinerOf(scan.op);
  auto model = dyn_cast<ShardingInterface>(scan.op.getOperation());
  if (!scan.combiner || !model)
    return false;
  const Loop reduction = model.getShardingLoops()[loop];
  if (reduction.kind != LoopKind::Reduction)
    return false;
  scan.neutral =
      neutralElement(reduction.reduction,
                     cast<RankedTensorType>(scan.op->getResultTypes().front())
                         .getElementType());
  return bool(scan.neutral);
}

/// The scan that `op` is of what a tensor.pad pads, by a window.
std::optional<Scan> matchWindow(linalg::LinalgOp op) {
  Scan scan;
  scan.op = op;
  auto pad = op.getDpsInputs().front().getDefiningOp<tensor::PadOp>();
  auto type = cast<RankedTensorType>(op->getResultTypes().front());
  if (!pad || hasHint(pad) || type != pad.getSource().getType())
    return std::nullopt;
  scan.source = pad.getSource();
  scan.padding = pad.getConstantPaddingValue();
  std::optional<unsigned> loop = windowLoop(op);
  std::optional<unsigned> dim = loop ? windowDim(op, *loop) : std::nullopt;
  if (!dim)
    return std::nullopt;
  scan.dim = *dim;
  // As many elements as the dimension has, but one, all on one side.
  int64_t others = type.getDimSize(scan.dim) - 1;
  scan.reversed = pad.getStaticHigh()[scan.dim] == others;
  for (unsigned i = 0; i < type.getRank(); ++i) {
    int64_t width = i == scan.dim ? others : 0;
    if (pad.getStaticLow()[i] != (scan.reversed ? 0 : width) ||
        pad.getStaticHigh()[i] != (scan.reversed ? width : 0))
      return std::nullopt;
  }
  if (op.getStaticLoopRanges()[*loop] != others + 1 ||
      !findCombiner(scan, *loop))
    return std::nullopt;
  Attribute fill;
  if (!scan.padding || !matchPattern(scan.padding, m_Constant(&fill)) ||
      !isNeutral(fill, scan.neutral))
    return std::nullopt;
  return scan;
}

/// The input of `op` that a block argument stands for; null for other values.
OpOperand *inputOf(Value value, linalg::GenericOp op) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
    return nullptr;
  return op.getDpsInputOperand(argument.getArgNumber());
}

/// An element where `step` <= `place`, both of loops, and another value elsewhere.
struct Mask {
  AffineExpr step, place;
  OpOperand *element = nullptr;
};

/// The mask that the body of `masked` is, if it gives `neutral` elsewhere.
std::optional<Mask> maskOf(linalg::GenericOp masked, TypedAttr neutral) {
  mlir::Block &body = *masked.getBlock();
  auto select =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  if (!select || select->getBlock() != &body)
    return std::nullopt;
  Value otherwise = select.getFalseValue();
  if (OpOperand *input = inputOf(otherwise, masked))
    otherwise = input->get();
  Attribute fill;
  if (!matchPattern(otherwise, m_Constant(&fill)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(fill))
    fill = splat.getSplatValue<Attribute>();
  std::optional<LoopComparison> compared =
      loopComparison(select.getCondition(), masked);
  Mask mask;
  mask.element = inputOf(select.getTrueValue(), masked);
  if (!isNeutral(fill, neutral) || !compared || !mask.element)
    return std::nullopt;
  bool isLess = compared->predicate == arith::CmpIPredicate::sle;
  if (!isLess && compared->predicate != arith::CmpIPredicate::sge)
    return std::nullopt;
  mask.step = isLess ? compared->left.expr : compared->right.expr;
  mask.place = isLess ? compared->right.expr : compared->left.expr;
  return mask;
}

/// The scan that `op` is of a tensor whose elements behind the place of the result are replaced by
/// neutral ones, as PyTorch writes it.
std::optional<Scan> matchMasked(linalg::GenericOp op) {
  Scan scan;
  scan.op = op;
  auto masked = op.getInputs().front().getDefiningOp<linalg::GenericOp>();
  auto type = cast<RankedTensorType>(op.getResultTypes().front());
  AffineMap read = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (!masked || hasHint(masked) || reductions.size() != 1 ||
      !read.isPermutation() || !written.isProjectedPermutation() ||
      masked->getNumResults() != 1 || masked.getNumReductionLoops() > 0 ||
      !masked.getMatchingIndexingMap(masked.getDpsInitOperand(0))
           .isIdentity() ||
      !findCombiner(scan, reductions.front()))
    return std::nullopt;
  std::optional<Mask> mask = maskOf(masked, scan.neutral);
  if (!mask)
    return std::nullopt;
  // In loops of `op`. What combines up to its place does so from it on, too, the other way round.
  AffineExpr step = mask->step.replaceDims(read.getResults());
  AffineExpr place = mask->place.replaceDims(read.getResults());
  AffineExpr reduced = getAffineDimExpr(reductions.front(), op.getContext());
  scan.reversed = place == reduced;
  if (scan.reversed)
    std::swap(step, place);
  if (step != reduced)
    return std::nullopt;
  auto [source, at] = withoutUnits(*mask->element, masked);
  if (source.getType() != type)
    return std::nullopt;
  bool found = false;
  for (auto [dim, expr] : llvm::enumerate(at)) {
    AffineExpr here = expr.replaceDims(read.getResults());
    AffineExpr there = written.getResult(dim);
    bool isScanned = there == place;
    if (here != (isScanned ? reduced : there))
      return std::nullopt;
    found |= isScanned;
    if (isScanned)
      scan.dim = dim;
  }
  scan.source = source;
  return found && op.getStaticLoopRanges()[reductions.front()] ==
                      type.getDimSize(scan.dim)
             ? std::optional<Scan>(scan)
             : std::nullopt;
}

std::optional<Scan> matchScan(linalg::LinalgOp op) {
  if (!readsOneInput(op) || hasHint(op))
    return std::nullopt;
  auto type = cast<RankedTensorType>(op->getResultTypes().front());
  if (!type.hasStaticShape() || type.getEncoding())
    return std::nullopt;
  std::optional<Scan> scan = matchWindow(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  return scan || !generic ? scan : matchMasked(generic);
}

/// Builds the scan of blocks.
class ScanBuilder {
public:
  ScanBuilder(const Scan &scan, int64_t blocks, IRRewriter &rewriter)
      : scan(scan), rewriter(rewriter),
        loc(scan.combiner->getParentOp()->getLoc()), blocks(blocks),
        type(cast<RankedTensorType>(scan.source.getType())),
        extent(type.getDimSize(scan.dim)), width(ceilDiv(extent, blocks)) {}

  Value build() {
    Value whole = padded(scan.source, 0, blocks * width - extent, scan.dim);
    SmallVector<int64_t> shape(type.getShape());
    shape[scan.dim] = blocks;
    shape.insert(shape.begin() + scan.dim + 1, width);
    SmallVector<ReassociationIndices> groups = groupsOf(type.getRank());
    Value parts = tensor::ExpandShapeOp::create(
        rewriter, loc, type.clone(shape), whole, groups);
    Value within = slid(around(parts, width - 1, scan.dim + 1), width,
                        scan.dim + 1, 0, type.clone(shape));
    Value before = totalsBefore(within);
    Value all = merged(before, within);
    shape = SmallVector<int64_t>(type.getShape());
    shape[scan.dim] = blocks * width;
    Value flat = tensor::CollapseShapeOp::create(
        rewriter, loc, type.clone(shape), all, groups);
    return withInit(sliced(flat, scan.dim, 0, extent));
  }

private:
  /// Of each block what all blocks before it combine to.
  Value totalsBefore(Value within) {
    auto parts = cast<RankedTensorType>(within.getType());
    Value last = sliced(within, scan.dim + 1, scan.reversed ? 0 : width - 1, 1);
    SmallVector<int64_t> shape(type.getShape());
    shape[scan.dim] = blocks;
    SmallVector<ReassociationIndices> groups = groupsOf(parts.getRank() - 1);
    Value totals = tensor::CollapseShapeOp::create(
        rewriter, loc, type.clone(shape), last, groups);
    return slid(around(totals, blocks, scan.dim), blocks, scan.dim,
                scan.reversed ? 1 : 0, type.clone(shape));
  }

  /// Dimension `scan.dim` of `rank` is made of two.
  SmallVector<ReassociationIndices> groupsOf(int64_t rank) const {
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0, next = 0; dim < rank; ++dim) {
      groups.push_back({next++});
      if (dim == scan.dim)
        groups.back().push_back(next++);
    }
    return groups;
  }

  /// `count` neutral elements where the scan begins.
  Value around(Value tensor, int64_t count, unsigned dim) {
    return scan.reversed ? padded(tensor, 0, count, dim)
                         : padded(tensor, count, 0, dim);
  }

  Value padded(Value tensor, int64_t low, int64_t high, unsigned dim) {
    if (low == 0 && high == 0)
      return tensor;
    auto from = cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> shape(from.getShape());
    shape[dim] += low + high;
    SmallVector<OpFoldResult> lows(shape.size(), rewriter.getIndexAttr(0)),
        highs = lows;
    lows[dim] = rewriter.getIndexAttr(low);
    highs[dim] = rewriter.getIndexAttr(high);
    return tensor::PadOp::create(rewriter, loc, from.clone(shape), tensor, lows,
                                 highs, padding());
  }

  Value padding() {
    if (!scan.padding)
      scan.padding = arith::ConstantOp::create(rewriter, loc, scan.neutral);
    return scan.padding;
  }

  Value sliced(Value tensor, unsigned dim, int64_t offset, int64_t size) {
    auto from = cast<RankedTensorType>(tensor.getType());
    if (from.getDimSize(dim) == size)
      return tensor;
    SmallVector<OpFoldResult> offsets(from.getRank(), rewriter.getIndexAttr(0)),
        ones(from.getRank(), rewriter.getIndexAttr(1)),
        sizes = getAsIndexOpFoldResult(rewriter.getContext(), from.getShape());
    offsets[dim] = rewriter.getIndexAttr(offset);
    sizes[dim] = rewriter.getIndexAttr(size);
    return tensor::ExtractSliceOp::create(rewriter, loc, tensor, offsets, sizes,
                                          ones);
  }

  /// Combines `count` elements along `dim` from `first` behind each place on.
  Value slid(Value tensor, int64_t count, unsigned dim, int64_t first,
             RankedTensorType result) {
    unsigned rank = result.getRank();
    MLIRContext *context = rewriter.getContext();
    AffineMap place = rewriter.getMultiDimIdentityMap(rank);
    SmallVector<AffineExpr> reads(place.getResults());
    AffineExpr step = getAffineDimExpr(rank, context);
    reads[dim] = reads[dim] + step + first;
    auto map = [&](ArrayRef<AffineExpr> exprs) {
      return AffineMap::get(rank + 1, 0, exprs, context);
    };
    Value window =
        tensor::EmptyOp::create(rewriter, loc, {count}, type.getElementType());
    Value init =
        filledTensor(rewriter, loc, result, scan.neutral,
                     getAsIndexOpFoldResult(context, result.getShape()));
    SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
    kinds.push_back(utils::IteratorType::reduction);
    return generic({tensor, window}, init,
                   {map(reads), map(step), map(place.getResults())}, kinds);
  }

  /// What comes before a block, combined with each element of its scan.
  Value merged(Value before, Value within) {
    auto parts = cast<RankedTensorType>(within.getType());
    AffineMap all = rewriter.getMultiDimIdentityMap(parts.getRank());
    return generic({before}, within, {all.dropResult(scan.dim + 1), all},
                   SmallVector<utils::IteratorType>(
                       parts.getRank(), utils::IteratorType::parallel));
  }

  /// The init of the op, combined with each element.
  Value withInit(Value result) {
    AffineMap all = rewriter.getMultiDimIdentityMap(type.getRank());
    return generic({result}, scan.op.getDpsInits().front(), {all, all},
                   SmallVector<utils::IteratorType>(
                       type.getRank(), utils::IteratorType::parallel));
  }

  /// Combines the first of `inputs` with `init`.
  Value generic(ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                ArrayRef<utils::IteratorType> kinds) {
    auto body = [&](OpBuilder &builder, Location, ValueRange arguments) {
      mlir::Block &block = *scan.op.getBlock();
      IRMapping mapping;
      mapping.map(block.getArgument(0), arguments.front());
      mapping.map(block.getArguments().back(), arguments.back());
      Operation *combined = builder.clone(*scan.combiner, mapping);
      linalg::YieldOp::create(builder, loc, combined->getResult(0));
    };
    return linalg::GenericOp::create(rewriter, loc, init.getType(), inputs,
                                     init, maps, kinds, body)
        .getResult(0);
  }

  Scan scan;
  IRRewriter &rewriter;
  Location loc;
  int64_t blocks;
  RankedTensorType type;
  /// Of the dimension and of its blocks.
  int64_t extent, width;
};

} // namespace

bool blockScans(Operation *root, int64_t blocks) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (matchScan(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  bool changed = false;
  for (linalg::LinalgOp op : ops) {
    // Once more: what it reads may have been a scan.
    std::optional<Scan> scan = matchScan(op);
    if (!scan || blocks < 2 ||
        cast<RankedTensorType>(scan->source.getType()).getDimSize(scan->dim) <=
            blocks)
      continue;
    rewriter.setInsertionPoint(op);
    Operation *read = op.getDpsInputs().front().getDefiningOp();
    rewriter.replaceOp(op, ScanBuilder(*scan, blocks, rewriter).build());
    if (read->use_empty())
      rewriter.eraseOp(read);
    changed = true;
  }
  return changed;
}

} // namespace shard
