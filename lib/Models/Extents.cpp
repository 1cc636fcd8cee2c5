//===- Extents.cpp - Extents that are known to be equal -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extents.h"

#include "TensorModels.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace shard {

/// No more ops are looked at for an extent, so that the work stays linear.
static constexpr unsigned kMaxSteps = 64;

namespace {

/// Where an extent is stated: dimension `dim` of a tensor, or a number if that is -1.
struct Extent {
  Value value;
  int64_t dim = -1;

  bool operator==(const Extent &other) const {
    return value == other.value && dim == other.dim;
  }
};

/// Goes from extents back to where they are stated.
class ExtentOrigin {
public:
  /// The number `size`, which may be that of a tensor.
  Extent of(Value size) {
    if (steps-- <= 0)
      return {size};
    auto dim = size.getDefiningOp<tensor::DimOp>();
    std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
    if (!index || !isa<RankedTensorType>(dim.getSource().getType()))
      return {size};
    return of(Extent{dim.getSource(), *index});
  }

  Extent of(Extent extent) {
    while (extent.dim >= 0 && !llvm::is_contained(ends, extent.value) &&
           steps-- > 0) {
      Extent before = step(extent);
      if (before == extent)
        break;
      extent = before;
    }
    return extent;
  }

private:
  /// One op further back, or `extent` itself.
  Extent step(Extent extent) {
    Value tensor = beforeShardings(extent.value);
    if (tensor != extent.value)
      return {tensor, extent.dim};
    // Code that does not run may ask for a dimension that there is not.
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!type || extent.dim >= type.getRank())
      return extent;
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      auto loop =
          dyn_cast_if_present<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && argument != loop.getInductionVar()
                 ? ofLoop(loop, argument.getArgNumber() - 1, extent)
                 : extent;
    }
    Operation *op = tensor.getDefiningOp();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return ofLoop(loop, cast<OpResult>(tensor).getResultNumber(), extent);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return ofBranch(branch, cast<OpResult>(tensor).getResultNumber(), extent);
    if (auto writes = dyn_cast<DestinationStyleOpInterface>(op)) {
      OpOperand *init = writes.getTiedOpOperand(cast<OpResult>(tensor));
      return init ? Extent{init->get(), extent.dim} : extent;
    }
    if (auto cast = dyn_cast<tensor::CastOp>(op))
      return isa<RankedTensorType>(cast.getSource().getType())
                 ? Extent{cast.getSource(), extent.dim}
                 : extent;
    if (OpTrait::hasElementwiseMappableTraits(op))
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          return {operand, extent.dim};
    if (auto empty = dyn_cast<tensor::EmptyOp>(op);
        empty && empty.getType().isDynamicDim(extent.dim))
      return of(empty.getDynamicSize(extent.dim));
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return ofSlice(slice, extent);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      auto size = dyn_cast<Value>(expand.getMixedOutputShape()[extent.dim]);
      return size ? of(size) : extent;
    }
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      return ofCollapse(collapse, extent);
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      return pad.getStaticLow()[extent.dim] == 0 &&
                     pad.getStaticHigh()[extent.dim] == 0
                 ? Extent{pad.getSource(), extent.dim}
                 : extent;
    return extent;
  }

  Extent ofSlice(tensor::ExtractSliceOp slice, Extent extent) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    int64_t inner = 0;
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes())) {
      if (dropped.test(dim) || inner++ != extent.dim)
        continue;
      auto value = dyn_cast<Value>(size);
      return value ? of(value) : extent;
    }
    return extent;
  }

  /// Of one dimension that is merged with extents of 1 alone.
  Extent ofCollapse(tensor::CollapseShapeOp collapse, Extent extent) {
    std::optional<int64_t> only;
    SmallVector<ReassociationIndices> groups =
        collapse.getReassociationIndices();
    for (int64_t dim : groups[extent.dim]) {
      if (collapse.getSrcType().getDimSize(dim) == 1)
        continue;
      if (only)
        return extent;
      only = dim;
    }
    return only ? Extent{collapse.getSrc(), *only} : extent;
  }

  /// Of what `loop` carries as number `number`, if no iteration changes the extent.
  Extent ofLoop(scf::ForOp loop, unsigned number, Extent extent) {
    Value argument = loop.getRegionIterArg(number);
    Value yielded = loop.getBody()->getTerminator()->getOperand(number);
    ends.push_back(argument);
    Extent next = of(Extent{yielded, extent.dim});
    ends.pop_back();
    Extent before{loop.getInitArgs()[number], extent.dim};
    return next == Extent{argument, extent.dim} || next == of(before) ? before
                                                                      : extent;
  }

  /// Of result `number` of `branch`, if both ways give the same one.
  Extent ofBranch(scf::IfOp branch, unsigned number, Extent extent) {
    Extent taken =
        of(Extent{branch.thenYield()->getOperand(number), extent.dim});
    Extent other =
        of(Extent{branch.elseYield()->getOperand(number), extent.dim});
    return taken == other ? taken : extent;
  }

  int steps = kMaxSteps;
  /// What loops that are looked into carry: their bodies end there.
  SmallVector<Value> ends;
};

} // namespace

bool isExtentOf(OpFoldResult size, Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return isConstantIntValue(size, type.getDimSize(dim));
  auto value = dyn_cast<Value>(size);
  return value &&
         ExtentOrigin().of(value) == ExtentOrigin().of(Extent{tensor, dim});
}

bool askOriginOf(tensor::DimOp op, RewriterBase &rewriter) {
  std::optional<int64_t> index = op.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!index || !type || *index < 0 || *index >= type.getRank() ||
      !type.isDynamicDim(*index) || !op->getDiscardableAttrs().empty())
    return false;
  Extent origin = ExtentOrigin().of(op.getResult());
  if (origin == Extent{op.getSource(), *index} || origin.value == op)
    return false;
  if (origin.dim < 0) {
    // A constant would make types static beside others that say nothing of the extent.
    if (!origin.value.getType().isIndex() || getConstantIntValue(origin.value))
      return false;
    rewriter.replaceOp(op, origin.value);
    return true;
  }
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<tensor::DimOp>(op, origin.value, origin.dim);
  return true;
}

} // namespace shard
