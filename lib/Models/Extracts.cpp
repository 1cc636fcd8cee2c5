//===- Extracts.cpp - Elements at known places become operands ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Extracts.h"

#include "LookUps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

namespace {

/// A sum of loops, and the places that it reaches.
struct Place {
  AffineExpr expr;
  int64_t least, most;
};

/// Reads indices in the body of an op as sums of its loops.
class PlaceReader {
public:
  explicit PlaceReader(linalg::GenericOp op)
      : ranges(op.getStaticLoopRanges()), context(op.getContext()) {}

  std::optional<Place> read(Value index, int depth = 0) const {
    // No frontend nests indices more deeply.
    constexpr int kDepth = 16;
    if (depth == kDepth)
      return std::nullopt;
    if (std::optional<int64_t> number = constantOf(index))
      return Place{getAffineConstantExpr(*number, context), *number, *number};
    Operation *def = index.getDefiningOp();
    if (!def)
      return std::nullopt;
    if (auto loop = dyn_cast<linalg::IndexOp>(def)) {
      int64_t extent = ranges[loop.getDim()];
      if (ShapedType::isDynamic(extent) || extent == 0 || extent > kMost)
        return std::nullopt;
      return Place{getAffineDimExpr(loop.getDim(), context), 0, extent - 1};
    }
    // Integers wide enough for all places.
    if (isa<arith::IndexCastOp>(def)) {
      Type other = index.getType().isIndex() ? def->getOperand(0).getType()
                                             : index.getType();
      return other.isInteger(64) ? read(def->getOperand(0), depth + 1)
                                 : std::nullopt;
    }
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(def))
      return std::nullopt;
    std::optional<Place> a = read(def->getOperand(0), depth + 1);
    std::optional<Place> b = read(def->getOperand(1), depth + 1);
    return a && b ? combine(def, *a, *b) : std::nullopt;
  }

private:
  /// Larger numbers are left alone, so that nothing overflows.
  static constexpr int64_t kMost = int64_t(1) << 31;

  static std::optional<int64_t> constantOf(Value value) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)) &&
        number.getSignificantBits() <= 32)
      return number.getSExtValue();
    auto dim = value.getDefiningOp<tensor::DimOp>();
    auto type =
        dim ? dyn_cast<RankedTensorType>(dim.getSource().getType()) : nullptr;
    std::optional<int64_t> at = dim ? dim.getConstantIndex() : std::nullopt;
    if (!type || !at || *at < 0 || *at >= type.getRank() ||
        type.isDynamicDim(*at) || type.getDimSize(*at) > kMost)
      return std::nullopt;
    return type.getDimSize(*at);
  }

  static std::optional<Place> combine(Operation *op, const Place &a,
                                      const Place &b) {
    std::optional<Place> result;
    if (isa<arith::AddIOp>(op)) {
      result = Place{a.expr + b.expr, a.least + b.least, a.most + b.most};
    } else if (isa<arith::SubIOp>(op)) {
      result = Place{a.expr - b.expr, a.least - b.most, a.most - b.least};
    } else {
      bool isFactor = a.least == a.most;
      const Place &sum = isFactor ? b : a;
      const Place &factor = isFactor ? a : b;
      if (factor.least != factor.most)
        return std::nullopt;
      int64_t by = factor.least;
      result = Place{sum.expr * by, std::min(sum.least * by, sum.most * by),
                     std::max(sum.least * by, sum.most * by)};
    }
    if (result->least < -kMost || result->most > kMost)
      return std::nullopt;
    return result;
  }

  SmallVector<int64_t> ranges;
  MLIRContext *context;
};

/// The map by which `extract` reads its tensor, if all its places are known to lie in it.
std::optional<AffineMap> mapOf(tensor::ExtractOp extract,
                               linalg::GenericOp op) {
  RankedTensorType type = extract.getTensor().getType();
  Region *home = extract.getTensor().getParentRegion();
  if (!type.hasStaticShape() || type.getRank() == 0 ||
      op.getRegion().isAncestor(home))
    return std::nullopt;
  PlaceReader reader(op);
  SmallVector<int64_t, 4> ranges = op.getStaticLoopRanges();
  SmallVector<AffineExpr> exprs;
  for (auto [index, extent] :
       llvm::zip_equal(extract.getIndices(), type.getShape())) {
    std::optional<Place> place = reader.read(index);
    if (!place || place->least < 0 || place->most >= extent)
      return std::nullopt;
    exprs.push_back(simplifyAffineExpr(place->expr, op.getNumLoops(), 0));
    // A dimension that a loop alone indexes has as many elements as the loop iterations.
    auto loop = dyn_cast<AffineDimExpr>(exprs.back());
    if (loop && ranges[loop.getPosition()] != extent)
      return std::nullopt;
  }
  return AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
}

/// Erases the indices that nothing reads any more: an op that asks for its place is not
/// pointwise.
void eraseDeadIndices(linalg::GenericOp op, IRRewriter &rewriter) {
  for (Operation &inner :
       llvm::make_early_inc_range(llvm::reverse(*op.getBlock())))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);
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
  SmallVector<linalg::GenericOp> ops;
  root->walk([&](linalg::GenericOp op) {
    if (op.hasPureTensorSemantics())
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  bool changed = false;
  for (linalg::GenericOp op : ops) {
    bool any = false;
    for (auto extract :
         llvm::to_vector(op.getBlock()->getOps<tensor::ExtractOp>())) {
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
    if (any)
      eraseDeadIndices(op, rewriter);
    changed |= any;
  }
  return changed;
}

} // namespace shard
