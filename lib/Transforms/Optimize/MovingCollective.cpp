//===- MovingCollective.cpp - Collectives that only move elements ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/OpForms.h"

#include "shard/IR/ShardingUtils.h"

using namespace mlir;

namespace shard {

std::optional<MovingCollective>
MovingCollective::of(Operation *op, SymbolTableCollection &symbols) {
  if (!isa<AllGatherOp, AllToAllOp, PermuteOp, ShiftOp>(op))
    return std::nullopt;
  auto shift = dyn_cast<ShiftOp>(op);
  // Without rotate some devices get unspecified elements.
  if (shift && !shift.getRotate())
    return std::nullopt;
  auto input = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!input || !result || !input.hasStaticShape() || !result.hasStaticShape())
    return std::nullopt;
  MovingCollective made;
  made.like = op;
  made.grid = op->getAttrOfType<FlatSymbolRefAttr>("grid");
  made.gridOp = getGrid(op, made.grid, symbols);
  FailureOr<Grid> sizes =
      made.gridOp ? staticGrid(made.gridOp) : FailureOr<Grid>();
  if (failed(sizes))
    return std::nullopt;
  made.sizes = *sizes;
  if (auto permute = dyn_cast<PermuteOp>(op)) {
    made.axes.assign(permute.getFromAxes().begin(),
                     permute.getFromAxes().end());
    for (GridAxis axis : permute.getToAxes())
      if (!llvm::is_contained(made.axes, axis))
        made.axes.push_back(axis);
  } else {
    auto list = op->getAttrOfType<DenseI16ArrayAttr>("grid_axes");
    if (list)
      made.axes.assign(list.asArrayRef().begin(), list.asArrayRef().end());
  }
  made.groupSize = sizes->groupSize(made.axes);
  MovedDims dims = dimsOf(op);
  // Blocks of equal size only.
  if (made.groupSize < 2 || (made.retypes() && dims.joined == dims.cut) ||
      made.behind(input, dims) != result)
    return std::nullopt;
  return made;
}

MovedDims MovingCollective::dimsOf(Operation *op) {
  if (auto gather = dyn_cast<AllGatherOp>(op))
    return {gather.getGatherAxis().getSExtValue(), -1};
  if (auto exchange = dyn_cast<AllToAllOp>(op))
    return {exchange.getConcatAxis().getSExtValue(),
            exchange.getSplitAxis().getSExtValue()};
  return {};
}

Attribute MovingCollective::keyOf(Operation *op) {
  NamedAttrList attributes(op->getAttrDictionary());
  for (StringRef name : {"gather_axis", "concat_axis", "split_axis"})
    attributes.erase(name);
  attributes.set("kind", op->getName().getIdentifier());
  return attributes.getDictionary(op->getContext());
}

bool MovingCollective::isGather() const { return isa<AllGatherOp>(like); }
bool MovingCollective::retypes() const {
  return isa<AllGatherOp, AllToAllOp>(like);
}

/// `type` with `size` times as many elements in `wide`, and a part of them in `narrow`;
/// -1 stands for no dimension.
static RankedTensorType exchanged(RankedTensorType type, int64_t wide,
                                  int64_t narrow, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  if (wide >= 0 && llvm::MulOverflow(shape[wide], size, shape[wide]))
    return {};
  if (narrow >= 0) {
    if (shape[narrow] % size != 0)
      return {};
    shape[narrow] /= size;
  }
  return type.clone(shape);
}

RankedTensorType MovingCollective::behind(RankedTensorType before,
                                          MovedDims dims) const {
  return exchanged(before, dims.joined, dims.cut, groupSize);
}
RankedTensorType MovingCollective::before(RankedTensorType behind,
                                          MovedDims dims) const {
  return exchanged(behind, dims.cut, dims.joined, groupSize);
}

Value MovingCollective::apply(OpBuilder &builder, Value value,
                              MovedDims dims) const {
  Operation *made = builder.clone(*like);
  made->setOperand(0, value);
  made->getResult(0).setType(
      behind(cast<RankedTensorType>(value.getType()), dims));
  auto number = [&](int64_t dim) { return builder.getIndexAttr(dim); };
  if (auto gather = dyn_cast<AllGatherOp>(made))
    gather.setGatherAxisAttr(number(dims.joined));
  if (auto exchange = dyn_cast<AllToAllOp>(made)) {
    exchange.setConcatAxisAttr(number(dims.joined));
    exchange.setSplitAxisAttr(number(dims.cut));
  }
  return made->getResult(0);
}

} // namespace shard
