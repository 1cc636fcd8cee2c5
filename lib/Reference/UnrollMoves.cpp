//===- UnrollMoves.cpp - Values that go to another device -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnrollCollectives.h"

#include "shard/Geometry/Sharding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shard;
using namespace shard::reference;

/// The position in the group of `device` that coordinates name.
FailureOr<Place> CollectiveUnroller::placeAt(Operation *op,
                                             const AxisList &axes,
                                             ArrayRef<int64_t> coordinates,
                                             ValueRange dynamicCoordinates,
                                             int64_t device) {
  Location loc = op->getLoc();
  if (coordinates.size() != axes.size())
    return notSupported(op) << ": it has to name one coordinate per axis";
  Value position = arith::ConstantIndexOp::create(builder, loc, 0);
  size_t nextDynamic = 0;
  for (auto [coordinate, size] :
       llvm::zip_equal(coordinates, devices.sizes(axes))) {
    Value at =
        ShapedType::isDynamic(coordinate)
            ? operandOn(dynamicCoordinates[nextDynamic++], device)
            : Value(arith::ConstantIndexOp::create(builder, loc, coordinate));
    APInt known;
    if (matchPattern(at, m_ConstantInt(&known)) &&
        (known.isNegative() || known.getSExtValue() >= size))
      return op->emitOpError("names coordinate ")
             << known.getSExtValue() << " of an axis of " << size << " devices";
    Value extent = arith::ConstantIndexOp::create(builder, loc, size);
    position = builder.createOrFold<arith::MulIOp>(loc, position, extent);
    position = builder.createOrFold<arith::AddIOp>(loc, position, at);
  }
  return Place{getAsOpFoldResult(position)};
}

/// The input of the device at in-group coordinates `root`, on all of the group.
FailureOr<Copies> CollectiveUnroller::fromRoot(Operation *op,
                                               const AxisList &axes,
                                               ArrayRef<int64_t> root,
                                               ValueRange dynamicRoot,
                                               const Copies &input) {
  return perGroup(
      op, axes, input, [&](ArrayRef<int64_t> members) -> FailureOr<Value> {
        FailureOr<Place> place =
            placeAt(op, axes, root, dynamicRoot, members.front());
        if (failed(place))
          return failure();
        if (std::optional<int64_t> position = place->known())
          return input[members[*position]];
        Location loc = op->getLoc();
        Value result = input[members.front()];
        for (auto [position, member] : llvm::enumerate(members)) {
          Value own = arith::ConstantIndexOp::create(builder, loc, position);
          Value is =
              arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                    cast<Value>(place->position), own);
          result =
              arith::SelectOp::create(builder, loc, is, input[member], result);
        }
        return result;
      });
}

FailureOr<Copies> CollectiveUnroller::message(Operation *op,
                                              const Copies &input,
                                              Messages &messages,
                                              int64_t event) {
  auto named = op->getAttrOfType<GridAxesAttr>("grid_axes");
  AxisList axes(named.asArrayRef().begin(), named.asArrayRef().end());
  // Messages along the same axes meet, whatever op sends them.
  auto group = ArrayAttr::get(op->getContext(), {op->getAttr("grid"), named});
  auto send = dyn_cast<SendOp>(op);
  auto recv = dyn_cast<RecvOp>(op);
  Copies results(input.size());
  for (auto [device, value] : llvm::enumerate(input)) {
    if (!value)
      continue;
    std::vector<int64_t> members = devices.groupMembers(device, axes);
    std::optional<Place> place;
    if (send || recv.getSource()) {
      FailureOr<Place> given =
          placeAt(op, axes, send ? send.getDestination() : *recv.getSource(),
                  send ? send.getDestinationDynamic() : recv.getSourceDynamic(),
                  device);
      if (failed(given))
        return failure();
      place = *given;
    }
    if (send) {
      messages.send(group, event, device, members, *place, value);
      results[device] = value;
      continue;
    }
    FailureOr<Value> received =
        messages.receive(op, group, device, members, place);
    if (failed(received))
      return failure();
    results[device] = *received;
  }
  return results;
}

/// `axes` without those of `others`.
static AxisList without(const AxisList &axes, const AxisList &others) {
  AxisList rest;
  for (GridAxis axis : axes)
    if (!llvm::is_contained(others, axis))
      rest.push_back(axis);
  return rest;
}

FailureOr<Copies> CollectiveUnroller::permute(PermuteOp op,
                                              const Copies &input) {
  AxisList from(op.getFromAxes().begin(), op.getFromAxes().end());
  AxisList to(op.getToAxes().begin(), op.getToAxes().end());
  AxisList onlyFrom = without(from, to), onlyTo = without(to, from);
  Copies results(input.size());
  for (int64_t device = 0; device < devices.numDevices(); ++device) {
    if (!input[device])
      continue;
    std::vector<int64_t> source = devices.coordinates(device);
    auto set = [&](const AxisList &axes, int64_t position) {
      std::vector<int64_t> at = delinearize(position, devices.sizes(axes));
      for (auto [axis, coordinate] : llvm::zip_equal(axes, at))
        source[axis] = coordinate;
    };
    set(from, devices.positionInGroup(device, to));
    set(onlyTo, devices.positionInGroup(device, onlyFrom));
    int64_t sender = devices.device(source);
    if (!input[sender])
      return lacksMember(op, sender);
    results[device] = input[sender];
  }
  return results;
}

/// The blocks of the group are put into one tensor, from which all are cut. Where
/// several devices have a block it is the same on all of them.
FailureOr<Copies> CollectiveUnroller::redistribute(RedistributeOp op,
                                                   const AxisList &axes,
                                                   const Copies &input) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  std::vector<int64_t> extents(op.getExtents());
  auto shardingOf = [&](GridAxesArrayAttr lists) {
    Sharding sharding = Sharding::replicated(int64_t(extents.size()));
    for (auto [dim, list] : llvm::enumerate(lists))
      sharding.dims[dim].assign(list.asArrayRef().begin(),
                                list.asArrayRef().end());
    return sharding;
  };
  Sharding from = shardingOf(op.getFrom()), to = shardingOf(op.getTo());
  auto indices = [&](ArrayRef<int64_t> numbers) {
    return llvm::to_vector(llvm::map_range(numbers, [&](int64_t number) {
      return OpFoldResult(builder.getIndexAttr(number));
    }));
  };
  // The elements of a block: where they begin, and how many there are.
  using Box = std::pair<SmallVector<int64_t>, SmallVector<int64_t>>;
  auto boxOf = [&](const Sharding &sharding, int64_t device) {
    Box box;
    for (const Block &block : localBlocks(devices, extents, sharding, device)) {
      box.first.push_back(block.offset);
      box.second.push_back(block.size);
    }
    return box;
  };
  SmallVector<int64_t> zeros(extents.size(), 0);
  Copies results(input.size());
  FailureOr<Copies> wholes = perGroup(
      op, axes, input, [&](ArrayRef<int64_t> members) -> FailureOr<Value> {
        Value whole =
            filled(builder, loc, indices(extents), type.getElementType(), 1);
        for (int64_t member : members) {
          auto [offsets, sizes] = boxOf(from, member);
          if (llvm::is_contained(sizes, 0))
            continue;
          Value valid =
              extractBlock(builder, loc, input[member], zeros, indices(sizes));
          whole = insertBlock(builder, loc, valid, whole, offsets);
        }
        return whole;
      });
  if (failed(wholes))
    return failure();
  for (auto [device, whole] : llvm::enumerate(*wholes)) {
    if (!whole)
      continue;
    auto [offsets, sizes] = boxOf(to, device);
    results[device] = filled(builder, loc, indices(type.getShape()),
                             type.getElementType(), 1);
    if (llvm::is_contained(sizes, 0))
      continue;
    Value block = extractBlock(builder, loc, whole, offsets, indices(sizes));
    results[device] = insertBlock(builder, loc, block, results[device], zeros);
  }
  return results;
}

/// Where there is no source, the result is the device's own input.
FailureOr<Copies> CollectiveUnroller::shift(ShiftOp op, const AxisList &axes,
                                            const Copies &input) {
  SmallVector<GridAxis> along = op.getShiftAxes();
  std::vector<int64_t> sizes;
  int64_t size = 1;
  for (GridAxis axis : along) {
    if (!llvm::is_contained(axes, axis))
      return notSupported(op) << ": it shifts along an axis that is not one of "
                                 "its grid_axes";
    sizes.push_back(devices.shape[axis]);
    size *= sizes.back();
  }
  // Further away than 2 * size nothing is there; less does not overflow.
  int64_t offset =
      op.getRotate() ? int64_t(op.getOffset()) % size
                     : std::clamp<int64_t>(op.getOffset(), -2 * size, 2 * size);
  Copies results(input.size());
  for (int64_t device = 0; device < devices.numDevices(); ++device) {
    if (!input[device])
      continue;
    std::vector<int64_t> source = devices.coordinates(device);
    int64_t here = 0;
    for (auto [axis, extent] : llvm::zip_equal(along, sizes))
      here = here * extent + source[axis];
    int64_t at = op.getMirror() ? offset - here : here - offset;
    bool exists = op.getRotate() || (at >= 0 && at < size);
    std::vector<int64_t> there = delinearize((at % size + size) % size, sizes);
    for (auto [axis, coordinate] : llvm::zip_equal(along, there))
      source[axis] = coordinate;
    int64_t sender = exists ? devices.device(source) : device;
    if (!input[sender])
      return lacksMember(op, sender);
    results[device] = input[sender];
  }
  return results;
}
