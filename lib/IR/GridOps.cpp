//===- GridOps.cpp - Grids, process indices, and checks against a grid ----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// Checks against a grid
//===----------------------------------------------------------------------===//

FailureOr<GridOp> checkGrid(Operation *op, FlatSymbolRefAttr symbol,
                            SymbolTableCollection &symbols) {
  GridOp grid = getGrid(op, symbol, symbols);
  // grid_use_c1
  if (!grid)
    return op->emitError() << "Undefined required grid symbol \""
                           << symbol.getValue() << "\".";
  return grid;
}

LogicalResult checkAxes(Operation *op, ArrayRef<GridAxis> axes, GridOp grid) {
  llvm::SmallBitVector seen(grid.getRank());
  // grid_use_c2
  for (GridAxis axis : axes)
    if (axis < 0 || axis >= grid.getRank())
      return op->emitError()
             << "0-based grid axis index " << axis
             << " is out of bounds. The referenced grid \"" << grid.getSymName()
             << "\" is of rank " << grid.getRank() << ".";
  for (GridAxis axis : axes) {
    // grid_use_c3
    if (seen.test(axis))
      return op->emitError() << "Grid axes contains duplicate elements.";
    seen.set(axis);
  }
  return success();
}

FailureOr<GridOp> checkGrid(Operation *op, FlatSymbolRefAttr symbol,
                            ArrayRef<GridAxis> axes,
                            SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid = checkGrid(op, symbol, symbols);
  if (failed(grid) || failed(checkAxes(op, axes, *grid)))
    return failure();
  return grid;
}

int64_t groupSize(GridOp grid, ArrayRef<GridAxis> axes) {
  int64_t size = 1;
  for (GridAxis axis : axes) {
    int64_t extent = grid.getShape()[axis];
    if (ShapedType::isDynamic(extent))
      return ShapedType::kDynamic;
    size *= extent;
  }
  return size;
}

LogicalResult checkSplitAxes(Operation *op, ArrayRef<GridAxesAttr> lists) {
  llvm::SmallDenseSet<GridAxis> seen;
  for (GridAxesAttr list : lists)
    for (GridAxis axis : list.asArrayRef()) {
      // grid_use_c4
      if (axis < 0)
        return op->emitError() << "grid axis is expected to be non-negative";
      // grid_use_c5
      if (!seen.insert(axis).second)
        return op->emitError()
               << "grid axis duplicated: axis " << axis << " stands twice";
    }
  return success();
}

//===----------------------------------------------------------------------===//
// grid
//===----------------------------------------------------------------------===//

void GridOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   ArrayRef<int64_t> shape) {
  build(builder, state, builder.getStringAttr(name),
        builder.getDenseI64ArrayAttr(shape), ArrayAttr(), FlatSymbolRefAttr(),
        DenseF64ArrayAttr(), DenseF64ArrayAttr(), DenseI64ArrayAttr(),
        UnitAttr());
}

std::optional<int16_t> GridOp::axisNumber(AxisRefAttr axis) {
  if (!axis.getName()) {
    if (axis.getNumber() >= getRank())
      return std::nullopt;
    return axis.getNumber();
  }
  ArrayAttr names = getAxisNamesAttr();
  auto *found = names ? llvm::find(names, axis.getName()) : nullptr;
  if (!names || found == names.end())
    return std::nullopt;
  return found - names.begin();
}

std::optional<AxisPart> GridOp::axisPart(AxisRefAttr axis) {
  std::optional<int16_t> number = axisNumber(axis);
  if (!number)
    return std::nullopt;
  if (axis.isSubAxis())
    return AxisPart{*number, axis.getPreSize(), axis.getSubSize()};
  return AxisPart::whole(*number, getShape()[*number]);
}

std::string GridOp::axisName(int64_t axis) {
  if (ArrayAttr names = getAxisNamesAttr())
    return cast<StringAttr>(names[axis]).str();
  return std::to_string(axis);
}

/// `device_ids` name each physical device once.
static LogicalResult checkDeviceIds(GridOp grid, int64_t devices) {
  std::optional<ArrayRef<int64_t>> ids = grid.getDeviceIds();
  if (!ids)
    return success();
  // grid_c16
  if (ShapedType::isDynamicShape(grid.getShape()))
    return grid.emitOpError("has device_ids and an axis of unknown size: give "
                            "every axis a size");
  // grid_c17
  if (grid.getRefinesAttr())
    return grid.emitOpError("has device_ids, but those of a refinement are the "
                            "ids of ")
           << grid.getRefinesAttr() << ", which it refines: state them there";
  // grid_c18
  if (static_cast<int64_t>(ids->size()) != devices)
    return grid.emitOpError("expects one device id per device: ")
           << devices << " devices, " << ids->size() << " ids";
  // grid_c19
  if (devices == 1) {
    if (ids->front() < 0)
      return grid.emitOpError("has a negative device id: ") << ids->front();
    return success();
  }
  std::vector<bool> seen(devices);
  for (auto [position, id] : llvm::enumerate(*ids)) {
    // grid_c20
    if (id < 0 || id >= devices)
      return grid.emitOpError("has device id ")
             << id << " at position " << position << ", but its " << devices
             << " devices are numbered from 0 to " << devices - 1;
    // grid_c21
    if (seen[id])
      return grid.emitOpError("has device id ")
             << id << " twice: each physical device is at one position";
    seen[id] = true;
  }
  return success();
}

LogicalResult GridOp::verify() {
  // grid_c1
  if (getSymName().empty())
    return emitOpError("expects a name that is not empty");
  int64_t rank = getRank();
  // grid_c2
  if (rank <= 0)
    return emitOpError("rank of grid is expected to be a positive integer");
  // grid_c3
  if (rank > std::numeric_limits<GridAxis>::max())
    return emitOpError("rank of grid is expected to fit 16 bits");
  int64_t devices = 1;
  for (int64_t size : getShape()) {
    if (ShapedType::isDynamic(size))
      continue;
    // grid_c4
    if (size <= 0)
      return emitOpError("dimension size of a grid is expected to be positive "
                         "or dynamic, got ")
             << size;
    // grid_c5
    if (llvm::MulOverflow(devices, size, devices))
      return emitOpError("number of devices does not fit 64 bits");
  }
  if (ArrayAttr names = getAxisNamesAttr()) {
    // grid_c6
    if (static_cast<int64_t>(names.size()) != rank)
      return emitOpError("expects one name per axis: ")
             << rank << " axes, " << names.size() << " names";
    llvm::SmallDenseSet<Attribute> seen;
    for (Attribute name : names) {
      // grid_c7
      if (cast<StringAttr>(name).empty())
        return emitOpError("has an axis with an empty name");
      // grid_c8
      if (!seen.insert(name).second)
        return emitOpError("has two axes called ") << name;
    }
  }
  auto checkCosts = [&](StringRef what,
                        std::optional<ArrayRef<double>> values) {
    if (!values)
      return success();
    // grid_c9
    if (static_cast<int64_t>(values->size()) != rank)
      return LogicalResult(emitOpError("expects one ")
                           << what << " per axis: " << rank << " axes, "
                           << values->size() << " numbers");
    // grid_c10
    for (double value : *values)
      if (!(value >= 0) || (what == "bandwidth" && value == 0))
        return LogicalResult(emitOpError("has a ")
                             << what << " that is not positive");
    return success();
  };
  if (failed(checkCosts("latency", getLatency())) ||
      failed(checkCosts("bandwidth", getBandwidth())))
    return failure();
  // grid_c22
  if (getUnevenDynamic() && ShapedType::isDynamicShape(getShape()))
    return emitOpError("has uneven_dynamic and an axis of unknown size, which "
                       "divides every extent: give every axis a size");
  return checkDeviceIds(*this, devices);
}

// The axes of a refinement, read from the outermost, group into the axes of the
// refined grid.
LogicalResult GridOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FlatSymbolRefAttr refines = getRefinesAttr();
  if (!refines)
    return success();
  GridOp coarse = getGrid(*this, refines, symbols);
  // grid_c11
  if (!coarse)
    return emitOpError("refines ") << refines << ", which is not a grid";
  // grid_c12
  if (coarse == *this)
    return emitOpError("refines itself");
  llvm::SmallPtrSet<Operation *, 4> seen;
  for (GridOp next = coarse; next && seen.insert(next).second;
       next = getGrid(next, next.getRefinesAttr(), symbols))
    // grid_c24
    if (next == *this)
      return emitOpError("refines ")
             << refines
             << ", which refines it in turn: the coarsest one refines none";
  // grid_c23
  if (coarse.getUnevenDynamic() != getUnevenDynamic())
    return emitOpError(getUnevenDynamic() ? "states" : "does not state")
           << " uneven_dynamic, unlike " << refines << ", which it refines";
  ArrayRef<int64_t> fine = getShape(), whole = coarse.getShape();
  // grid_c13
  if (ShapedType::isDynamicShape(fine) || ShapedType::isDynamicShape(whole))
    return emitOpError("refines a grid of unknown sizes");
  size_t next = 0;
  for (auto [axis, size] : llvm::enumerate(whole)) {
    int64_t product = 1;
    while (next < fine.size() && (product < size || fine[next] == 1))
      product *= fine[next++];
    // grid_c14
    if (product != size)
      return emitOpError("does not refine ")
             << refines << ": no run of its axes makes up axis " << axis
             << " of size " << size;
  }
  // grid_c15
  if (next != fine.size())
    return emitOpError("has more devices than ") << refines;
  return success();
}

//===----------------------------------------------------------------------===//
// grid_shape, process_multi_index, process_linear_index
//===----------------------------------------------------------------------===//

static LogicalResult checkIndices(Operation *op, FlatSymbolRefAttr symbol,
                                  ArrayRef<GridAxis> axes,
                                  SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid = checkGrid(op, symbol, axes, symbols);
  if (failed(grid))
    return failure();
  size_t expected = axes.empty() ? grid->getRank() : axes.size();
  // grid_use_c6
  if (op->getNumResults() != expected)
    return op->emitError() << "Unexpected number of results "
                           << op->getNumResults() << ". Expected " << expected
                           << ".";
  return success();
}

static void buildIndices(OpBuilder &builder, OperationState &state,
                         StringRef grid, ArrayRef<int16_t> axes,
                         size_t numResults) {
  state.addAttribute("grid",
                     FlatSymbolRefAttr::get(builder.getContext(), grid));
  state.addAttribute("axes", builder.getDenseI16ArrayAttr(axes));
  state.addTypes(SmallVector<Type>(numResults, builder.getIndexType()));
}

void GridShapeOp::build(OpBuilder &builder, OperationState &state,
                        GridOp grid) {
  buildIndices(builder, state, grid.getSymName(), {}, grid.getRank());
}

void GridShapeOp::build(OpBuilder &builder, OperationState &state, GridOp grid,
                        ArrayRef<int16_t> axes) {
  buildIndices(builder, state, grid.getSymName(), axes,
               axes.empty() ? grid.getRank() : axes.size());
}

void GridShapeOp::build(OpBuilder &builder, OperationState &state,
                        StringRef grid, ArrayRef<int16_t> axes) {
  buildIndices(builder, state, grid, axes, axes.size());
}

LogicalResult GridShapeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkIndices(*this, getGridAttr(), getAxes(), symbols);
}

void GridShapeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults())
    setName((*this)->getResult(0), "grid_shape");
}

void ProcessMultiIndexOp::build(OpBuilder &builder, OperationState &state,
                                GridOp grid) {
  buildIndices(builder, state, grid.getSymName(), {}, grid.getRank());
}

void ProcessMultiIndexOp::build(OpBuilder &builder, OperationState &state,
                                StringRef grid, ArrayRef<int16_t> axes) {
  buildIndices(builder, state, grid, axes, axes.size());
}

LogicalResult
ProcessMultiIndexOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkIndices(*this, getGridAttr(), getAxes(), symbols);
}

void ProcessMultiIndexOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults())
    setName((*this)->getResult(0), "proc_linear_idx");
}

void ProcessLinearIndexOp::build(OpBuilder &builder, OperationState &state,
                                 GridOp grid) {
  build(builder, state, builder.getIndexType(), grid.getSymName());
}

LogicalResult
ProcessLinearIndexOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkGrid(*this, getGridAttr(), symbols);
}

void ProcessLinearIndexOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "proc_linear_idx");
}

//===----------------------------------------------------------------------===//
// neighbors_linear_indices
//===----------------------------------------------------------------------===//

LogicalResult
NeighborsLinearIndicesOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getSplitAxes(), symbols);
  if (failed(grid))
    return failure();
  int64_t rank = grid->getRank();
  // neighbors_linear_indices_c1
  if (static_cast<int64_t>(getDevice().size()) != rank)
    return emitOpError("expects one device coordinate per axis of grid @")
           << getGrid() << ": " << rank << ", got " << getDevice().size();
  // neighbors_linear_indices_c2
  if (getSplitAxes().size() != 1)
    return emitOpError("expects one split axis, got ") << getSplitAxes().size();
  for (auto [axis, value] : llvm::enumerate(getDevice())) {
    std::optional<int64_t> coordinate = getConstantIntValue(value);
    int64_t size = grid->getShape()[axis];
    // neighbors_linear_indices_c3
    if (coordinate && (*coordinate < 0 ||
                       (!ShapedType::isDynamic(size) && *coordinate >= size)))
      return emitOpError("device coordinate ")
             << axis << " is " << *coordinate << ", but axis "
             << grid->axisName(axis) << " has size " << size;
  }
  return success();
}

void NeighborsLinearIndicesOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getNeighborDown(), "down_linear_idx");
  setName(getNeighborUp(), "up_linear_idx");
}

} // namespace shard
