//===- CheckRings.cpp - Is every product cut that can be? -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckRings.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

/// A ring has no more parts.
static constexpr int64_t kMostParts = 16;

/// The only use of `value`, behind its wait if it is started; null if there are several.
static OpOperand *onlyUse(Value value) {
  if (value.hasOneUse())
    if (auto wait = dyn_cast<WaitOp>(*value.user_begin()))
      value = wait->getResult(0);
  return value.hasOneUse() ? &*value.use_begin() : nullptr;
}

/// Whether parts of `product` along dimension `dim` of `operand` give the same numbers: the
/// loop is parallel, or its sums are of integers.
static bool mayCut(linalg::LinalgOp product, OpOperand &operand, int64_t dim) {
  if (!product || !linalg::isaContractionOpInterface(product) ||
      product.hasDynamicShape())
    return false;
  auto loop = dyn_cast<AffineDimExpr>(
      product.getMatchingIndexingMap(&operand).getResult(unsigned(dim)));
  Type element = getElementTypeOrSelf(product->getResult(0).getType());
  return loop && (product.getIteratorTypesArray()[loop.getPosition()] ==
                      utils::IteratorType::parallel ||
                  (element.isInteger() && !element.isInteger(1)));
}

/// Whether a group of 2 to kMostParts devices has full blocks, of extent `part` of `whole`.
static bool hasFullBlocks(Operation *op, FlatSymbolRefAttr name,
                          ArrayRef<int16_t> axes, int64_t part, int64_t whole) {
  if (ShapedType::isDynamic(part) || ShapedType::isDynamic(whole))
    return false;
  SymbolTableCollection symbols;
  GridOp grid = getGrid(op, name, symbols);
  int64_t count = 1;
  for (int16_t axis : axes)
    count *= grid.getShape()[axis];
  return count > 1 && count <= kMostParts && count * part == whole;
}

/// The product that alone takes what `gather` gives, if it can be cut.
static Operation *productOf(AllGatherOp gather) {
  OpOperand *use = onlyUse(gather.getResult());
  auto input = dyn_cast<RankedTensorType>(gather.getInput().getType());
  auto result = dyn_cast<RankedTensorType>(gather.getResult().getType());
  int64_t dim = gather.getGatherAxis().getSExtValue();
  if (!use || !input || !result ||
      !hasFullBlocks(gather, gather.getGridAttr(), gather.getGridAxes(),
                     input.getDimSize(dim), result.getDimSize(dim)))
    return nullptr;
  auto product = dyn_cast<linalg::LinalgOp>(use->getOwner());
  return product && product.isDpsInput(use) && mayCut(product, *use, dim)
             ? product
             : nullptr;
}

/// The product whose result `scatter` alone takes, if it can be cut.
static Operation *productOf(ReduceScatterOp scatter) {
  auto product = scatter.getInput().getDefiningOp<linalg::LinalgOp>();
  auto input = dyn_cast<RankedTensorType>(scatter.getInput().getType());
  auto result = dyn_cast<RankedTensorType>(scatter.getResult().getType());
  int64_t dim = scatter.getScatterAxis().getSExtValue();
  if (!product || !scatter.getInput().hasOneUse() || !input || !result ||
      scatter.getReduction() != ReductionKind::Sum ||
      !input.getElementType().isInteger() ||
      !hasFullBlocks(scatter, scatter.getGridAttr(), scatter.getGridAxes(),
                     result.getDimSize(dim), input.getDimSize(dim)) ||
      !mayCut(product, *product.getDpsInitOperand(0), dim))
    return nullptr;
  return product;
}

std::string shard::fuzz::checkRings(ModuleOp partitioned) {
  std::string found;
  partitioned.walk([&](Operation *op) {
    Operation *product = nullptr;
    if (auto gather = dyn_cast<AllGatherOp>(op))
      product = productOf(gather);
    else if (auto scatter = dyn_cast<ReduceScatterOp>(op))
      product = productOf(scatter);
    if (product && product->getBlock() == op->getBlock())
      found = "a " + product->getName().getStringRef().str() + " beside a " +
              op->getName().getStringRef().str() + " is not cut into parts";
  });
  return found;
}
