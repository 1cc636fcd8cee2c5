//===- InvariantExtracts.cpp - Elements that a body reads once ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InvariantExtracts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shard {

/// Each element of a split tensor takes a call of its own: of more than so many, all of the tensor
/// is taken at once.
static constexpr size_t kMostElements = 4;

/// Whether the body of `op` is known to run.
static bool bodyRuns(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return llvm::all_of(linalgOp.getStaticLoopRanges(), [](int64_t extent) {
      return ShapedType::isStatic(extent) && extent > 0;
    });
  if (auto forall = dyn_cast<scf::ForallOp>(op))
    return llvm::all_of(llvm::zip_equal(forall.getStaticLowerBound(),
                                        forall.getStaticUpperBound()),
                        [](auto bounds) {
                          auto [lower, upper] = bounds;
                          return ShapedType::isStatic(lower) &&
                                 ShapedType::isStatic(upper) && lower < upper;
                        });
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return type.hasStaticShape() && type.getNumElements() > 0;
}

/// Whether all indices of `extract` are constants inside of a tensor of type `type`.
static bool isInside(tensor::ExtractOp extract, RankedTensorType type) {
  return llvm::all_of(
      llvm::zip_equal(extract.getIndices(), type.getShape()), [](auto pair) {
        auto [index, extent] = pair;
        std::optional<int64_t> place = getConstantIntValue(index);
        return place && *place >= 0 && *place < extent;
      });
}

/// Whether `extract`, in the body of `op`, gives the same element each time. An index outside of
/// the tensor is an error that the program may keep off by a condition or a loop that does not run:
/// where it is not known to be inside, the extract must run whenever the op does.
static bool isInvariant(tensor::ExtractOp extract, Operation *op) {
  auto isOutside = [&](Value value) {
    return !op->isAncestor(value.getParentBlock()->getParentOp());
  };
  auto type = dyn_cast<RankedTensorType>(extract.getTensor().getType());
  return type && type.hasStaticShape() && isOutside(extract.getTensor()) &&
         llvm::all_of(extract.getIndices(),
                      [&](Value index) {
                        return isOutside(index) ||
                               matchPattern(index, m_Constant());
                      }) &&
         (isInside(extract, type) ||
          (extract->getParentOp() == op && bodyRuns(op)));
}

/// Moves the invariant extracts in the body of `op` in front of it.
static bool hoistFrom(Operation *op) {
  llvm::MapVector<Value, SmallVector<tensor::ExtractOp>> byTensor;
  op->walk([&](tensor::ExtractOp extract) {
    if (isInvariant(extract, op))
      byTensor[extract.getTensor()].push_back(extract);
  });
  bool changed = false;
  for (auto &[tensor, extracts] : byTensor) {
    int64_t all = cast<RankedTensorType>(tensor.getType()).getNumElements();
    if (extracts.size() > kMostElements || int64_t(extracts.size()) > all / 2)
      continue;
    for (tensor::ExtractOp extract : extracts) {
      // Constants of the body are the same ones in front of it.
      OpBuilder builder(op);
      for (OpOperand &index : extract.getIndicesMutable())
        if (matchPattern(index.get(), m_Constant()))
          index.set(builder.clone(*index.get().getDefiningOp())->getResult(0));
      extract->moveBefore(op);
    }
    changed = true;
  }
  return changed;
}

bool hoistInvariantExtracts(Operation *root) {
  bool changed = false;
  // From the inside out.
  root->walk([&](Operation *op) {
    if (isa<linalg::LinalgOp, tensor::GenerateOp, scf::ForallOp>(op))
      changed |= hoistFrom(op);
  });
  return changed;
}

} // namespace shard
