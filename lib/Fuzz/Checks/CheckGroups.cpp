//===- CheckGroups.cpp - Groups of physical devices -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckGroups.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Transforms.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

using Numbers = std::vector<int64_t>;

namespace {

/// A device as the text says: its coordinates and its physical number.
struct Place {
  Numbers coordinates;
  int64_t id;

  /// Its number along `axes`, the last one fastest.
  int64_t number(ArrayRef<GridAxis> axes, ArrayRef<int64_t> shape) const {
    int64_t result = 0;
    for (GridAxis axis : axes)
      result = result * shape[axis] + coordinates[axis];
    return result;
  }
  /// Its coordinates on other axes than these.
  Numbers outside(ArrayRef<GridAxis> axes) const {
    Numbers result;
    for (auto [axis, coordinate] : llvm::enumerate(coordinates))
      if (!llvm::is_contained(axes, GridAxis(axis)))
        result.push_back(coordinate);
    return result;
  }
};

class GroupCheck {
public:
  explicit GroupCheck(ModuleOp module) : module(module) {}

  std::string run() {
    std::string wrong;
    module.walk([&](Operation *op) {
      if (!wrong.empty() || !isCollective(op) || isa<AllSliceOp>(op))
        return;
      wrong = check(op);
      if (!wrong.empty())
        wrong = "shard-assign-groups, on a " +
                op->getName().getStringRef().str() + ": " + wrong;
    });
    return wrong;
  }

private:
  /// The grid called `name`, by a search.
  GridOp gridOf(StringRef name) {
    for (auto grid : module.getOps<GridOp>())
      if (grid.getSymName() == name)
        return grid;
    return {};
  }

  std::vector<Place> placesOf(GridOp grid) {
    GridOp base = grid;
    while (std::optional<StringRef> coarse = base.getRefines())
      base = gridOf(*coarse);
    std::optional<ArrayRef<int64_t>> ids = base.getDeviceIds();
    std::vector<Place> places = {{{}, 0}};
    for (int64_t size : grid.getShape()) {
      std::vector<Place> next;
      for (const Place &place : places)
        for (int64_t i = 0; i < size; ++i) {
          next.push_back(place);
          next.back().coordinates.push_back(i);
        }
      places = std::move(next);
    }
    for (auto [position, place] : llvm::enumerate(places))
      place.id = ids ? (*ids)[position] : int64_t(position);
    return places;
  }

  std::string check(Operation *op) {
    GridOp grid =
        gridOf(op->getAttrOfType<FlatSymbolRefAttr>("grid").getValue());
    bool isMessages = isa<ShiftOp, PermuteOp>(op);
    auto rows = op->getAttrOfType<DenseIntElementsAttr>(
        isMessages ? "source_target_pairs" : "replica_groups");
    if (!rows || rows.getType().getRank() != 2)
      return "no groups";
    places = placesOf(grid);
    shape = grid.getShape();
    std::set<Numbers> written;
    Numbers row;
    for (int64_t number : rows.getValues<int64_t>()) {
      row.push_back(number);
      if (int64_t(row.size()) != rows.getType().getDimSize(1))
        continue;
      if (!written.insert(row).second)
        return "a row twice";
      row.clear();
    }
    if (auto shift = dyn_cast<ShiftOp>(op))
      return written == messagesOf(shift) ? "" : "other messages";
    if (auto permute = dyn_cast<PermuteOp>(op))
      return checkPermute(permute, written);
    SmallVector<GridAxis> axes;
    if (auto halo = dyn_cast<UpdateHaloOp>(op))
      for (DenseI16ArrayAttr list : halo.getSplitAxes())
        llvm::append_range(axes, list.asArrayRef());
    else
      llvm::append_range(
          axes, op->getAttrOfType<DenseI16ArrayAttr>("grid_axes").asArrayRef());
    std::map<Numbers, std::map<int64_t, int64_t>> groups;
    for (const Place &place : places)
      groups[place.outside(axes)][place.number(axes, shape)] = place.id;
    std::set<Numbers> wanted;
    for (const auto &[key, members] : groups) {
      Numbers group;
      for (const auto &[position, id] : members)
        group.push_back(id);
      wanted.insert(group);
    }
    return written == wanted ? "" : "other groups";
  }

  std::set<Numbers> messagesOf(ShiftOp op) {
    SmallVector<GridAxis> axes(op.getShiftAxes());
    int64_t count = 1;
    for (GridAxis axis : axes)
      count *= shape[axis];
    std::set<Numbers> messages;
    for (const Place &target : places)
      for (const Place &source : places) {
        if (source.outside(axes) != target.outside(axes))
          continue;
        int64_t to = target.number(axes, shape);
        int64_t from = source.number(axes, shape);
        int64_t gap =
            int64_t(op.getOffset()) - (op.getMirror() ? to + from : to - from);
        if (op.getRotate() ? gap % count == 0 : gap == 0)
          messages.insert({source.id, target.id});
      }
    return messages;
  }

  /// Who had a number along the one list sends to one who has it along the other, in the
  /// same place on all other axes, and each device sends and receives once.
  std::string checkPermute(PermuteOp op, const std::set<Numbers> &written) {
    SmallVector<GridAxis> both(op.getFromAxes());
    llvm::append_range(both, op.getToAxes());
    std::map<int64_t, const Place *> byId;
    for (const Place &place : places)
      byId[place.id] = &place;
    std::set<int64_t> senders, receivers;
    for (const Numbers &message : written) {
      const Place *from = byId[message[0]], *to = byId[message[1]];
      if (!from || !to)
        return "a message of no device";
      senders.insert(message[0]);
      receivers.insert(message[1]);
      if (from->outside(both) != to->outside(both) ||
          from->number(op.getFromAxes(), shape) !=
              to->number(op.getToAxes(), shape))
        return "a message to another device than the permute sends to";
    }
    bool complete = senders.size() == places.size() &&
                    receivers.size() == places.size() &&
                    written.size() == places.size();
    return complete ? "" : "not one message from and to each device";
  }

  ModuleOp module;
  std::vector<Place> places;
  ArrayRef<int64_t> shape;
};

} // namespace

std::string shard::fuzz::checkGroups(ModuleOp partitioned) {
  OwningOpRef<ModuleOp> module = partitioned.clone();
  if (failed(assignGroups(*module)))
    return "shard-assign-groups fails";
  return GroupCheck(*module).run();
}
