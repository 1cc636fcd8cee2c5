//===- LoopOrder.cpp - The order of the loops of a linalg op -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopOrder.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

/// The loop whose steps are the smallest in memory, as the last dimension of
/// the operands tells: the outputs' if all loops are parallel, else the largest
/// input's.
static std::optional<unsigned> contiguousLoop(linalg::LinalgOp op) {
  auto lastLoop = [&](OpOperand &operand) -> std::optional<unsigned> {
    if (!isa<MemRefType>(operand.get().getType()))
      return std::nullopt;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map.getNumResults() == 0)
      return std::nullopt;
    AffineExpr last = map.getResults().back();
    for (unsigned loop = op.getNumLoops(); loop-- > 0;)
      if (last.isFunctionOfDim(loop))
        return loop;
    return std::nullopt;
  };
  if (op.getNumReductionLoops() == 0) {
    for (OpOperand &init : op.getDpsInitsMutable())
      if (std::optional<unsigned> loop = lastLoop(init))
        return loop;
    return std::nullopt;
  }
  std::optional<unsigned> best;
  int64_t bestRank = -1;
  for (OpOperand *input : op.getDpsInputOperands()) {
    std::optional<unsigned> loop = lastLoop(*input);
    int64_t rank = op.getMatchingIndexingMap(input).getNumResults();
    if (loop && rank > bestRank) {
      best = loop;
      bestRank = rank;
    }
  }
  return best;
}

LoopOrder codegen::chooseOrder(linalg::LinalgOp op) {
  LoopOrder order;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  std::optional<unsigned> inner = contiguousLoop(op);
  SmallVector<unsigned> parallels, reductions;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (kinds[loop] != utils::IteratorType::parallel)
      reductions.push_back(loop);
    else if (loop != inner)
      parallels.push_back(loop);
  }
  bool innerIsParallel =
      inner && kinds[*inner] == utils::IteratorType::parallel;
  // Outputs can live in registers if the reduction does not move them.
  bool outputsStay =
      llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
        return llvm::none_of(reductions, [&](unsigned loop) {
          return op.getMatchingIndexingMap(&init).isFunctionOfDim(loop);
        });
      });
  if (!reductions.empty() && !outputsStay) {
    // Not a reduction in the usual sense: the given order is the meaning.
    llvm::append_range(order.outer, llvm::seq<unsigned>(0, op.getNumLoops()));
    return order;
  }
  order.outer = parallels;
  if (innerIsParallel) {
    llvm::append_range(order.outer, reductions);
    order.outer.push_back(*inner);
    return order;
  }
  order.carried = reductions;
  return order;
}

/// Bytes of a block of one operand.
static constexpr int64_t kBlockBytes = 16 << 10;

std::optional<TransposedReads>
codegen::findTransposedReads(linalg::LinalgOp op, const LoopOrder &order) {
  if (op.getNumReductionLoops() > 0 || order.outer.empty())
    return std::nullopt;
  TransposedReads found;
  found.written = order.outer.back();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (map.getNumResults() == 0 ||
        !isa<AffineDimExpr>(map.getResults().back()) ||
        !map.getResults().back().isFunctionOfDim(found.written))
      return std::nullopt;
  }
  int64_t width = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!type || !type.getElementType().isIntOrFloat() ||
        !map.isProjectedPermutation() || map.getNumResults() < 2)
      continue;
    unsigned last = map.getDimPosition(map.getNumResults() - 1);
    if (last == found.written || !map.isFunctionOfDim(found.written) ||
        (!found.operands.empty() && last != found.read))
      continue;
    found.read = last;
    found.operands.push_back(input);
    width = std::max<int64_t>(width, (type.getElementTypeBitWidth() + 7) / 8);
  }
  if (found.operands.empty())
    return std::nullopt;
  found.size = 64;
  while (found.size > 8 && found.size * found.size * width > kBlockBytes)
    found.size /= 2;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned loop : {found.written, found.read})
    if (!ShapedType::isDynamic(ranges[loop]) && ranges[loop] < found.size / 2)
      return std::nullopt;
  return found;
}
