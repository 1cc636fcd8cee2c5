//===- ShardingOps.cpp - Ops that say how values are spread ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// sharding
//===----------------------------------------------------------------------===//

void ShardingOp::build(OpBuilder &builder, OperationState &state,
                       FlatSymbolRefAttr grid, ArrayRef<GridAxesAttr> splitAxes,
                       ArrayRef<int64_t> halos, ArrayRef<int64_t> offsets,
                       PartialAxesAttr partial) {
  build(builder, state, ShardingType::get(builder.getContext()), grid,
        GridAxesArrayAttr::get(builder.getContext(), splitAxes), partial,
        builder.getDenseI64ArrayAttr(offsets), ValueRange(),
        builder.getDenseI64ArrayAttr(halos), ValueRange());
}

void ShardingOp::build(OpBuilder &builder, OperationState &state,
                       FlatSymbolRefAttr grid, ArrayRef<GridAxesAttr> splitAxes,
                       ArrayRef<OpFoldResult> halos,
                       ArrayRef<OpFoldResult> offsets,
                       PartialAxesAttr partial) {
  SmallVector<int64_t> staticHalos, staticOffsets;
  SmallVector<Value> dynamicHalos, dynamicOffsets;
  dispatchIndexOpFoldResults(halos, dynamicHalos, staticHalos);
  dispatchIndexOpFoldResults(offsets, dynamicOffsets, staticOffsets);
  build(builder, state, ShardingType::get(builder.getContext()), grid,
        GridAxesArrayAttr::get(builder.getContext(), splitAxes), partial,
        builder.getDenseI64ArrayAttr(staticOffsets), dynamicOffsets,
        builder.getDenseI64ArrayAttr(staticHalos), dynamicHalos);
}

void ShardingOp::build(OpBuilder &builder, OperationState &state,
                       StringRef grid, ArrayRef<GridAxesAttr> splitAxes,
                       ArrayRef<int64_t> halos, ArrayRef<int64_t> offsets,
                       PartialAxesAttr partial) {
  build(builder, state, FlatSymbolRefAttr::get(builder.getContext(), grid),
        splitAxes, halos, offsets, partial);
}

void ShardingOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "sharding");
}

static LogicalResult checkDynamicCount(Operation *op, StringRef what,
                                       ArrayRef<int64_t> statics,
                                       ValueRange dynamics) {
  if (llvm::count(statics, ShapedType::kDynamic) ==
      static_cast<int64_t>(dynamics.size()))
    return success();
  // sharding_c1
  return op->emitOpError("expects one SSA value per '?' of ") << what;
}

LogicalResult ShardingOp::verify() {
  // sharding_c2
  if (getSplitAxes().size() == 0)
    return emitOpError(
        "expects at least one list of axes, [[]] if none splits");
  if (failed(checkSplitAxes(*this, getSplitAxes().getAxes())))
    return failure();
  if (PartialAxesAttr partial = getPartialAttr())
    // sharding_c3
    for (GridAxis axis : partial.getAxes())
      for (auto [dim, list] : llvm::enumerate(getSplitAxes()))
        if (llvm::is_contained(list.asArrayRef(), axis))
          return emitOpError("axis ")
                 << axis << " cannot be partial: it splits dimension " << dim;
  ArrayRef<int64_t> halos = getStaticHaloSizes();
  ArrayRef<int64_t> offsets = getStaticShardedDimsOffsets();
  // sharding_c4
  if (!halos.empty() && !offsets.empty())
    return emitOpError("halo sizes and shard offsets are mutually exclusive");
  if (failed(checkDynamicCount(*this, "halo_sizes", halos,
                               getDynamicHaloSizes())) ||
      failed(checkDynamicCount(*this, "sharded_dims_offsets", offsets,
                               getDynamicShardedDimsOffsets())))
    return failure();
  if (!halos.empty()) {
    size_t split = llvm::count_if(
        getSplitAxes(), [](GridAxesAttr list) { return !list.empty(); });
    // sharding_c5
    if (halos.size() != 2 * split)
      return emitError() << "halo sizes must be specified for all split axes.";
    // sharding_c6
    for (int64_t width : halos)
      if ((width < 0 || width > kMaxHalo) && !ShapedType::isDynamic(width))
        return emitOpError("halo size ")
               << width << (width < 0 ? " is negative" : " is above 2^40");
  }
  return success();
}

// Each split dimension of n blocks has n + 1 offsets, 0 first, never
// decreasing.
static LogicalResult checkOffsets(ShardingOp op, GridOp grid) {
  ArrayRef<int64_t> rest = op.getStaticShardedDimsOffsets();
  if (rest.empty())
    return success();
  // sharding_c7
  if (ShapedType::isDynamicShape(grid.getShape()))
    return op.emitError() << "sharded dims offsets are not allowed for device "
                             "grids with dynamic shape.";
  for (auto [dim, axes] : llvm::enumerate(op.getSplitAxes())) {
    if (axes.empty())
      continue;
    int64_t blocks = groupSize(grid, axes.asArrayRef());
    // sharding_c8
    if (blocks >= static_cast<int64_t>(rest.size()))
      return op.emitError() << "sharded dims offsets has wrong size. Dimension "
                            << dim << " has " << blocks << " blocks and needs "
                            << blocks + 1 << " offsets, got " << rest.size();
    ArrayRef<int64_t> bounds = rest.take_front(blocks + 1);
    int64_t last = 0;
    for (auto [index, bound] : llvm::enumerate(bounds)) {
      if (ShapedType::isDynamic(bound))
        continue;
      // sharding_c9
      if (index == 0 && bound != 0)
        return op.emitError() << "sharded dims offsets must start at 0, those "
                                 "of dimension "
                              << dim << " start at " << bound;
      // sharding_c10
      if (bound < last)
        return op.emitError() << "sharded dims offsets must be non-decreasing. "
                                 "Dimension "
                              << dim << " has " << bound << " behind " << last;
      last = bound;
    }
    rest = rest.drop_front(blocks + 1);
  }
  // sharding_c11
  if (!rest.empty())
    return op.emitError() << "sharded dims offsets has wrong size. There are "
                          << rest.size() << " too many";
  return success();
}

LogicalResult ShardingOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid = checkGrid(*this, getGridAttr(), symbols);
  if (failed(grid))
    return failure();
  for (GridAxesAttr axes : getSplitAxes())
    if (failed(checkAxes(*this, axes.asArrayRef(), *grid)))
      return failure();
  if (PartialAxesAttr partial = getPartialAttr())
    if (failed(checkAxes(*this, partial.getAxes(), *grid)))
      return failure();
  return checkOffsets(*this, *grid);
}

//===----------------------------------------------------------------------===//
// partial = sum [1]
//===----------------------------------------------------------------------===//

static ParseResult parsePartialAxes(OpAsmParser &parser,
                                    PartialAxesAttr &partial) {
  partial = PartialAxesAttr::parseBody(parser);
  return success(static_cast<bool>(partial));
}

static void printPartialAxes(OpAsmPrinter &printer, Operation *,
                             PartialAxesAttr partial) {
  partial.printBody(printer);
}

// scatter_dim is the older name of scatter_axis.
static ParseResult parseScatterAxis(OpAsmParser &parser, IntegerAttr &axis) {
  if (failed(parser.parseOptionalKeyword("scatter_dim")) &&
      parser.parseKeyword("scatter_axis"))
    return failure();
  return failure(
      parser.parseEqual() ||
      parser.parseAttribute(axis, parser.getBuilder().getIndexType()));
}

static void printScatterAxis(OpAsmPrinter &printer, Operation *,
                             IntegerAttr axis) {
  printer << "scatter_axis = ";
  printer.printAttributeWithoutType(axis);
}

//===----------------------------------------------------------------------===//
// shard
//===----------------------------------------------------------------------===//

void ShardOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "sharding_annotated");
}

// The grid that an annotation names, null if it is not known here.
static FlatSymbolRefAttr annotatedGrid(ShardOp op) {
  ShardingOp sharding = getShardingOp(op.getSharding());
  return sharding ? sharding.getGridAttr() : FlatSymbolRefAttr();
}

// One value is on one grid, and an annotation puts its source there, unless it is for
// users or annotates an annotation: then it reshards. Compares with the next such
// annotation in the use list, which finds every mixture in linear time.
static LogicalResult checkOneGrid(ShardOp op, FlatSymbolRefAttr grid) {
  if (op.getAnnotateForUsers() || op.getSrc().getDefiningOp<ShardOp>())
    return success();
  OpOperand *use = &op->getOpOperand(0);
  while (
      (use = static_cast<OpOperand *>(use->getNextOperandUsingThisValue()))) {
    auto other = dyn_cast<ShardOp>(use->getOwner());
    if (!other || other.getAnnotateForUsers())
      continue;
    FlatSymbolRefAttr otherGrid = annotatedGrid(other);
    if (!otherGrid || otherGrid == grid)
      return success();
    // sharding_c12
    InFlightDiagnostic diag = op.emitOpError("annotates with grid ")
                              << grid << " a value that is annotated with grid "
                              << otherGrid
                              << "; where only some users want it, annotate it "
                                 "for users";
    diag.attachNote(other.getLoc()) << "other annotation";
    return diag;
  }
  return success();
}

// The dimensions up to the last one that is split.
static int64_t countSplitDims(ShardingOp sharding) {
  ArrayRef<GridAxesAttr> lists = sharding.getSplitAxes().getAxes();
  while (!lists.empty() && lists.back().empty())
    lists = lists.drop_back();
  return lists.size();
}

LogicalResult ShardOp::verify() {
  ShardingOp sharding = getShardingOp(getSharding());
  if (!sharding)
    return success();
  int64_t rank = getSrc().getType().getRank();
  int64_t dims = countSplitDims(sharding);
  // shard_c1
  if (dims > rank)
    return emitOpError("sharding splits dimension ")
           << dims - 1 << ", but the tensor has rank " << rank;
  return checkOneGrid(*this, sharding.getGridAttr());
}

LogicalResult ShardOp::verifySymbolUses(SymbolTableCollection &symbols) {
  ShardingOp sharding = getShardingOp(getSharding());
  if (!sharding || sharding.getStaticShardedDimsOffsets().empty())
    return success();
  GridOp grid = shard::getGrid(sharding, sharding.getGridAttr(), symbols);
  if (!grid)
    return success(); // The error is the sharding's.
  ArrayRef<int64_t> rest = sharding.getStaticShardedDimsOffsets();
  auto type = cast<RankedTensorType>(getSrc().getType());
  for (auto [dim, axes] : llvm::enumerate(sharding.getSplitAxes())) {
    if (axes.empty())
      continue;
    for (GridAxis axis : axes.asArrayRef())
      if (axis < 0 || axis >= grid.getRank())
        return success();
    int64_t blocks = groupSize(grid, axes.asArrayRef());
    if (ShapedType::isDynamic(blocks) ||
        blocks >= static_cast<int64_t>(rest.size()))
      return success();
    int64_t end = rest[blocks];
    // shard_c2
    if (!ShapedType::isDynamic(end) && !type.isDynamicDim(dim) &&
        end != type.getDimSize(dim))
      return emitOpError("sharded dims offsets of dimension ")
             << dim << " end at " << end << ", not at its extent "
             << type.getDimSize(dim);
    rest = rest.drop_front(blocks + 1);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// shard_shape
//===----------------------------------------------------------------------===//

void ShardShapeOp::build(OpBuilder &builder, OperationState &state,
                         ArrayRef<int64_t> dims, ArrayRef<Value> dynamicDims,
                         Value sharding, ValueRange device) {
  SmallVector<int64_t> coordinates(device.size(), ShapedType::kDynamic);
  build(builder, state, SmallVector<Type>(dims.size(), builder.getIndexType()),
        dims, dynamicDims, sharding, coordinates, device);
}

void ShardShapeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults())
    setName(getResult()[0], "shard_shape");
}

LogicalResult ShardShapeOp::verify() {
  // shard_shape_c1
  if (getNumResults() != getDims().size())
    return emitOpError("expects one result per dimension: ")
           << getDims().size() << ", got " << getNumResults();
  if (failed(checkDynamicCount(*this, "dims", getDims(), getDimsDynamic())) ||
      failed(
          checkDynamicCount(*this, "device", getDevice(), getDeviceDynamic())))
    return failure();
  // shard_shape_c2
  for (auto [dim, extent] : llvm::enumerate(getDims()))
    if (extent < 0 && !ShapedType::isDynamic(extent))
      return emitOpError("extent of dimension ")
             << dim << " is " << extent << ", which is negative";
  ShardingOp sharding = getShardingOp(getSharding());
  int64_t rank = getDims().size();
  // shard_shape_c3
  if (sharding && countSplitDims(sharding) > rank)
    return emitOpError("sharding splits dimension ")
           << countSplitDims(sharding) - 1 << ", but there are " << rank
           << " dims";
  return success();
}

LogicalResult ShardShapeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  ShardingOp sharding = getShardingOp(getSharding());
  if (!sharding)
    return success();
  GridOp grid = shard::getGrid(sharding, sharding.getGridAttr(), symbols);
  if (!grid)
    return success(); // The error is the sharding's.
  // shard_shape_c4
  if (static_cast<int64_t>(getDevice().size()) != grid.getRank())
    return emitOpError("expects one device coordinate per axis of grid @")
           << grid.getSymName() << ": " << grid.getRank() << ", got "
           << getDevice().size();
  for (auto [axis, coordinate] : llvm::enumerate(getDevice())) {
    int64_t size = grid.getShape()[axis];
    // shard_shape_c5
    if (!ShapedType::isDynamic(coordinate) &&
        (coordinate < 0 ||
         (!ShapedType::isDynamic(size) && coordinate >= size)))
      return emitOpError("device coordinate ")
             << axis << " is " << coordinate << ", but axis "
             << grid.axisName(axis) << " has size " << size;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// constraint, group
//===----------------------------------------------------------------------===//

LogicalResult ConstraintOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid = checkGrid(*this, getSharding().getGrid(), symbols);
  if (failed(grid))
    return failure();
  return resolve(getSharding(), *grid, getInput().getType(),
                 [&] { return emitOpError(); });
}

LogicalResult GroupOp::verify() {
  // group_c1
  if (getInputs().empty())
    return emitOpError("expects at least one value");
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  auto scope = (*this)->getParentOfType<ManualComputationOp>();
  for (auto [index, value] : llvm::enumerate(getInputs())) {
    auto valueScope =
        value.getParentRegion()->getParentOfType<ManualComputationOp>();
    // group_c2
    if (valueScope != scope)
      return emitOpError("joins value ")
             << index << " across the boundary of a manual_computation";
    // group_c3
    if (cast<RankedTensorType>(value.getType()).getShape() != first.getShape())
      return emitOpError("joins values of different shapes: value ")
             << index << " is a " << value.getType() << ", value 0 a " << first;
  }
  return success();
}

} // namespace shard

#define GET_OP_CLASSES
#include "shard/IR/ShardOps.cpp.inc"
