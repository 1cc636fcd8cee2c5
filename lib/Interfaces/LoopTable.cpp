//===- LoopTable.cpp - How an op's tensors share loops --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/LoopTable.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shard {

namespace {

/// A loop with its coefficient in an indexing expression.
struct Term {
  int64_t coefficient;
  int32_t loop;
};

/// Collects the terms of a sum of loops, and adds up its constants. Returns false for
/// anything else: then no loop of the expression can be split.
/// getFlattenedAffineExpr is for more: it also flattens divisions and remainders, by
/// variables of its own.
bool collectTerms(AffineExpr expr, SmallVectorImpl<Term> &terms,
                  int64_t &offset) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    terms.push_back({1, int32_t(dim.getPosition())});
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    offset += constant.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return collectTerms(binary.getLHS(), terms, offset) &&
           collectTerms(binary.getRHS(), terms, offset);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  auto dim = dyn_cast<AffineDimExpr>(binary.getLHS());
  if (expr.getKind() != AffineExprKind::Mul || !factor || !dim)
    return false;
  terms.push_back({factor.getValue(), int32_t(dim.getPosition())});
  return true;
}

/// Reads the loops of a dimension of size `extent` off `expr`, major first.
/// Returns false where they are not the digits of the whole dimension.
bool digitsOf(AffineExpr expr, int64_t extent, ArrayRef<Loop> loops,
              DimLoops &digits) {
  SmallVector<Term, 4> terms;
  int64_t offset = 0;
  if (!collectTerms(expr, terms, offset) || offset != 0)
    return false;
  if (terms.size() == 1 && terms[0].coefficient == 1) {
    digits.assign(1, terms[0].loop);
    // Without `evenOnly`, a dimension that is static in one tensor and dynamic in
    // another could be uneven in the one, which the other's contract forbids.
    const Loop &loop = loops[terms[0].loop];
    return loop.extent == extent ||
           (loop.evenOnly && ShapedType::isDynamic(extent));
  }
  // Extents of 1 may share a coefficient with another loop; they are minor to
  // it.
  llvm::sort(terms, [&](const Term &a, const Term &b) {
    return std::make_tuple(b.coefficient, loops[b.loop].extent, a.loop) <
           std::make_tuple(a.coefficient, loops[a.loop].extent, b.loop);
  });
  int64_t expected = 1;
  for (const Term &term : llvm::reverse(terms)) {
    int64_t iterations = loops[term.loop].extent;
    if (term.coefficient != expected)
      return false;
    // Only the most major digit may have an unknown extent.
    if (ShapedType::isDynamic(iterations)) {
      if (&term != &terms.front() || !ShapedType::isDynamic(extent))
        return false;
      break;
    }
    expected *= iterations;
  }
  for (const Term &term : terms)
    digits.push_back(term.loop);
  return ShapedType::isDynamic(extent) || expected == extent;
}

/// A window, and the loop that slides.
struct Slide {
  int32_t loop;
  Window window;
};

/// Dimensions, loops and offsets of windows have no more elements, and strides are no
/// larger, so that places are computed without overflow. A larger one stays whole.
constexpr int64_t kMaxWindowExtent = int64_t(1) << 40;
constexpr int64_t kMaxWindowStride = int64_t(1) << 20;

/// Whether the loop of `a` slides rather than that of `b`: the one whose iterations
/// cover more elements. The place in a map covers more than the kernel does, whether
/// the op reduces over the kernel or, for its gradient, over the places. Between equal
/// ones a loop of the result slides: splitting it needs no sum.
bool slidesRather(const Term &a, const Term &b, ArrayRef<Loop> loops) {
  auto rank = [&](const Term &term) {
    const Loop &loop = loops[term.loop];
    int64_t stride = std::abs(term.coefficient);
    return std::make_tuple(stride * loop.extent,
                           loop.kind == LoopKind::Parallel, loop.extent);
  };
  return rank(a) > rank(b);
}

/// Whether `term` is that of the one loop that may slide over a dimension of unknown
/// extent: its own extent is not known either, and it does not run backwards.
bool slidesOverUnknown(const Term &term, ArrayRef<Loop> loops) {
  return ShapedType::isDynamic(loops[term.loop].extent) &&
         term.coefficient > 0 && term.coefficient <= kMaxWindowStride;
}

/// Reads the window of a dimension off `expr`. One loop slides (slidesRather); where
/// the extent is not known, the one loop of unknown extent does. Nothing where the
/// window cannot be split: extents that are 0 or too large, loops of unknown extents
/// beside another one or over a known extent, and strides that are 0 or too large.
std::optional<Slide> slideOf(AffineExpr expr, int64_t extent,
                             ArrayRef<Loop> loops) {
  SmallVector<Term, 4> terms;
  Slide slide;
  bool isUnknown = ShapedType::isDynamic(extent);
  if (extent > kMaxWindowExtent ||
      !collectTerms(expr, terms, slide.window.offset) || terms.empty() ||
      slide.window.offset > kMaxWindowExtent ||
      slide.window.offset < -kMaxWindowExtent)
    return std::nullopt;
  const Term *sliding = nullptr;
  if (isUnknown) {
    sliding = llvm::find_if(terms, [&](const Term &term) {
      return slidesOverUnknown(term, loops);
    });
    if (sliding == terms.end())
      return std::nullopt;
  }
  for (const Term &term : terms) {
    if (isUnknown && &term == sliding)
      continue;
    int64_t iterations = loops[term.loop].extent;
    int64_t stride = std::abs(term.coefficient);
    if (ShapedType::isDynamic(iterations) || iterations == 0 ||
        iterations > kMaxWindowExtent || stride == 0 ||
        stride > kMaxWindowStride)
      return std::nullopt;
    if (!isUnknown && (!sliding || slidesRather(term, *sliding, loops)))
      sliding = &term;
  }
  slide.loop = sliding->loop;
  slide.window.stride = sliding->coefficient;
  for (const Term &term : terms) {
    if (&term == sliding)
      continue;
    if (term.loop == sliding->loop)
      return std::nullopt;
    int64_t others = loops[term.loop].extent - 1;
    slide.window.reach += std::abs(term.coefficient) * others;
    // A kernel that is reversed reads in front of the place.
    slide.window.offset += std::min<int64_t>(term.coefficient, 0) * others;
    if (slide.window.reach > kMaxWindowExtent)
      return std::nullopt;
  }
  return slide;
}

class TableBuilder {
public:
  explicit TableBuilder(ShardingInterface model)
      : op(model.getOperation()), model(model) {}

  LoopTable build() {
    auto [loops, maps] = model.getLoopsAndMaps();
    table.loops.assign(std::move(loops));
    table.partialRule = model.getPartialRule();
    table.firstInit = model.getFirstInit();
    bool reduces = llvm::any_of(table.loops, [](const Loop &loop) {
      return loop.kind == LoopKind::Reduction;
    });
    unsigned numOperands = op->getNumOperands();
    if (maps.size() != numOperands + op->getNumResults())
      maps.assign(numOperands + op->getNumResults(), AffineMap());
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      table.operands.push_back(
          tensorLoops(operand.getType(), maps[index], /*slides=*/true));
    for (auto [index, result] : llvm::enumerate(op->getResults())) {
      table.results.push_back(tensorLoops(
          result.getType(), maps[numOperands + index], /*slides=*/false));
      if (reduces)
        table.results.back().reduction = model.getResultReduction(index);
    }
    countSlidingLoops();
    checkResults();
    table.uniform = model.isPointwise();
    table.pointwise = indexesAlike() && table.uniform;
    table.decidesOption = model.decidesOption();
    pruneDims();
    return std::move(table);
  }

private:
  /// Loops may slide over the dimensions of the tensor if `slides`.
  TensorLoops tensorLoops(Type type, AffineMap map, bool slides) {
    TensorLoops loops;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return loops;
    loops.isTensor = true;
    loops.dims.resize(tensor.getRank());
    if (!map || map.getNumResults() != tensor.getRank() ||
        map.getNumDims() > table.loops.size())
      return loops;
    llvm::SmallBitVector seen(table.loops.size());
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (isa<AffineConstantExpr>(expr))
        continue;
      int64_t extent = tensor.getDimSize(dim);
      bool exact = digitsOf(expr, extent, table.loops, loops.dims[dim]) &&
                   !(slides && hasCountedLoop(expr));
      std::optional<Slide> slide;
      if (slides && (!exact || isKernel(loops.dims[dim])))
        slide = slideOf(expr, extent, table.loops);
      exact &= !slide;
      expr.walk([&](AffineExpr part) {
        auto loop = dyn_cast<AffineDimExpr>(part);
        if (!loop)
          return;
        int32_t number = loop.getPosition();
        // A loop in a window that does not slide, or one that indexes two
        // dimensions of the tensor.
        if ((!exact && !(slide && slide->loop == number)) || seen.test(number))
          table.loops[number].kind = LoopKind::Invalid;
        seen.set(number);
      });
      if (exact)
        continue;
      loops.dims[dim].clear();
      if (slide) {
        Loop &sliding = table.loops[slide->loop];
        // The valid part of a window that is reversed lies at its end.
        if (slide->window.stride < 0 &&
            (sliding.kind == LoopKind::Reduction || model.mayTrapOnPadding()))
          sliding.evenOnly = true;
        sliding.slidesOverUnknown |= ShapedType::isDynamic(extent);
        loops.dims[dim].assign(1, slide->loop);
        loops.windows.resize(tensor.getRank());
        loops.windows[dim] = slide->window;
      }
    }
    return loops;
  }

  /// Whether a loop of `expr` has its own number of iterations, so that a dimension of
  /// unknown extent that it indexes is not that number.
  bool hasCountedLoop(AffineExpr expr) const {
    bool any = false;
    expr.walk([&](AffineExpr part) {
      if (auto loop = dyn_cast<AffineDimExpr>(part))
        any |= table.loops[loop.getPosition()].count.isKnown();
    });
    return any;
  }

  /// Finds the numbers of iterations of loops that slide over unknown extents: those of a
  /// dimension of an operand that is read as a whole. Without one the loop is invalid.
  void countSlidingLoops() {
    for (auto [number, loop] : llvm::enumerate(table.loops)) {
      if (!loop.slidesOverUnknown || loop.count.isKnown())
        continue;
      for (auto [index, operand] : llvm::enumerate(table.operands))
        for (auto [dim, digits] : llvm::enumerate(operand.dims))
          if (!loop.count.isKnown() && !operand.isWindow(dim) &&
              digits.size() == 1 && digits.front() == int32_t(number))
            loop.count = {int32_t(index), int32_t(dim), 0};
      if (!loop.count.isKnown())
        loop.kind = LoopKind::Invalid;
    }
  }

  /// Whether digits are those of a place and, minor to it, of a kernel that neither
  /// overlaps nor leaves gaps, as in pooling of 2x2 with strides of 2. As a window the
  /// dimension may be split unevenly; digits must divide.
  bool isKernel(const DimLoops &digits) const {
    if (digits.size() < 2)
      return false;
    auto isPlace = [&](int32_t loop) {
      return table.loops[loop].kind == LoopKind::Parallel;
    };
    int64_t places = 0, most = 0;
    for (int32_t loop : digits) {
      most = std::max(most, table.loops[loop].extent);
      places += isPlace(loop);
    }
    // Digits of one iteration may stand in front.
    const int32_t *major = llvm::find_if(
        digits, [&](int32_t loop) { return table.loops[loop].extent != 1; });
    return places == 1 && major != digits.end() && isPlace(*major) &&
           table.loops[*major].extent == most;
  }

  /// Splitting a parallel loop that does not index every result, or a reduction
  /// loop that indexes one, would give devices different ideas of a result.
  void checkResults() {
    for (TensorLoops &result : table.results) {
      if (!result.isTensor)
        continue;
      llvm::SmallBitVector indexes(table.loops.size());
      for (const DimLoops &dim : result.dims)
        for (int32_t loop : dim)
          indexes.set(loop);
      for (auto [number, loop] : llvm::enumerate(table.loops))
        if (indexes.test(number) != (loop.kind == LoopKind::Parallel))
          loop.kind = LoopKind::Invalid;
    }
  }

  /// Whether all loops are parallel and loop i indexes dimension i of all operands. Results of
  /// pointwise ops, the only ones that are asked, have the form of their operands.
  bool indexesAlike() const {
    auto isAlike = [&](const TensorLoops &tensor) {
      if (!tensor.isTensor)
        return true;
      if (tensor.dims.size() != table.loops.size() || !tensor.windows.empty())
        return false;
      for (auto [number, dim] : llvm::enumerate(tensor.dims))
        if (dim.size() != 1 || dim.front() != int32_t(number))
          return false;
      return true;
    };
    return !table.loops.empty() && llvm::all_of(table.operands, isAlike) &&
           llvm::all_of(table.loops, [](const Loop &loop) {
             return loop.kind == LoopKind::Parallel;
           });
  }

  /// A dimension of loops that are all invalid cannot be split at all.
  void pruneDims() {
    auto prune = [&](TensorLoops &tensor) {
      for (auto [number, dim] : llvm::enumerate(tensor.dims)) {
        if (!llvm::all_of(dim, [&](int32_t loop) {
              return table.loops[loop].kind == LoopKind::Invalid;
            }))
          continue;
        dim.clear();
        if (!tensor.windows.empty())
          tensor.windows[number].reset();
      }
      if (llvm::none_of(tensor.windows,
                        [](const auto &window) { return window.has_value(); }))
        tensor.windows.clear();
    };
    llvm::for_each(table.operands, prune);
    llvm::for_each(table.results, prune);
  }

  Operation *op;
  ShardingInterface model;
  LoopTable table;
};

} // namespace

LoopTable buildLoopTable(Operation *op) {
  if (auto model = dyn_cast<ShardingInterface>(op))
    return TableBuilder(model).build();
  LoopTable table;
  auto replicated = [](Type type) {
    TensorLoops loops;
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      loops.isTensor = true;
      loops.dims.resize(tensor.getRank());
    }
    return loops;
  };
  for (Type type : op->getOperandTypes())
    table.operands.push_back(replicated(type));
  for (Type type : op->getResultTypes())
    table.results.push_back(replicated(type));
  return table;
}

} // namespace shard
