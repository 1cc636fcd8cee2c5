//===- UnrollCollectives.cpp - Collectives on lists of values -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnrollCollectives.h"

#include "shard/Geometry/BlockLayout.h"
#include "shard/IR/TensorSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shard;
using namespace shard::reference;

InFlightDiagnostic reference::notSupported(Operation *op) {
  return op->emitOpError(op->getParentOfType<ManualComputationOp>()
                             ? "in a manual_computation is not supported by "
                               "the reference of one device"
                             : "in a partitioned program is not supported "
                               "by the reference of one device");
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

static Type withElement(Value value, Type element) {
  return cast<RankedTensorType>(value.getType()).clone(element);
}

Value reference::extractBlock(OpBuilder &builder, Location loc, Value value,
                              ArrayRef<int64_t> offsets,
                              ArrayRef<OpFoldResult> sizes) {
  return sliceOf(builder, loc, value,
                 getAsIndexOpFoldResult(builder.getContext(), offsets), sizes);
}

Value reference::insertBlock(OpBuilder &builder, Location loc, Value block,
                             Value whole, ArrayRef<int64_t> offsets) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, block);
  return insertionOf(builder, loc, block, whole,
                     getAsIndexOpFoldResult(builder.getContext(), offsets),
                     sizes);
}

Value reference::filled(OpBuilder &builder, Location loc,
                        ArrayRef<OpFoldResult> sizes, Type type,
                        int64_t element) {
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, type);
  // What pads blocks is unspecified, also where no number is at hand: complex values.
  if (!type.isIntOrIndexOrFloat())
    return empty;
  TypedAttr number = isa<FloatType>(type)
                         ? TypedAttr(builder.getFloatAttr(type, element))
                         : TypedAttr(builder.getIntegerAttr(type, element));
  Value scalar = arith::ConstantOp::create(builder, loc, number);
  return linalg::FillOp::create(builder, loc, ValueRange{scalar},
                                ValueRange{empty})
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

InFlightDiagnostic reference::lacksMember(Operation *op, int64_t device) {
  return notSupported(op) << ": device " << device
                          << ", which belongs to its group, does not reach it "
                             "together with the others";
}

FailureOr<Copies> CollectiveUnroller::perGroup(
    Operation *op, const AxisList &axes, const Copies &input,
    llvm::function_ref<FailureOr<Value>(ArrayRef<int64_t>)> make) {
  Copies values(devices.numDevices());
  for (int64_t device = 0; device < devices.numDevices(); ++device) {
    if (values[device] || !input[device])
      continue;
    std::vector<int64_t> members = devices.groupMembers(device, axes);
    for (int64_t member : members)
      if (!input[member])
        return lacksMember(op, member);
    FailureOr<Value> value = make(members);
    if (failed(value))
      return failure();
    for (int64_t member : members)
      values[member] = *value;
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// `value` with elements of another type; null where the dialect has no such
/// conversion.
Value CollectiveUnroller::convert(Location loc, Value value, Type element) {
  Type from = elementOf(value), type = withElement(value, element);
  if (from == element)
    return value;
  if (isa<FloatType>(from) && isa<FloatType>(element)) {
    unsigned fromBits = from.getIntOrFloatBitWidth(),
             bits = element.getIntOrFloatBitWidth();
    if (fromBits < bits)
      return arith::ExtFOp::create(builder, loc, type, value);
    if (fromBits == bits)
      value = convert(loc, value, builder.getF32Type());
    return arith::TruncFOp::create(builder, loc, type, value);
  }
  if (!from.isSignlessInteger() || from.isInteger(1))
    return Value();
  if (isa<FloatType>(element))
    return arith::SIToFPOp::create(builder, loc, type, value);
  if (element.isSignlessInteger() &&
      from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(builder, loc, type, value);
  return Value();
}

/// How `kind` combines elements; nothing for a kind that does not combine such
/// elements. An average is a sum, divided at the end.
static std::optional<arith::AtomicRMWKind> combinerOf(ReductionKind kind,
                                                      bool isFloat) {
  using Kind = arith::AtomicRMWKind;
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Average:
    return isFloat ? Kind::addf : Kind::addi;
  case ReductionKind::Product:
    return isFloat ? Kind::mulf : Kind::muli;
  case ReductionKind::Max:
    return isFloat ? Kind::maximumf : Kind::maxs;
  case ReductionKind::Min:
    return isFloat ? Kind::minimumf : Kind::mins;
  default:
    break;
  }
  if (isFloat)
    return std::nullopt;
  switch (kind) {
  case ReductionKind::BitwiseAnd:
    return Kind::andi;
  case ReductionKind::BitwiseOr:
    return Kind::ori;
  case ReductionKind::BitwiseXor:
    return Kind::xori;
  case ReductionKind::UMin:
    return Kind::minu;
  case ReductionKind::UMax:
    return Kind::maxu;
  default:
    return std::nullopt;
  }
}

/// Null for a kind that does not combine such elements.
Value CollectiveUnroller::combineTwo(Location loc, ReductionKind kind, Value a,
                                     Value b) {
  auto combiner = combinerOf(kind, isa<FloatType>(elementOf(a)));
  return combiner ? arith::getReductionOp(*combiner, builder, loc, a, b)
                  : Value();
}

/// The sum or the mean of complex `terms`, added from left to right.
static Value combineComplex(OpBuilder &builder, Location loc,
                            ArrayRef<Value> terms, bool isMean) {
  auto type = cast<RankedTensorType>(terms.front().getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, terms.front()),
      type.getElementType());
  SmallVector<AffineMap> maps(terms.size() + 1,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location, ValueRange elements) {
    Value sum = elements.front();
    for (Value element : elements.drop_front().drop_back())
      sum = complex::AddOp::create(inner, loc, sum, element);
    if (isMean) {
      auto part = cast<FloatType>(
          cast<ComplexType>(type.getElementType()).getElementType());
      Value count = arith::ConstantOp::create(
          inner, loc, inner.getFloatAttr(part, terms.size()));
      auto divided = [&](Value number) -> Value {
        return arith::DivFOp::create(inner, loc, number, count);
      };
      Value real = divided(complex::ReOp::create(inner, loc, sum));
      Value imaginary = divided(complex::ImOp::create(inner, loc, sum));
      sum =
          complex::CreateOp::create(inner, loc, sum.getType(), real, imaginary);
    }
    linalg::YieldOp::create(inner, loc, sum);
  };
  return linalg::GenericOp::create(builder, loc, TypeRange(type), terms,
                                   ValueRange(empty), maps, iterators, body)
      .getResult(0);
}

/// `terms` combined from left to right; f16 and bf16 in f32, means of integers
/// in i64.
FailureOr<Value> CollectiveUnroller::combine(Operation *op, ReductionKind kind,
                                             ArrayRef<Value> terms,
                                             Type element) {
  Location loc = op->getLoc();
  bool isFloat = isa<FloatType>(element);
  bool isMean = kind == ReductionKind::Average;
  if (auto complex = dyn_cast<ComplexType>(element);
      complex && isa<FloatType>(complex.getElementType()) &&
      (isMean || kind == ReductionKind::Sum) &&
      llvm::all_of(terms,
                   [&](Value term) { return elementOf(term) == element; }))
    return combineComplex(builder, loc, terms, isMean);
  if ((!isFloat && !element.isSignlessIntOrIndex()) ||
      (isMean && element.isInteger(1)))
    return notSupported(op) << ": reduction " << keyword(kind)
                            << " of elements of type " << element;
  Type wide = element;
  if (isFloat && element.getIntOrFloatBitWidth() < 32)
    wide = builder.getF32Type();
  else if (isMean && !isFloat)
    wide = builder.getI64Type();
  Value sum;
  for (Value term : terms) {
    Value input = convert(loc, term, element);
    if (!input)
      return notSupported(op) << ": it converts elements of type "
                              << elementOf(term) << " to " << element;
    if (element.isIndex() && isMean)
      input = arith::IndexCastOp::create(builder, loc, withElement(input, wide),
                                         input);
    else
      input = convert(loc, input, wide);
    sum = sum ? combineTwo(loc, kind, sum, input) : input;
    if (!sum)
      return notSupported(op) << ": reduction " << keyword(kind)
                              << " of elements of type " << element;
  }
  if (isMean) {
    Value count = filled(builder, loc, tensor::getMixedSizes(builder, loc, sum),
                         wide, terms.size());
    if (isFloat)
      sum = arith::DivFOp::create(builder, loc, sum, count);
    else
      sum = arith::DivSIOp::create(builder, loc, sum, count);
  }
  Type type = withElement(sum, element);
  if (wide == element)
    return sum;
  if (isFloat)
    return Value(arith::TruncFOp::create(builder, loc, type, sum));
  if (element.isIndex())
    return Value(arith::IndexCastOp::create(builder, loc, type, sum));
  return Value(arith::TruncIOp::create(builder, loc, type, sum));
}

FailureOr<Copies> CollectiveUnroller::reduce(Operation *op,
                                             const AxisList &axes,
                                             ReductionKind kind,
                                             const Copies &input,
                                             Type element) {
  return perGroup(op, axes, input, [&](ArrayRef<int64_t> members) {
    SmallVector<Value> terms;
    for (int64_t member : members)
      terms.push_back(input[member]);
    bool hasRegion = isa<AllReduceOp, ReduceOp, ReduceScatterOp>(op) &&
                     op->getNumRegions() > 0;
    if (kind == ReductionKind::Generic && hasRegion)
      return combineByRegion(op, members.front(), terms, element);
    return combine(op, kind, terms, element);
  });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// `blocks`, by position in a group along `axes`, as the blocks of a tensor that
/// is, along `dim`, as long as the result of `op`.
FailureOr<Value> CollectiveUnroller::concat(Operation *op, const AxisList &axes,
                                            int64_t dim,
                                            ArrayRef<Value> blocks) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.isDynamicDim(dim))
    return notSupported(op)
           << ": dimension " << dim << " of " << type << " has to be static";
  int64_t extent = type.getDimSize(dim);
  std::vector<int64_t> parts = devices.sizes(axes);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, blocks.front());
  sizes[dim] = builder.getIndexAttr(extent);
  Value whole =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  for (auto [position, input] : llvm::enumerate(blocks)) {
    Block block = blockAt(extent, parts, delinearize(position, parts));
    if (block.size == 0)
      continue;
    SmallVector<int64_t> offsets(type.getRank(), 0);
    sizes[dim] = builder.getIndexAttr(block.size);
    Value valid = extractBlock(builder, loc, input, offsets, sizes);
    offsets[dim] = block.offset;
    whole = insertBlock(builder, loc, valid, whole, offsets);
  }
  return whole;
}

FailureOr<Copies> CollectiveUnroller::gather(Operation *op,
                                             const AxisList &axes, int64_t dim,
                                             const Copies &input) {
  return perGroup(op, axes, input, [&](ArrayRef<int64_t> members) {
    Copies blocks;
    for (int64_t member : members)
      blocks.push_back(input[member]);
    return concat(op, axes, dim, blocks);
  });
}

/// The block of `device` along `dim`, padded with ones.
Value CollectiveUnroller::sliceOf(Location loc, Value value, int64_t dim,
                                  const AxisList &axes, int64_t device) {
  auto type = cast<RankedTensorType>(value.getType());
  std::vector<int64_t> parts = devices.sizes(axes);
  Block block =
      blockAt(type.getDimSize(dim), parts,
              delinearize(devices.positionInGroup(device, axes), parts));
  int64_t local = localExtent(type.getDimSize(dim), devices.groupSize(axes));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  SmallVector<int64_t> offsets(type.getRank(), 0);
  Value padded;
  if (block.size < local) {
    sizes[dim] = builder.getIndexAttr(local);
    padded = filled(builder, loc, sizes, type.getElementType(), 1);
    if (block.size == 0)
      return padded;
  }
  sizes[dim] = builder.getIndexAttr(block.size);
  offsets[dim] = block.offset;
  Value valid = extractBlock(builder, loc, value, offsets, sizes);
  offsets[dim] = 0;
  return padded ? insertBlock(builder, loc, valid, padded, offsets) : valid;
}

/// Whether `value` can be cut along `dim`, padding included; reports if not.
LogicalResult CollectiveUnroller::checkCut(Operation *op, const AxisList &axes,
                                           int64_t dim, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.isDynamicDim(dim))
    return notSupported(op)
           << ": dimension " << dim << " of " << type << " has to be static";
  if (type.getDimSize(dim) % devices.groupSize(axes) != 0 &&
      !type.getElementType().isSignlessIntOrIndexOrFloat())
    return notSupported(op)
           << ": it pads elements of type " << type.getElementType();
  return success();
}

FailureOr<Copies> CollectiveUnroller::slice(Operation *op, const AxisList &axes,
                                            int64_t dim, const Copies &input) {
  Copies blocks(input.size());
  for (auto [device, value] : llvm::enumerate(input)) {
    if (!value)
      continue;
    if (failed(checkCut(op, axes, dim, value)))
      return failure();
    blocks[device] = sliceOf(op->getLoc(), value, dim, axes, device);
  }
  return blocks;
}

/// A device receives, from each of its group, the block of its own position.
FailureOr<Copies> CollectiveUnroller::allToAll(AllToAllOp op,
                                               const AxisList &axes,
                                               const Copies &input) {
  int64_t cut = op.getSplitAxis().getSExtValue();
  Copies results(input.size());
  for (int64_t device = 0; device < devices.numDevices(); ++device) {
    if (!input[device])
      continue;
    if (failed(checkCut(op, axes, cut, input[device])))
      return failure();
    Copies received;
    for (int64_t sender : devices.groupMembers(device, axes)) {
      if (!input[sender])
        return lacksMember(op, sender);
      received.push_back(
          sliceOf(op.getLoc(), input[sender], cut, axes, device));
    }
    FailureOr<Value> result =
        concat(op, axes, op.getConcatAxis().getSExtValue(), received);
    if (failed(result))
      return failure();
    results[device] = *result;
  }
  return results;
}

//===----------------------------------------------------------------------===//
// All collectives
//===----------------------------------------------------------------------===//

FailureOr<Copies> CollectiveUnroller::unroll(Operation *op,
                                             const Copies &input) {
  if (!llvm::all_of(input, [](Value value) {
        return !value || isa<RankedTensorType>(value.getType());
      }))
    return notSupported(op) << ": it is not about ranked tensors";
  AxisList axes;
  if (auto named = op->getAttrOfType<GridAxesAttr>("grid_axes"))
    axes.assign(named.asArrayRef().begin(), named.asArrayRef().end());
  auto reduced = [&](auto collective) {
    return reduce(op, axes, collective.getReduction(), input,
                  elementOf(collective.getResult()));
  };
  using Result = FailureOr<Copies>;
  return TypeSwitch<Operation *, Result>(op)
      // What other devices than the root receive is unspecified: here, the
      // same.
      .Case<AllReduceOp, ReduceOp>(reduced)
      .Case([&](ReduceScatterOp scatter) -> Result {
        Result sums = reduced(scatter);
        if (failed(sums))
          return failure();
        return slice(op, axes, scatter.getScatterAxis().getSExtValue(), *sums);
      })
      .Case<AllGatherOp, GatherOp>([&](auto gathering) {
        return gather(op, axes, gathering.getGatherAxis().getSExtValue(),
                      input);
      })
      .Case([&](AllSliceOp slicing) {
        return slice(op, axes, slicing.getSliceAxis().getSExtValue(), input);
      })
      .Case(
          [&](AllToAllOp exchange) { return allToAll(exchange, axes, input); })
      .Case([&](BroadcastOp broadcast) {
        return fromRoot(op, axes, broadcast.getRoot(),
                        broadcast.getRootDynamic(), input);
      })
      .Case([&](ScatterOp scatter) -> Result {
        Result spread = fromRoot(op, axes, scatter.getRoot(),
                                 scatter.getRootDynamic(), input);
        if (failed(spread))
          return failure();
        return slice(op, axes, scatter.getScatterAxis().getSExtValue(),
                     *spread);
      })
      .Case([&](PermuteOp exchange) -> Result {
        return permute(exchange, input);
      })
      .Case([&](RedistributeOp exchange) -> Result {
        return redistribute(exchange, axes, input);
      })
      .Case([&](ShiftOp shifting) { return shift(shifting, axes, input); })
      .Case([&](UpdateHaloOp halo) { return updateHalo(halo, input); })
      .Default([](Operation *other) -> Result { return notSupported(other); });
}
