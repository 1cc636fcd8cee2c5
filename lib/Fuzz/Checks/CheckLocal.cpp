//===- CheckLocal.cpp - Local types and kept hints -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckLocal.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace shard;

namespace {

/// What partition recorded of an argument or result.
struct Recorded {
  Grid grid;
  Sharding sharding;
};

/// A hint, on the grid that the user wrote.
struct Hint {
  Grid grid;
  ResolvedSharding sharding;
};

} // namespace

/// The axes of each device in `axes`, one number, outermost first.
static std::vector<int64_t> positions(const Grid &grid,
                                      ArrayRef<AxisPart> axes) {
  std::vector<int64_t> result;
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    std::vector<int64_t> coordinates = grid.coordinates(device);
    int64_t position = 0;
    for (const AxisPart &axis : axes) {
      int64_t inside = grid.shape[axis.axis] / (axis.preSize * axis.size);
      position =
          position * axis.size + coordinates[axis.axis] / inside % axis.size;
    }
    result.push_back(position);
  }
  return result;
}

static std::vector<int64_t> positions(const Grid &grid, const AxisList &axes) {
  std::vector<int64_t> result;
  for (int64_t device = 0; device < grid.numDevices(); ++device)
    result.push_back(grid.positionInGroup(device, axes));
  return result;
}

/// Whether devices that agree in one agree in the other: the same axes in some
/// order.
static bool sameGroups(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  DenseMap<int64_t, int64_t> forth, back;
  for (auto [x, y] : llvm::zip_equal(a, b))
    if (forth.try_emplace(x, y).first->second != y ||
        back.try_emplace(y, x).first->second != x)
      return false;
  return true;
}

/// Whether `a` follows from `b` for every device.
static bool isFunctionOf(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  DenseMap<int64_t, int64_t> known;
  for (auto [x, y] : llvm::zip_equal(a, b))
    if (known.try_emplace(y, x).first->second != x)
      return false;
  return true;
}

/// The axes that `axes` leaves out.
static std::vector<int64_t> positionsOutside(const Grid &grid,
                                             ArrayRef<AxisPart> axes) {
  std::vector<int64_t> result;
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    std::vector<int64_t> coordinates = grid.coordinates(device);
    for (const AxisPart &axis : axes) {
      int64_t inside = grid.shape[axis.axis] / (axis.preSize * axis.size);
      int64_t digit = coordinates[axis.axis] / inside % axis.size;
      coordinates[axis.axis] -= digit * inside;
    }
    result.push_back(grid.device(coordinates));
  }
  return result;
}

/// Halos or explicit bounds, `count(dim)` numbers for each dimension that is
/// split, by dimension.
static std::vector<std::vector<int64_t>>
byDimension(ArrayRef<int64_t> numbers, size_t rank,
            llvm::function_ref<size_t(size_t)> count) {
  std::vector<std::vector<int64_t>> result(rank);
  for (size_t dim = 0; dim < rank && !numbers.empty(); ++dim) {
    result[dim] = numbers.take_front(count(dim)).vec();
    numbers = numbers.drop_front(count(dim));
    if (llvm::all_of(result[dim], [](int64_t number) { return number == 0; }))
      result[dim].clear();
  }
  return result;
}

/// Whether blocks have the halos and the explicit bounds that `hint` asks for.
static bool sameLayout(const Hint &hint, const Recorded &recorded) {
  const ResolvedSharding &asked = hint.sharding;
  const Sharding &got = recorded.sharding;
  size_t rank = got.dims.size();
  auto askedParts = [&](size_t dim) {
    int64_t parts = 1;
    for (const AxisPart &axis : asked.dims[dim].axes)
      parts *= axis.size;
    return parts;
  };
  auto askedHalos = [&](size_t dim) {
    return asked.dims[dim].axes.empty() ? 0 : 2;
  };
  auto askedBounds = [&](size_t dim) {
    return asked.dims[dim].axes.empty() ? 0 : askedParts(dim) + 1;
  };
  auto gotHalos = [&](size_t dim) { return got.dims[dim].empty() ? 0 : 2; };
  auto gotBounds = [&](size_t dim) {
    return got.dims[dim].empty() ? 0
                                 : recorded.grid.groupSize(got.dims[dim]) + 1;
  };
  return byDimension(asked.halos, rank, askedHalos) ==
             byDimension(got.halos, rank, gotHalos) &&
         byDimension(asked.offsets, rank, askedBounds) ==
             byDimension(got.offsets, rank, gotBounds);
}

/// What of `hint` is not in `recorded`, in words.
static std::string broken(const Hint &hint, const Recorded &recorded) {
  for (auto [dim, axes] : llvm::enumerate(hint.sharding.dims))
    if (!axes.open && positions(hint.grid, axes.axes) !=
                          positions(recorded.grid, recorded.sharding.dims[dim]))
      return "its hint is closed in dimension " + std::to_string(dim);
  // What an open hint leaves to say may be said elsewhere.
  bool open = llvm::any_of(hint.sharding.dims,
                           [](const ResolvedDim &dim) { return dim.open; });
  bool laidOut = !hint.sharding.halos.empty() || !hint.sharding.offsets.empty();
  if ((laidOut || !open) && !sameLayout(hint, recorded))
    return "its hint asks for other halos or bounds";
  std::vector<int64_t> rest =
      positionsOutside(hint.grid, hint.sharding.replicated);
  for (const AxisList &axes : recorded.sharding.dims)
    if (!isFunctionOf(positions(recorded.grid, axes), rest))
      return "it depends on an axis that its hint replicates over";
  if (!isFunctionOf(positions(recorded.grid, recorded.sharding.partial), rest))
    return "it is partial along an axis that its hint replicates over";
  if (!sameGroups(positions(hint.grid, hint.sharding.partial),
                  positions(recorded.grid, recorded.sharding.partial)))
    return "its hint says otherwise along which axes it is partial";
  if (!recorded.sharding.partial.empty() &&
      recorded.sharding.reduction != hint.sharding.reduction)
    return "its hint has another kind of reduction";
  return {};
}

static FailureOr<Recorded> readRecorded(func::FuncOp function,
                                        LocalAttr local) {
  SymbolTableCollection symbols;
  GridOp grid = getGrid(function, local.getSharding().getGrid(), symbols);
  if (!grid)
    return failure();
  FailureOr<Grid> shape = staticGrid(grid);
  FailureOr<ResolvedSharding> resolved =
      resolve(local.getSharding(), grid, local.getType(),
              [&]() { return function.emitError(); });
  if (failed(shape) || failed(resolved))
    return failure();
  FailureOr<Sharding> sharding = toSharding(*resolved);
  if (failed(sharding))
    return failure();
  return Recorded{*shape, *sharding};
}

static FailureOr<Hint> readHint(func::FuncOp function, ShardingAttr hint,
                                Type type) {
  SymbolTableCollection symbols;
  GridOp grid = getGrid(function, hint.getGrid(), symbols);
  if (!grid)
    return failure();
  FailureOr<Grid> shape = staticGrid(grid);
  FailureOr<ResolvedSharding> resolved =
      resolve(hint, grid, type, [&]() { return function.emitError(); });
  if (failed(shape) || failed(resolved))
    return failure();
  return Hint{*shape, *resolved};
}

/// One argument or result: `type` and `local` are those of the partitioned
/// program, `global` and `hint` those of `original`, the function that it was
/// made of; null where that is not known. `mayBePartial`: without a hint of its own.
static std::string checkOne(func::FuncOp function, Type type, LocalAttr local,
                            func::FuncOp original, Type global,
                            ShardingAttr hint, bool mayBePartial) {
  FailureOr<Recorded> recorded = failure();
  if (local) {
    recorded = readRecorded(function, local);
    if (failed(recorded))
      return "states a sharding that cannot be resolved";
    auto tensor = cast<RankedTensorType>(local.getType());
    RankedTensorType expected =
        localType(tensor, recorded->grid, recorded->sharding);
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (expected != type)
      stream << "has type " << type << " where its sharding says " << expected;
    else if (global && global != tensor)
      stream << "was made of " << global << " and states " << tensor;
    if (!text.empty())
      return text;
  }
  auto tensor = dyn_cast_if_present<RankedTensorType>(global);
  if (!tensor)
    return {};
  if (!local && global != type)
    return "has a local type and states no sharding";
  if (!hint) {
    bool partial = local && !recorded->sharding.partial.empty();
    return partial && !mayBePartial ? "is partial, which no hint asks for" : "";
  }
  FailureOr<Hint> wanted = readHint(original, hint, global);
  if (failed(wanted))
    return {};
  if (!local)
    recorded = Recorded{wanted->grid, Sharding::replicated(tensor.getRank())};
  std::string what = broken(*wanted, *recorded);
  if (what.empty())
    return {};
  return "is sharded " + toString(recorded->sharding) + ", but " + what;
}

std::string shard::fuzz::checkLocal(ModuleOp original, ModuleOp partitioned) {
  // A group asks for what the hint of another member asks for; an argument may
  // get what the program says of it elsewhere, the result of a function what the
  // program says of a call's.
  bool groups = false, hints = false;
  llvm::StringSet<> called;
  original.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op))
      called.insert(call.getCallee());
    groups |= isa<GroupOp>(op);
    auto sharding = dyn_cast<ShardingOp>(op);
    hints |= isa<ConstraintOp>(op) || op->hasAttr(kShardingAttrName) ||
             (sharding && sharding.getPartialAttr());
  });
  std::string error;
  auto tell = [&](StringRef what, unsigned number, func::FuncOp function,
                  StringRef problem) {
    if (error.empty() && !problem.empty())
      error = (what + " " + llvm::Twine(number) + " of '" + function.getName() +
               "' " + problem)
                  .str();
  };
  for (auto function : partitioned.getOps<func::FuncOp>()) {
    // Private functions may be copies for some of their calls.
    func::FuncOp from;
    if (function.isPublic())
      from = original.lookupSymbol<func::FuncOp>(function.getName());
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      tell("argument", i, function,
           checkOne(
               function, function.getArgumentTypes()[i],
               function.getArgAttrOfType<LocalAttr>(i, kLocalAttrName), from,
               from ? from.getArgumentTypes()[i] : Type(),
               from ? from.getArgAttrOfType<ShardingAttr>(i, kShardingAttrName)
                    : ShardingAttr(),
               groups || hints));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      tell("result", i, function,
           checkOne(function, function.getResultTypes()[i],
                    function.getResultAttrOfType<LocalAttr>(i, kLocalAttrName),
                    from, from ? from.getResultTypes()[i] : Type(),
                    from ? from.getResultAttrOfType<ShardingAttr>(
                               i, kShardingAttrName)
                         : ShardingAttr(),
                    groups || (hints && called.contains(function.getName()))));
  }
  return error;
}
