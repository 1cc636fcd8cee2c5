//===- QuotientLoops.cpp - Maps with quotients of loops -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuotientLoops.h"

using namespace mlir;

namespace shard {

namespace {

/// How maps index by one loop.
struct Use {
  int64_t divisor = 0;
  bool isOther = false;
};

/// Collects how the maps of an op use its loops.
class Uses {
public:
  explicit Uses(SmallVector<int64_t> extents)
      : extents(std::move(extents)), uses(this->extents.size()) {}

  /// Notes that `expr` indexes a dimension of `extent` elements.
  void add(AffineExpr expr, int64_t extent) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      uses[loop.getPosition()].isOther |= extents[loop.getPosition()] != extent;
      return;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    auto loop = binary ? dyn_cast<AffineDimExpr>(binary.getLHS())
                       : AffineDimExpr(nullptr);
    auto divisor = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                          : AffineConstantExpr(nullptr);
    bool isQuotient = expr.getKind() == AffineExprKind::FloorDiv;
    if (!loop || !divisor || divisor.getValue() < 2 ||
        (!isQuotient && expr.getKind() != AffineExprKind::Mod)) {
      expr.walk([&](AffineExpr part) {
        if (auto inner = dyn_cast<AffineDimExpr>(part))
          uses[inner.getPosition()].isOther = true;
      });
      return;
    }
    int64_t number = divisor.getValue(), all = extents[loop.getPosition()];
    Use &use = uses[loop.getPosition()];
    use.isOther |= ShapedType::isDynamic(all) || all == 0 ||
                   all % number != 0 ||
                   extent != (isQuotient ? all / number : number) ||
                   (use.divisor != 0 && use.divisor != number);
    use.divisor = number;
  }

  const Use &operator[](unsigned loop) const { return uses[loop]; }

private:
  SmallVector<int64_t> extents;
  SmallVector<Use> uses;
};

} // namespace

SmallVector<QuotientLoop> quotientLoops(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (op.hasIndexSemantics() || llvm::none_of(maps, [](AffineMap map) {
        return llvm::any_of(map.getResults(), [](AffineExpr expr) {
          return expr.getKind() == AffineExprKind::FloorDiv ||
                 expr.getKind() == AffineExprKind::Mod;
        });
      }))
    return {};
  Uses uses(op.getStaticLoopRanges());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [expr, extent] :
         llvm::zip(op.getMatchingIndexingMap(&operand).getResults(),
                   op.getShape(&operand)))
      uses.add(expr, extent);
  SmallVector<QuotientLoop> loops;
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    if (type == utils::IteratorType::parallel && uses[loop].divisor != 0 &&
        !uses[loop].isOther)
      loops.push_back({unsigned(loop), uses[loop].divisor});
  return loops;
}

AffineMap withRemainders(AffineMap map, ArrayRef<QuotientLoop> loops) {
  if (loops.empty() || !map)
    return map;
  MLIRContext *context = map.getContext();
  llvm::DenseMap<AffineExpr, AffineExpr> replacements;
  unsigned numDims = map.getNumDims();
  for (QuotientLoop split : loops) {
    AffineExpr loop = getAffineDimExpr(split.loop, context),
               remainder = getAffineDimExpr(numDims++, context);
    replacements[loop.floorDiv(split.divisor)] = loop;
    replacements[loop % split.divisor] = remainder;
    replacements[loop] = loop * split.divisor + remainder;
  }
  return map.replace(replacements, numDims, map.getNumSymbols());
}

} // namespace shard
