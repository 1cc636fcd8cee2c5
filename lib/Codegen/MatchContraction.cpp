//===- MatchContraction.cpp - Recognise sums of products ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

std::optional<ElementType> shard::getElementType(Type type) {
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  if (type.isIndex())
    return ElementType::Index;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return ElementType::I1;
  case 8:
    return isUnsigned ? ElementType::U8 : ElementType::I8;
  case 16:
    return isUnsigned ? ElementType::U16 : ElementType::I16;
  case 32:
    return isUnsigned ? ElementType::U32 : ElementType::I32;
  case 64:
    return isUnsigned ? ElementType::U64 : ElementType::I64;
  default:
    return std::nullopt;
  }
}

/// Adds `scale` times the factors of `expr`; false if it is not linear.
static bool addFactors(AffineExpr expr, int64_t scale,
                       SmallVectorImpl<int64_t> &factors) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    factors[dim.getPosition()] += scale;
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() == 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addFactors(binary.getLHS(), scale, factors) &&
           addFactors(binary.getRHS(), scale, factors);
  if (binary.getKind() != AffineExprKind::Mul)
    return false;
  if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
    return addFactors(binary.getLHS(), scale * factor.getValue(), factors);
  if (auto factor = dyn_cast<AffineConstantExpr>(binary.getLHS()))
    return addFactors(binary.getRHS(), scale * factor.getValue(), factors);
  return false;
}

std::optional<SmallVector<int64_t>> codegen::linearFactors(AffineExpr expr,
                                                           unsigned numLoops) {
  SmallVector<int64_t> factors(numLoops, 0);
  if (!addFactors(expr, 1, factors))
    return std::nullopt;
  return factors;
}

/// A factor of the product: the block argument behind `value`, at most one
/// widening cast away, and the type that the kernel reads.
static std::optional<std::pair<BlockArgument, ElementType>>
matchFactor(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    std::optional<ElementType> type = getElementType(arg.getType());
    return type ? std::optional(std::make_pair(arg, *type)) : std::nullopt;
  }
  Operation *cast = value.getDefiningOp();
  if (!isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(cast))
    return std::nullopt;
  auto arg = dyn_cast<BlockArgument>(cast->getOperand(0));
  if (!arg)
    return std::nullopt;
  std::optional<ElementType> type = getElementType(arg.getType());
  if (!type)
    return std::nullopt;
  if (isa<arith::ExtUIOp>(cast)) {
    if (*type != ElementType::I8)
      return std::nullopt;
    type = ElementType::U8;
  }
  return std::make_pair(arg, *type);
}

namespace {
/// What the kernel does with an op.
enum class ProductKind { None, Matrices, MatrixVector };
} // namespace

/// The fewest products of a matrix-vector product that are worth a call.
static constexpr int64_t kFewestProducts = 1024;

/// Matrices, if some loops move A and C but not B, and others B and C but not A. A
/// matrix-vector product has the one or the other. The kernel has a form for it if it has one
/// such loop and one that is summed, and runs along one of them through the matrix, which
/// `matrix` is set to.
static ProductKind kindOf(linalg::LinalgOp op, OpOperand *a, OpOperand *b,
                          OpOperand *c, bool isFloat, OpOperand *&matrix) {
  auto moves = [&](OpOperand *operand, unsigned loop) {
    return op.getMatchingIndexingMap(operand).isFunctionOfDim(loop);
  };
  SmallVector<unsigned> rows, columns, depth;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t products = 1;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (ranges[loop] == 1)
      continue;
    bool inA = moves(a, loop), inB = moves(b, loop), inC = moves(c, loop);
    bool isBatch = inA && inB && inC;
    if (!inC)
      depth.push_back(loop);
    else if (inA && !inB)
      rows.push_back(loop);
    else if (inB && !inA)
      columns.push_back(loop);
    if (!isBatch && ShapedType::isDynamic(ranges[loop]))
      products = kFewestProducts;
    else if (!isBatch)
      products = std::min(products * std::min(ranges[loop], kFewestProducts),
                          kFewestProducts);
  }
  if (!rows.empty() && !columns.empty())
    return ProductKind::Matrices;
  if (!isFloat || rows.size() + columns.size() != 1 || depth.size() != 1 ||
      products < kFewestProducts)
    return ProductKind::None;
  OpOperand *large = columns.empty() ? a : b;
  unsigned many = columns.empty() ? rows.front() : columns.front();
  AffineMap map = op.getMatchingIndexingMap(large);
  if (!moves(a, depth.front()) || !moves(b, depth.front()) ||
      map.getNumResults() == 0)
    return ProductKind::None;
  // The last dimension that has more than one element.
  for (AffineExpr expr : llvm::reverse(map.getResults())) {
    bool isOne = true;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      isOne &= !expr.isFunctionOfDim(loop) || ranges[loop] == 1;
    if (isOne)
      continue;
    if (!expr.isFunctionOfDim(many) && !expr.isFunctionOfDim(depth.front()))
      return ProductKind::None;
    matrix = large;
    return ProductKind::MatrixVector;
  }
  return ProductKind::None;
}

std::optional<MatchedContraction>
codegen::matchContraction(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumLoops() == 0)
    return std::nullopt;
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults())
      if (!linearFactors(expr, op.getNumLoops()))
        return std::nullopt;
  mlir::Block *body = op.getBlock();
  Operation *sum = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!sum || sum->getBlock() != body ||
      !isa<arith::AddFOp, arith::AddIOp>(sum))
    return std::nullopt;
  OpOperand *init = op.getDpsInitOperand(0);
  BlockArgument accumulator = op.getMatchingBlockArgument(init);
  unsigned productIndex = sum->getOperand(0) == accumulator ? 1 : 0;
  if (sum->getOperand(1 - productIndex) != accumulator ||
      !accumulator.hasOneUse())
    return std::nullopt;
  Operation *product = sum->getOperand(productIndex).getDefiningOp();
  if (!product || product->getBlock() != body ||
      !isa<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  auto lhs = matchFactor(product->getOperand(0));
  auto rhs = matchFactor(product->getOperand(1));
  if (!lhs || !rhs || lhs->first.getOwner() != body ||
      rhs->first.getOwner() != body)
    return std::nullopt;
  OpOperand *a = op.getMatchingOpOperand(lhs->first);
  OpOperand *b = op.getMatchingOpOperand(rhs->first);
  if (a == init || b == init || !isa<ShapedType>(a->get().getType()) ||
      !isa<ShapedType>(b->get().getType()))
    return std::nullopt;
  std::optional<ElementType> type = getElementType(accumulator.getType());
  if (!type)
    return std::nullopt;
  OpOperand *matrix = nullptr;
  if (kindOf(op, a, b, init, isa<FloatType>(accumulator.getType()), matrix) ==
      ProductKind::None)
    return std::nullopt;
  // Products of narrow floats are summed in f32, whatever the body says.
  bool narrow = *type == ElementType::F16 || *type == ElementType::BF16;
  ContractionTypes types{lhs->second, rhs->second, *type,
                         narrow ? ElementType::F32 : *type};
  if (!isContractionSupported(types))
    return std::nullopt;
  return MatchedContraction{a, b, init, types, matrix};
}
