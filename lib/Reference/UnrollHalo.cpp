//===- UnrollHalo.cpp - Halos on one device -------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnrollCollectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace shard;
using namespace shard::reference;

namespace {
/// One dimension of a buffer with halos: element i stands for place
/// `at * core - low + i` of a line on which the cores of `parts` devices lie one
/// behind the other. Without axes it has no `core`, and its elements stay where they are. Axes of one
/// device may have widths, too, which lie outside of the tensor.
struct HaloDim {
  Value core, low;
  int64_t at = 0;
  int64_t parts = 1;
  /// How far devices are apart, in the group, that are neighbours here.
  int64_t stride = 1;
};

/// Arithmetic on indices.
struct IndexBuilder {
  OpBuilder &builder;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  template <typename OpTy>
  Value make(Value a, Value b) {
    return builder.createOrFold<OpTy>(loc, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
  }
};
} // namespace

/// The element of the updated buffer at `indices`: from the device whose core has it;
/// outside of all cores each dimension stays where it is.
static Value haloElement(IndexBuilder b, ArrayRef<HaloDim> dims,
                         ValueRange indices, ArrayRef<Value> buffers) {
  Value owner = b.constant(0), self = b.constant(0), isInTensor;
  SmallVector<Value> sources;
  for (auto [dim, index] : llvm::zip_equal(dims, indices)) {
    if (!dim.core) {
      sources.push_back(index);
      continue;
    }
    Value begin = b.make<arith::MulIOp>(b.constant(dim.at), dim.core);
    Value place =
        b.make<arith::AddIOp>(b.make<arith::SubIOp>(begin, dim.low), index);
    Value end = b.make<arith::MulIOp>(b.constant(dim.parts), dim.core);
    Value isInside = b.make<arith::AndIOp>(
        b.compare(arith::CmpIPredicate::sge, place, b.constant(0)),
        b.compare(arith::CmpIPredicate::slt, place, end));
    isInTensor =
        isInTensor ? b.make<arith::AndIOp>(isInTensor, isInside) : isInside;
    // Without elements in the cores nothing is inside.
    Value divisor = b.make<arith::MaxSIOp>(dim.core, b.constant(1));
    sources.push_back(
        b.make<arith::AddIOp>(dim.low, b.make<arith::RemSIOp>(place, divisor)));
    Value stride = b.constant(dim.stride);
    Value part = b.make<arith::DivSIOp>(place, divisor);
    owner = b.make<arith::AddIOp>(owner, b.make<arith::MulIOp>(part, stride));
    self = b.make<arith::AddIOp>(
        self, b.make<arith::MulIOp>(b.constant(dim.at), stride));
  }
  // What lies outside of the tensor in some dimension stays what the device holds.
  if (isInTensor) {
    owner = b.select(isInTensor, owner, self);
    for (auto [source, index] : llvm::zip_equal(sources, indices))
      source = b.select(isInTensor, source, index);
  }
  Value element;
  for (auto [position, buffer] : llvm::enumerate(buffers)) {
    Value own = tensor::ExtractOp::create(b.builder, b.loc, buffer, sources);
    if (!element) {
      element = own;
      continue;
    }
    Value is = b.compare(arith::CmpIPredicate::eq, owner, b.constant(position));
    element = b.select(is, own, element);
  }
  return element;
}

FailureOr<Copies> CollectiveUnroller::updateHalo(UpdateHaloOp op,
                                                 const Copies &input) {
  Location loc = op.getLoc();
  IndexBuilder b{builder, loc};
  std::vector<AxisList> split;
  AxisList group;
  for (GridAxesAttr axes : op.getSplitAxes()) {
    split.emplace_back(axes.asArrayRef().begin(), axes.asArrayRef().end());
    group.insert(group.end(), split.back().begin(), split.back().end());
  }
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Copies results(input.size());
  for (int64_t device = 0; device < devices.numDevices(); ++device) {
    if (!input[device])
      continue;
    SmallVector<Value> buffers;
    for (int64_t member : devices.groupMembers(device, group)) {
      if (!input[member])
        return lacksMember(op, member);
      buffers.push_back(input[member]);
    }
    SmallVector<HaloDim> dims(type.getRank());
    int64_t stride = buffers.size();
    size_t nextWidth = 0, nextDynamic = 0;
    auto width = [&]() -> Value {
      // Without widths there are no halos.
      if (nextWidth >= op.getStaticHaloSizes().size())
        return b.constant(0);
      int64_t size = op.getStaticHaloSizes()[nextWidth++];
      if (!ShapedType::isDynamic(size))
        return b.constant(size);
      return builder.createOrFold<arith::IndexCastOp>(
          loc, builder.getIndexType(),
          operandOn(op.getHaloSizes()[nextDynamic++], device));
    };
    for (auto [index, dim] : llvm::enumerate(dims)) {
      if (index >= split.size() || split[index].empty())
        continue;
      const AxisList &axes = split[index];
      dim.parts = devices.groupSize(axes);
      dim.at = devices.positionInGroup(device, axes);
      stride /= dim.parts;
      dim.stride = stride;
      dim.low = width();
      Value extent = tensor::DimOp::create(builder, loc, input[device], index);
      dim.core = b.make<arith::SubIOp>(b.make<arith::SubIOp>(extent, dim.low),
                                       width());
    }
    SmallVector<Value> extents;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        extents.push_back(
            tensor::DimOp::create(builder, loc, input[device], dim));
    results[device] = tensor::GenerateOp::create(
        builder, loc, type, extents,
        [&](OpBuilder &nested, Location at, ValueRange indices) {
          Value element =
              haloElement(IndexBuilder{nested, at}, dims, indices, buffers);
          tensor::YieldOp::create(nested, at, element);
        });
  }
  return results;
}

FailureOr<Value> CollectiveUnroller::combineByRegion(Operation *op,
                                                     int64_t device,
                                                     ArrayRef<Value> terms,
                                                     Type element) {
  Location loc = op->getLoc();
  Region &combiner = op->getRegion(0);
  IRMapping outer;
  mlir::visitUsedValuesDefinedAbove(combiner, [&](OpOperand *operand) {
    outer.map(operand->get(), operandOn(operand->get(), device));
  });
  Value result;
  for (Value term : terms) {
    Value next = convert(loc, term, element);
    if (!next)
      return notSupported(op) << ": it converts elements of type "
                              << term.getType() << " to " << element;
    if (!result) {
      result = next;
      continue;
    }
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<Value> extents;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        extents.push_back(tensor::DimOp::create(builder, loc, result, dim));
    result = tensor::GenerateOp::create(
        builder, loc, type, extents,
        [&](OpBuilder &nested, Location at, ValueRange indices) {
          IRMapping mapping = outer;
          for (auto [argument, value] : llvm::zip_equal(
                   combiner.getArguments(), ValueRange{result, next}))
            mapping.map(argument,
                        tensor::ExtractOp::create(nested, at, value, indices));
          for (Operation &inner : combiner.front().without_terminator())
            nested.clone(inner, mapping);
          tensor::YieldOp::create(
              nested, at,
              mapping.lookupOrDefault(
                  combiner.front().getTerminator()->getOperand(0)));
        });
  }
  return result;
}
