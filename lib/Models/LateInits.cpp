//===- LateInits.cpp - What sums start from joins them late ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/LateInits.h"

#include "BodyReductions.h"

#include "shard/IR/ShardOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

#include <set>

using namespace mlir;

namespace shard {

namespace {

using AxisSet = std::set<GridAxis>;

/// Adds to `axes` those on which a device has to be the first one where `condition` is true.
/// False if it says anything else.
bool firstOn(Value condition, FlatSymbolRefAttr &grid, AxisSet &axes) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return firstOn(both.getLhs(), grid, axes) &&
           firstOn(both.getRhs(), grid, axes);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(compare.getRhs(), m_Zero()))
    return false;
  auto coordinates = compare.getLhs().getDefiningOp<ProcessMultiIndexOp>();
  if (!coordinates || coordinates.getAxes().empty() ||
      (grid && grid != coordinates.getGridAttr()))
    return false;
  grid = coordinates.getGridAttr();
  unsigned number = cast<OpResult>(compare.getLhs()).getResultNumber();
  axes.insert(coordinates.getAxes()[number]);
  return true;
}

/// Combines two tensors as `kind` does; null for a kind that has no op of tensors.
Value combine(OpBuilder &builder, Location loc, ReductionKind kind, Value a,
              Value b) {
  using Kind = arith::AtomicRMWKind;
  Type element = getElementTypeOrSelf(a.getType());
  bool isFloat = isa<FloatType>(element);
  if (!isFloat && !element.isSignlessIntOrIndex())
    return {};
  std::optional<Kind> op;
  switch (kind) {
  case ReductionKind::Sum:
    op = isFloat ? Kind::addf : Kind::addi;
    break;
  case ReductionKind::Product:
    op = isFloat ? Kind::mulf : Kind::muli;
    break;
  case ReductionKind::Max:
    op = isFloat ? Kind::maximumf : Kind::maxs;
    break;
  case ReductionKind::Min:
    op = isFloat ? Kind::minimumf : Kind::mins;
    break;
  case ReductionKind::BitwiseAnd:
    op = Kind::andi;
    break;
  case ReductionKind::BitwiseOr:
    op = Kind::ori;
    break;
  case ReductionKind::BitwiseXor:
    op = Kind::xori;
    break;
  case ReductionKind::UMin:
    op = Kind::minu;
    break;
  case ReductionKind::UMax:
    op = Kind::maxu;
    break;
  default:
    return {};
  }
  return arith::getReductionOp(*op, builder, loc, a, b);
}

/// The reductions of the partial `value` over `axes`, one behind the other; empty where
/// something else takes it on the way. Other axes may slice a dimension in front of them that is
/// gathered behind them: so each device sends a part of what it has.
SmallVector<Operation *> reductionsOf(Value value, FlatSymbolRefAttr grid,
                                      ReductionKind kind, AxisSet axes) {
  SmallVector<Operation *> ops;
  SmallVector<AllSliceOp> slices;
  auto erases = [&](GridAxis axis) { return axes.erase(axis) == 1; };
  auto reduces = [&](auto reduce) {
    return reduce && kind == reduce.getReduction() &&
           reduce->getNumRegions() == 0 &&
           llvm::all_of(reduce.getGridAxes(), erases);
  };
  auto scatters = [&](ReduceScatterOp scatter) {
    return scatter && llvm::none_of(slices, [&](AllSliceOp slice) {
             return slice.getSliceAxis() == scatter.getScatterAxis();
           });
  };
  auto undoes = [&](AllGatherOp gather) {
    if (!gather || slices.empty() ||
        slices.back().getGridAxes() != gather.getGridAxes() ||
        slices.back().getSliceAxis() != gather.getGatherAxis())
      return false;
    slices.pop_back();
    return true;
  };
  while (!axes.empty() || !slices.empty()) {
    if (!value.hasOneUse())
      return {};
    Operation *user = *value.user_begin();
    if (user->getAttr("grid") != grid ||
        user->getBlock() != value.getParentBlock())
      return {};
    auto scatter = dyn_cast<ReduceScatterOp>(user);
    auto slice = dyn_cast<AllSliceOp>(user);
    if (slice && llvm::none_of(slice.getGridAxes(), [&](GridAxis axis) {
          return axes.count(axis) > 0;
        }))
      slices.push_back(slice);
    else if (!undoes(dyn_cast<AllGatherOp>(user)) &&
             !reduces(dyn_cast<AllReduceOp>(user)) &&
             !(scatters(scatter) && reduces(scatter)))
      return {};
    ops.push_back(user);
    value = user->getResult(0);
  }
  return ops;
}

/// The blocks of which `whole` is gathered for one user as `ops` scatter; null if they scatter
/// nothing or other blocks.
Value blocksOf(Value whole, ArrayRef<Operation *> ops) {
  bool isScattered = false;
  for (Operation *op : ops) {
    auto scatter = dyn_cast<ReduceScatterOp>(op);
    if (!scatter)
      continue;
    auto gather = whole.getDefiningOp<AllGatherOp>();
    if (!gather || !whole.hasOneUse() ||
        gather.getGridAttr() != scatter.getGridAttr() ||
        gather.getGridAxes() != scatter.getGridAxes() ||
        gather.getGatherAxis() != scatter.getScatterAxis())
      return {};
    whole = gather.getInput();
    isScattered = true;
  }
  bool isBlock =
      isScattered && whole.getType() == ops.back()->getResult(0).getType();
  return isBlock ? whole : Value();
}

struct CombineInitLate : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp select,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(select.getType()) || !select->hasOneUse())
      return failure();
    OpOperand &use = *select->use_begin();
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!op || !op.isDpsInit(&use))
      return failure();
    unsigned index = use.getOperandNumber() - op.getNumDpsInputs();
    std::optional<BodyReduction> reduction = matchBodyReduction(op, index);
    FlatSymbolRefAttr grid;
    AxisSet axes;
    if (!reduction ||
        !isNeutralTensor(select.getFalseValue(), reduction->kind) ||
        !firstOn(select.getCondition(), grid, axes))
      return failure();
    SmallVector<Operation *> reductions =
        reductionsOf(op->getResult(index), grid, reduction->kind, axes);
    Value block = blocksOf(select.getTrueValue(), reductions);
    if (!block)
      return failure();
    Value reduced = reductions.back()->getResult(0);
    rewriter.setInsertionPointAfter(reductions.back());
    Value sum = combine(rewriter, op.getLoc(), reduction->kind, reduced, block);
    if (!sum)
      return failure();
    rewriter.replaceAllUsesExcept(reduced, sum, sum.getDefiningOp());
    rewriter.replaceOp(select, select.getFalseValue());
    return success();
  }
};

} // namespace

void populateLateInitPatterns(RewritePatternSet &patterns) {
  patterns.add<CombineInitLate>(patterns.getContext());
}

} // namespace shard
