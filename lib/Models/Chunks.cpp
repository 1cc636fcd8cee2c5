//===- Chunks.cpp - Dimensions that are read in equal chunks --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Reshapes.h"

#include "shard/IR/ShardDialect.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace shard {

/// How many ops between arguments and slices are looked at: those of a layer are fewer.
static constexpr unsigned kMaxOps = 64;

namespace {

/// Dimension `dim` of a tensor is `count` chunks of `size` elements.
struct Chunks {
  unsigned dim;
  int64_t count, size;
};

/// Finds results of elementwise ops and ops of linalg of which all users are slices that take one
/// chunk each, and what they are computed of.
class ChunkFinder {
public:
  /// The chunks in which slices read `value`, if the dimension comes apart up to the arguments of
  /// the function; the ops between are added to `ops`.
  std::optional<Chunks> find(OpResult value);

  /// The ops whose loops come apart.
  llvm::SmallPtrSet<Operation *, 8> ops;

private:
  bool comesApart(Value value, const Chunks &chunks);
  bool comesApart(BlockArgument argument, const Chunks &chunks);
  bool comesApart(linalg::LinalgOp op, OpResult result, const Chunks &chunks);
  /// The same of an op, elementwise or of linalg, that makes `result`.
  bool comesApart(OpResult result, const Chunks &chunks);

  bool repeatsSums(Operation *last) const;
  bool hasHints(Operation *op) {
    auto [known, isNew] = isHintedOp.try_emplace(op);
    if (isNew)
      known->second = isHinted(op);
    return known->second;
  }

  /// For the value that is looked at, the dimension of each op that comes apart, and these ops
  /// in such an order that operands come first.
  llvm::SmallDenseMap<Operation *, unsigned> dimOf;
  SmallVector<Operation *> found;
  /// Answers that look at all users, of ops and arguments that several slices lead to.
  llvm::DenseMap<Operation *, bool> isHintedOp;
  llvm::DenseMap<Value, bool> isAnnotated;
  SymbolTableCollection symbols;
};

} // namespace

/// The chunks of which `op` takes one; none if it takes something else.
static std::optional<Chunks> chunksOf(tensor::ExtractSliceOp op) {
  if (isHinted(op))
    return std::nullopt;
  std::optional<Chunks> chunks;
  RankedTensorType source = op.getSourceType();
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    int64_t extent = source.getDimSize(dim), size = op.getStaticSizes()[dim],
            offset = op.getStaticOffsets()[dim];
    if (op.getStaticStrides()[dim] != 1)
      return std::nullopt;
    if (offset == 0 && size == extent)
      continue;
    if (chunks || ShapedType::isDynamic(offset) ||
        ShapedType::isDynamic(size) || size < 2 || extent % size != 0 ||
        offset % size != 0)
      return std::nullopt;
    chunks = Chunks{unsigned(dim), extent / size, size};
  }
  return chunks;
}

/// Whether `value` has no elements that were written.
static bool isEmpty(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tensor::EmptyOp>(op))
      return true;
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

std::optional<Chunks> ChunkFinder::find(OpResult value) {
  std::optional<Chunks> chunks;
  std::optional<int64_t> first;
  bool areSeveral = false;
  for (Operation *user : value.getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    std::optional<Chunks> taken = slice ? chunksOf(slice) : std::nullopt;
    if (!taken ||
        (chunks && (chunks->dim != taken->dim || chunks->size != taken->size)))
      return std::nullopt;
    chunks = taken;
    int64_t offset = slice.getStaticOffsets()[taken->dim];
    areSeveral |= first.value_or(offset) != offset;
    first = offset;
  }
  found.clear();
  dimOf.clear();
  if (!areSeveral || !comesApart(value, *chunks) ||
      repeatsSums(value.getOwner()))
    return std::nullopt;
  ops.insert_range(found);
  return chunks;
}

bool ChunkFinder::comesApart(Value value, const Chunks &chunks) {
  if (matchPattern(value, m_Constant()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return comesApart(argument, chunks);
  return isEmpty(value) || comesApart(cast<OpResult>(value), chunks);
}

bool ChunkFinder::comesApart(OpResult result, const Chunks &chunks) {
  Operation *maker = result.getOwner();
  auto [known, isNew] = dimOf.try_emplace(maker, chunks.dim);
  if (!isNew)
    return known->second == chunks.dim;
  auto op = dyn_cast<linalg::LinalgOp>(maker);
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(maker);
  if (dimOf.size() > kMaxOps || (!op && !isElementwise) || hasHints(maker) ||
      maker->getNumResults() != 1 ||
      !cast<RankedTensorType>(result.getType()).hasStaticShape())
    return false;
  bool apart = op ? comesApart(op, result, chunks)
                  : llvm::all_of(maker->getOperands(), [&](Value operand) {
                      return !isa<RankedTensorType>(operand.getType()) ||
                             comesApart(operand, chunks);
                    });
  found.push_back(maker);
  return apart;
}

/// A hint may split the dimension where its parts are chunks, or of one chunk each.
bool ChunkFinder::comesApart(BlockArgument argument, const Chunks &chunks) {
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return false;
  auto [known, isNew] = isAnnotated.try_emplace(argument);
  if (isNew)
    known->second = llvm::any_of(argument.getUsers(), [](Operation *user) {
      return isa_and_nonnull<ShardDialect>(user->getDialect());
    });
  if (known->second)
    return false;
  auto hint = function.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(),
                                                      kShardingAttrName);
  if (!hint)
    return true;
  GridOp grid = getGrid(function, hint.getGrid(), symbols);
  if (!grid)
    return false;
  FailureOr<ResolvedSharding> resolved = resolve(
      hint, grid, argument.getType(), [&] { return InFlightDiagnostic(); });
  if (failed(resolved) || !resolved->offsets.empty() ||
      !resolved->halos.empty() || resolved->dims.size() <= chunks.dim)
    return false;
  int64_t parts = 1;
  for (const AxisPart &axis : resolved->dims[chunks.dim].axes)
    parts *= axis.size;
  return parts > 0 && (chunks.count % parts == 0 ||
                       (parts % chunks.count == 0 &&
                        chunks.size % (parts / chunks.count) == 0));
}

bool ChunkFinder::comesApart(linalg::LinalgOp op, OpResult result,
                             const Chunks &chunks) {
  if (!op.hasPureTensorSemantics() || op.hasIndexSemantics() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return false;
  AffineExpr loop =
      op.getIndexingMapMatchingResult(result).getResult(chunks.dim);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr == loop &&
          !comesApart(operand.get(),
                      {unsigned(dim), chunks.count, chunks.size}))
        return false;
  }
  return true;
}

/// Whether an op that sums has users beside those found, behind other ops or not: it would be
/// computed twice.
bool ChunkFinder::repeatsSums(Operation *last) const {
  llvm::SmallPtrSet<Operation *, 8> sums;
  for (Operation *op : found) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if ((!linalgOp || linalgOp.getNumReductionLoops() == 0) &&
        llvm::none_of(op->getOperands(), [&](Value operand) {
          return sums.contains(operand.getDefiningOp());
        }))
      continue;
    sums.insert(op);
    if (op != last && llvm::any_of(op->getUsers(), [&](Operation *user) {
          return !dimOf.contains(user);
        }))
      return true;
  }
  return false;
}

namespace {
/// Takes results apart: one op at a time, of which all users have been taken apart.
class ChunkRewriter : public RewriterBase::Listener {
public:
  explicit ChunkRewriter(Operation *root);

  /// Makes the slices of `value` read one element of a dimension of chunks.
  void readChunks(OpResult value, const Chunks &chunks);
  /// Takes the operands of `op` apart instead of its result.
  void expandOperands(Operation *op);

private:
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (isa<tensor::ExpandShapeOp>(op))
      ours.insert(op);
  }
  void notifyOperationErased(Operation *op) override {
    ours.erase(op);
    if (op == current)
      current = nullptr;
  }

  IRRewriter rewriter;
  FrozenRewritePatternSet patterns;
  /// The op that is taken apart; null once a pattern has replaced it.
  Operation *current = nullptr;
  /// The reshapes that take something apart here.
  llvm::SmallPtrSet<Operation *, 8> ours;
};

/// Takes the operands of an elementwise op apart.
struct ExpandElementwise : OpRewritePattern<tensor::ExpandShapeOp> {
  ExpandElementwise(MLIRContext *context, Operation *const &current)
      : OpRewritePattern(context), current(current) {}

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    Operation *maker = op.getSrc().getDefiningOp();
    if (!maker || maker != current || isa<linalg::LinalgOp>(maker))
      return failure();
    SmallVector<Value> operands;
    for (Value operand : maker->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      operands.push_back(
          type ? tensor::ExpandShapeOp::create(
                     rewriter, op.getLoc(),
                     op.getResultType().clone(type.getElementType()), operand,
                     op.getReassociationIndices(), op.getMixedOutputShape())
               : operand);
    }
    Operation *apart =
        rewriter.create(maker->getLoc(), maker->getName().getIdentifier(),
                        operands, op.getResultType(), maker->getAttrs());
    rewriter.replaceOp(op, apart);
    return success();
  }

private:
  Operation *const &current;
};
} // namespace

ChunkRewriter::ChunkRewriter(Operation *root) : rewriter(root->getContext()) {
  RewritePatternSet all(root->getContext());
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      all, [this](OpOperand *operand) {
        return current && isa<tensor::ExpandShapeOp>(operand->getOwner()) &&
               operand->get().getDefiningOp() == current;
      });
  all.add<ExpandElementwise>(root->getContext(), current);
  linalg::FillOp::getCanonicalizationPatterns(all, root->getContext());
  tensor::populateFoldTensorEmptyPatterns(all);
  patterns = std::move(all);
  rewriter.setListener(this);
}

void ChunkRewriter::readChunks(OpResult value, const Chunks &chunks) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[chunks.dim] = chunks.size;
  shape.insert(shape.begin() + chunks.dim, chunks.count);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0, next = 0; dim < type.getRank(); ++dim) {
    groups.push_back({next++});
    if (dim == chunks.dim)
      groups.back().push_back(next++);
  }
  SmallVector<tensor::ExtractSliceOp> slices;
  for (Operation *user : value.getUsers())
    slices.push_back(cast<tensor::ExtractSliceOp>(user));
  rewriter.setInsertionPointAfterValue(value);
  Value apart = tensor::ExpandShapeOp::create(rewriter, value.getLoc(),
                                              type.clone(shape), value, groups);
  for (tensor::ExtractSliceOp slice : slices) {
    rewriter.setInsertionPoint(slice);
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                              sizes = slice.getMixedSizes();
    int64_t offset = slice.getStaticOffsets()[chunks.dim];
    offsets[chunks.dim] = rewriter.getIndexAttr(0);
    offsets.insert(offsets.begin() + chunks.dim,
                   rewriter.getIndexAttr(offset / chunks.size));
    sizes.insert(sizes.begin() + chunks.dim, rewriter.getIndexAttr(1));
    SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        slice, slice.getType(), apart, offsets, sizes, strides);
  }
}

void ChunkRewriter::expandOperands(Operation *op) {
  // Users that take the result apart alike do it once.
  SmallVector<Operation *> reshapes;
  for (Operation *user : SmallVector<Operation *>(op->getUsers())) {
    if (!ours.contains(user))
      continue;
    auto same = llvm::find_if(reshapes, [&](Operation *other) {
      return other->getResultTypes() == user->getResultTypes();
    });
    if (same == reshapes.end())
      reshapes.push_back(user);
    else
      rewriter.replaceOp(user, *same);
  }
  // What other users read stays as it is.
  current = op;
  if (size_t(llvm::range_size(op->getUsers())) > reshapes.size()) {
    rewriter.setInsertionPointAfter(op);
    current = rewriter.clone(*op);
  }
  for (Operation *reshape : reshapes) {
    rewriter.modifyOpInPlace(
        reshape, [&] { reshape->setOperand(0, current->getResult(0)); });
    rewriter.moveOpAfter(reshape, current);
  }
  GreedyRewriteConfig config;
  // Operands are looked at in their turn.
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .enableConstantCSE(false)
      .setListener(this);
  (void)applyOpPatternsGreedily(reshapes, patterns, config);
  if (current && current->use_empty())
    rewriter.eraseOp(current);
}

bool takeChunksApart(Operation *root) {
  ChunkFinder finder;
  SmallVector<std::pair<OpResult, Chunks>> values;
  root->walk([&](Operation *op) {
    for (OpResult value : op->getResults())
      if (std::optional<Chunks> chunks = finder.find(value))
        values.push_back({value, *chunks});
  });
  if (values.empty())
    return false;
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (finder.ops.contains(op))
      ops.push_back(op);
  });
  ChunkRewriter rewriter(root);
  for (auto [value, chunks] : values)
    rewriter.readChunks(value, chunks);
  for (Operation *op : llvm::reverse(ops))
    rewriter.expandOperands(op);
  return true;
}

} // namespace shard
