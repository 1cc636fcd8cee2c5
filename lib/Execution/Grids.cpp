//===- Grids.cpp - The grid that a program runs on ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/Hints.h"

#include "OptionLoc.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace shard;
using namespace shard::execution;

using Reached = llvm::SetVector<Operation *>;

/// Adds to `reached` what its ops name, directly or through one another. False where an op
/// may name anything.
static bool reachAll(ModuleOp module, Reached &reached) {
  SymbolTable symbols(module);
  for (size_t next = 0; next < reached.size(); ++next) {
    auto uses = SymbolTable::getSymbolUses(reached[next]);
    if (!uses)
      return false;
    for (const SymbolTable::SymbolUse &use : *uses)
      if (Operation *target =
              symbols.lookup(use.getSymbolRef().getRootReference().getValue()))
        reached.insert(target);
  }
  return true;
}

void shard::dropOtherFunctions(ModuleOp module, func::FuncOp entry) {
  Reached reached;
  reached.insert(entry);
  for (Operation &op : module.getOps())
    if (!isa<func::FuncOp, GridOp>(op))
      reached.insert(&op);
  if (!reachAll(module, reached))
    return;
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!reached.contains(function))
      function.erase();
}

/// The grids of `module` that refine no other and that `entry`, or any function
/// where it is null, names: directly, through what it calls, or through a grid
/// that refines them. All of them where nothing names any.
static SmallVector<GridOp> usedGrids(ModuleOp module, func::FuncOp entry) {
  SmallVector<GridOp> all;
  for (auto grid : module.getOps<GridOp>())
    if (!grid.getRefines())
      all.push_back(grid);
  if (all.size() < 2)
    return all;
  Reached reached;
  if (entry)
    reached.insert(entry);
  else
    for (auto function : module.getOps<func::FuncOp>())
      reached.insert(function);
  if (!reachAll(module, reached))
    return all;
  SmallVector<GridOp> used;
  llvm::copy_if(all, std::back_inserter(used),
                [&](GridOp grid) { return reached.contains(grid); });
  return used.empty() ? all : used;
}

FailureOr<GridOp> shard::findGrid(ModuleOp module, func::FuncOp entry) {
  SmallVector<GridOp> grids = usedGrids(module, entry);
  if (grids.empty())
    return GridOp();
  GridOp first = grids.front();
  SymbolTableCollection symbols;
  auto devices = [](GridOp grid) {
    FailureOr<Grid> sizes = staticGrid(grid);
    return succeeded(sizes) ? sizes->numDevices() : int64_t(-1);
  };
  for (GridOp grid : llvm::drop_begin(grids)) {
    bool sameNumber = devices(grid) == devices(first) && devices(grid) > 0;
    if (sameNumber && deviceIdsOf(grid, symbols) == deviceIdsOf(first, symbols))
      continue;
    InFlightDiagnostic diagnostic =
        grid.emitError() << "is used, and so is grid @" << first.getSymName();
    if (sameNumber)
      diagnostic << ", which has other device_ids: in a run, a position is the "
                    "same physical device on every grid";
    else
      diagnostic << ", which has another number of devices: a run has one "
                    "number of devices";
    diagnostic.attachNote(first.getLoc()) << "the other grid is here";
    return failure();
  }
  return first;
}

/// A run takes at most so many devices, each a thread or a process.
static constexpr int64_t kMostDevices = 1024;

/// Gives the grid of `module`, or a new @grid, the shape `shape`. What else it says of
/// its axes is dropped if there are fewer or more now, and its device ids if there are
/// fewer or more devices, with a warning at `location`. No warning tells of names if the
/// caller gives new ones (`isNamed`).
static FailureOr<GridOp> reshapeGrid(ModuleOp module, ArrayRef<int64_t> shape,
                                     bool isNamed, Location location) {
  SmallVector<GridOp> grids = usedGrids(module, /*entry=*/{});
  if (grids.size() > 1) {
    InFlightDiagnostic diagnostic =
        emitError(location)
        << "gives one grid a shape, and the program uses @"
        << grids[0].getSymName() << " and @" << grids[1].getSymName()
        << ": change their shapes in the program";
    for (GridOp grid : grids)
      diagnostic.attachNote(grid.getLoc()) << "a grid that is used";
    return failure();
  }
  FailureOr<GridOp> grid = findGrid(module);
  if (failed(grid))
    return failure();
  if (!*grid) {
    if (Operation *other = module.lookupSymbol("grid"))
      return other->emitError()
             << "has the name of the grid that --grid creates";
    OpBuilder builder(module.getContext());
    builder.setInsertionPointToStart(module.getBody());
    return GridOp::create(builder, module.getLoc(), "grid", shape);
  }
  if ((*grid).getRank() != static_cast<int64_t>(shape.size())) {
    if (((*grid).getAxisNames() && !isNamed) || (*grid).getLatency() ||
        (*grid).getBandwidth())
      emitWarning(location)
          << "has " << shape.size() << " axes, and @" << (*grid).getSymName()
          << " in the program has " << (*grid).getRank()
          << ": names, latencies and bandwidths of its axes do not apply and "
             "are dropped; axes are named by numbers";
    (*grid).removeAxisNamesAttr();
    (*grid).removeLatencyAttr();
    (*grid).removeBandwidthAttr();
  }
  int64_t devices = Grid{shape.vec()}.numDevices();
  if (auto ids = (*grid).getDeviceIds();
      ids && static_cast<int64_t>(ids->size()) != devices) {
    emitWarning(location) << "has " << devices << " devices, and @"
                          << (*grid).getSymName() << " in the program has "
                          << ids->size()
                          << ": its device_ids do not apply and are dropped";
    (*grid).removeDeviceIdsAttr();
  }
  (*grid).setShape(shape);
  return grid;
}

LogicalResult shard::setGrid(ModuleOp module, StringRef text) {
  MLIRContext *context = module.getContext();
  auto error = [&](size_t offset) {
    return emitError(optionLoc(context, "--grid", text, offset));
  };
  SmallVector<int64_t> shape;
  int64_t devices = 1;
  StringRef rest = text;
  while (true) {
    auto [size, tail] = rest.split('x');
    int64_t extent;
    size_t offset = size.data() - text.data();
    if (size.getAsInteger(10, extent) || extent < 1)
      return error(offset) << "'" << size
                           << "' is no axis size; write sizes of at least 1 "
                              "separated by 'x', such as 2x4";
    if (extent > kMostDevices || devices * extent > kMostDevices)
      return error(offset) << "a run takes at most " << kMostDevices
                           << " devices";
    devices *= extent;
    shape.push_back(extent);
    if (rest.size() == size.size())
      break;
    rest = tail;
  }
  return reshapeGrid(module, shape, /*isNamed=*/false,
                     optionLoc(context, "--grid", text, 0));
}

LogicalResult shard::setGrid(ModuleOp module, ArrayRef<int64_t> shape,
                             ArrayRef<std::string> axisNames) {
  int64_t devices = 1;
  for (int64_t size : shape) {
    if (size < 1 || size > kMostDevices || (devices *= size) > kMostDevices)
      return emitError(module.getLoc())
             << "a grid has axes of at least 1 device and at most "
             << kMostDevices << " devices in all";
  }
  FailureOr<GridOp> grid =
      reshapeGrid(module, shape, !axisNames.empty(), module.getLoc());
  if (failed(grid))
    return failure();
  if (!axisNames.empty()) {
    SmallVector<StringRef> names(axisNames.begin(), axisNames.end());
    OpBuilder builder(module.getContext());
    (*grid).setAxisNamesAttr(builder.getStrArrayAttr(names));
  }
  return mlir::verify(*grid);
}

LogicalResult shard::setUnevenDynamic(ModuleOp module) {
  bool any = false;
  for (auto grid : module.getOps<GridOp>()) {
    grid.setUnevenDynamic(true);
    any = true;
  }
  if (!any)
    return emitError(optionLoc(module.getContext(), "--uneven-dynamic", "", 0))
           << "is about the grids of a program, which has none; add --grid";
  return mlir::verify(module);
}
