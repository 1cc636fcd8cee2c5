//===- MovingCollective.cpp - Collectives that only move elements ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/OpForms.h"

#include "shard/Geometry/BlockLayout.h"
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
  if (dims.joined >= 0 && dims.joined != dims.cut) {
    made.block = input.getDimSize(dims.joined);
    made.whole = result.getDimSize(dims.joined);
  }
  // An exchange has blocks of equal size only: its two dimensions differ.
  if ((!made.isEven() && !made.isGather()) || made.groupSize < 2 ||
      (made.retypes() && dims.joined == dims.cut) ||
      made.behind(input, dims) != result)
    return std::nullopt;
  // Where nested axes leave gaps, the blocks of a sharding do not lie where those of the
  // collective do: ops that know their place would be given another one.
  if (!made.isEven() && !cutsAtOnce(made.whole, made.sizes.sizes(made.axes)))
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

Attribute MovingCollective::key() const {
  NamedAttrList attributes(like->getAttrDictionary());
  for (StringRef name : {"gather_axis", "concat_axis", "split_axis"})
    attributes.erase(name);
  attributes.set("kind", like->getName().getIdentifier());
  if (!isEven())
    attributes.set("extents",
                   DenseI64ArrayAttr::get(like->getContext(), {block, whole}));
  return attributes.getDictionary(like->getContext());
}

bool MovingCollective::isGather() const { return isa<AllGatherOp>(like); }
bool MovingCollective::retypes() const {
  return isa<AllGatherOp, AllToAllOp>(like);
}

std::optional<int64_t> MovingCollective::wholeOf(int64_t extent) const {
  if (!isEven())
    return extent == block ? std::optional(whole) : std::nullopt;
  int64_t product;
  return llvm::MulOverflow(extent, groupSize, product) ? std::nullopt
                                                       : std::optional(product);
}

std::optional<int64_t> MovingCollective::blockOf(int64_t extent) const {
  if (!isEven())
    return extent == whole ? std::optional(block) : std::nullopt;
  return extent % groupSize == 0 ? std::optional(extent / groupSize)
                                 : std::nullopt;
}

/// `type` with a whole in the place of a block in `wide`, and the other way round in
/// `narrow`; -1 stands for no dimension.
static RankedTensorType exchanged(const MovingCollective &collective,
                                  RankedTensorType type, int64_t wide,
                                  int64_t narrow) {
  SmallVector<int64_t> shape(type.getShape());
  if (wide >= 0) {
    std::optional<int64_t> whole = collective.wholeOf(shape[wide]);
    if (!whole)
      return {};
    shape[wide] = *whole;
  }
  if (narrow >= 0) {
    std::optional<int64_t> block = collective.blockOf(shape[narrow]);
    if (!block)
      return {};
    shape[narrow] = *block;
  }
  return type.clone(shape);
}

RankedTensorType MovingCollective::behind(RankedTensorType before,
                                          MovedDims dims) const {
  return exchanged(*this, before, dims.joined, dims.cut);
}
RankedTensorType MovingCollective::before(RankedTensorType behind,
                                          MovedDims dims) const {
  return exchanged(*this, behind, dims.cut, dims.joined);
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
