//===- CollectiveVerify.cpp - What collectives must satisfy ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

// The tensor dimension `axis`, an attribute called `what`, if it is one.
static FailureOr<int64_t> checkDim(Operation *op, StringRef what,
                                   const APInt &axis, RankedTensorType type) {
  int64_t dim = axis.getSExtValue();
  // collective_c1
  if (dim < 0 || dim >= type.getRank())
    return op->emitError() << what << " axis " << dim
                           << " is out of bounds [0, " << type.getRank()
                           << ").";
  return dim;
}

// A dynamic result extent is always right; a static one must be the expected.
static LogicalResult checkExtent(Operation *op, int64_t dim, int64_t expected,
                                 int64_t actual) {
  if (ShapedType::isDynamic(actual) || expected == actual)
    return success();
  // collective_c2
  InFlightDiagnostic diag = op->emitError()
                            << "Dimension size mismatch for result axis " << dim
                            << ". Expected ";
  if (ShapedType::isDynamic(expected))
    diag << "dynamic";
  else
    diag << expected;
  return diag << ", but got " << actual << ".";
}

// The concatenation of `parts` blocks of extent `block`, padding trimmed.
static LogicalResult checkConcatenated(Operation *op, int64_t dim,
                                       int64_t block, int64_t parts,
                                       int64_t actual) {
  bool known = !ShapedType::isDynamic(block) && !ShapedType::isDynamic(parts);
  if (known && !ShapedType::isDynamic(actual) &&
      localExtent(actual, parts) == block)
    return success();
  int64_t full = ShapedType::kDynamic;
  // collective_c3
  if (known && llvm::MulOverflow(block, parts, full))
    return op->emitError() << "extent of result axis " << dim
                           << " does not fit 64 bits";
  return checkExtent(op, dim, full, actual);
}

static LogicalResult checkOthers(Operation *op, RankedTensorType input,
                                 RankedTensorType result,
                                 ArrayRef<int64_t> except) {
  assert(input.getRank() == result.getRank() && "traits of the ops say so");
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (!llvm::is_contained(except, dim) &&
        failed(checkExtent(op, dim, input.getDimSize(dim),
                           result.getDimSize(dim))))
      return failure();
  return success();
}

static LogicalResult checkGather(Operation *op, const APInt &axis,
                                 RankedTensorType input,
                                 RankedTensorType result, int64_t parts) {
  FailureOr<int64_t> dim = checkDim(op, "Gather", axis, input);
  if (failed(dim) || failed(checkOthers(op, input, result, *dim)))
    return failure();
  return checkConcatenated(op, *dim, input.getDimSize(*dim), parts,
                           result.getDimSize(*dim));
}

static LogicalResult checkSlice(Operation *op, StringRef what,
                                const APInt &axis, RankedTensorType input,
                                RankedTensorType result, int64_t parts) {
  FailureOr<int64_t> dim = checkDim(op, what, axis, input);
  if (failed(dim) || failed(checkOthers(op, input, result, *dim)))
    return failure();
  return checkExtent(op, *dim, localExtent(input.getDimSize(*dim), parts),
                     result.getDimSize(*dim));
}

// One coordinate per grid axis of the group, each within its axis.
static LogicalResult checkDevice(Operation *op, StringRef name,
                                 ArrayRef<int64_t> device, ValueRange dynamic,
                                 ArrayRef<GridAxis> axes, GridOp grid) {
  // collective_c5
  if (device.size() != axes.size())
    return op->emitError() << "In-group device \"" << name
                           << "\" has unexpected multi-index size "
                           << device.size() << ". Expected " << axes.size()
                           << ".";
  // collective_c6
  if (llvm::count(device, ShapedType::kDynamic) !=
      static_cast<int64_t>(dynamic.size()))
    return op->emitError() << "expects one SSA value per '?' of " << name;
  for (auto [index, coordinate] : llvm::enumerate(device)) {
    int64_t size = grid.getShape()[axes[index]];
    if (ShapedType::isDynamic(coordinate))
      continue;
    // collective_c7
    if (coordinate < 0 || (!ShapedType::isDynamic(size) && coordinate >= size))
      return op->emitError()
             << "Out of bounds coordinate " << index
             << " for in-group device \"" << name << "\". Got " << coordinate
             << ", but expected value in the range [0, "
             << (ShapedType::isDynamic(size) ? std::string("?")
                                             : std::to_string(size - 1))
             << "].";
  }
  return success();
}

static RankedTensorType shaped(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Verifiers that need the grid
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
  if (failed(grid))
    return failure();
  return checkGather(*this, getGatherAxis(), shaped(getInput()),
                     shaped(getResult()), groupSize(*grid, getGridAxes()));
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
}

LogicalResult AllSliceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
  if (failed(grid))
    return failure();
  return checkSlice(*this, "Slice", getSliceAxis(), shaped(getInput()),
                    shaped(getResult()), groupSize(*grid, getGridAxes()));
}

LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
  if (failed(grid))
    return failure();
  RankedTensorType input = shaped(getInput()), result = shaped(getResult());
  FailureOr<int64_t> split = checkDim(*this, "Split", getSplitAxis(), input);
  FailureOr<int64_t> concat =
      failed(split) ? split : checkDim(*this, "Concat", getConcatAxis(), input);
  if (failed(concat) ||
      failed(checkOthers(*this, input, result, {*split, *concat})))
    return failure();
  int64_t parts = groupSize(*grid, getGridAxes());
  int64_t extent = input.getDimSize(*split);
  if (*split == *concat) {
    // all_to_all_c1
    if (!ShapedType::isDynamic(extent) && !ShapedType::isDynamic(parts) &&
        extent % parts != 0)
      return emitError() << "Operand dimension size " << extent
                         << " is not divisible by collective device group size "
                         << parts << " for tensor axis " << *split << ".";
    return checkExtent(*this, *split, extent, result.getDimSize(*split));
  }
  if (failed(checkExtent(*this, *split, localExtent(extent, parts),
                         result.getDimSize(*split))))
    return failure();
  return checkConcatenated(*this, *concat, input.getDimSize(*concat), parts,
                           result.getDimSize(*concat));
}

LogicalResult BroadcastOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
  if (failed(grid))
    return failure();
  return checkDevice(*this, getRootAttrName().getValue(), getRoot(),
                     getRootDynamic(), getGridAxes(), *grid);
}

LogicalResult GatherOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
  if (failed(grid) ||
      failed(checkDevice(*this, getRootAttrName().getValue(), getRoot(),
                         getRootDynamic(), getGridAxes(), *grid)))
    return failure();
  return checkGather(*this, getGatherAxis(), shaped(getInput()),
                     shaped(getResult()), groupSize(*grid, getGridAxes()));
}

LogicalResult RecvOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
  if (failed(grid))
    return failure();
  if (!getSource())
    return success();
  return checkDevice(*this, getSourceAttrName().getValue(), *getSource(),
                     getSourceDynamic(), getGridAxes(), *grid);
}

LogicalResult ReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
  if (failed(grid))
    return failure();
  return checkDevice(*this, getRootAttrName().getValue(), getRoot(),
                     getRootDynamic(), getGridAxes(), *grid);
}

LogicalResult
ReduceScatterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
  if (failed(grid))
    return failure();
  return checkSlice(*this, "Scatter", getScatterAxis(), shaped(getInput()),
                    shaped(getResult()), groupSize(*grid, getGridAxes()));
}

LogicalResult ScatterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
  if (failed(grid) ||
      failed(checkDevice(*this, getRootAttrName().getValue(), getRoot(),
                         getRootDynamic(), getGridAxes(), *grid)))
    return failure();
  return checkSlice(*this, "Scatter", getScatterAxis(), shaped(getInput()),
                    shaped(getResult()), groupSize(*grid, getGridAxes()));
}

LogicalResult SendOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
  if (failed(grid))
    return failure();
  return checkDevice(*this, getDestinationAttrName().getValue(),
                     getDestination(), getDestinationDynamic(), getGridAxes(),
                     *grid);
}

LogicalResult ShiftOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
  if (failed(grid))
    return failure();
  int64_t axis = getShiftAxis().getSExtValue();
  // shift_c1
  if (!llvm::is_contained(getGridAxes(), axis))
    return emitError() << "Invalid shift axis " << axis
                       << ". It must be one of the grouping grid axes.";
  llvm::SmallDenseSet<GridAxis> seen;
  seen.insert(static_cast<GridAxis>(axis));
  SmallVector<GridAxis> shiftAxes = getShiftAxes();
  for (GridAxis minor : llvm::drop_begin(shiftAxes)) {
    // shift_c2
    if (!llvm::is_contained(getGridAxes(), minor))
      return emitError() << "minor_axes has axis " << minor
                         << ", which must be one of grid_axes";
    // shift_c3
    if (!seen.insert(minor).second)
      return emitError() << "axis " << minor
                         << " stands twice in shift_axis and minor_axes";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// permute
//===----------------------------------------------------------------------===//

LogicalResult PermuteOp::verify() {
  auto check = [&](StringRef what, ArrayRef<GridAxis> axes) -> LogicalResult {
    // permute_c1
    for (auto [index, axis] : llvm::enumerate(axes))
      if (axis < 0 || llvm::is_contained(axes.take_front(index), axis))
        return emitOpError() << what << " has axis " << axis
                             << (axis < 0 ? ", which is negative" : " twice");
    return success();
  };
  if (failed(check("from_axes", getFromAxes())))
    return failure();
  return check("to_axes", getToAxes());
}

LogicalResult PermuteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getFromAxes(), symbols);
  if (failed(grid) || failed(checkAxes(*this, getToAxes(), *grid)))
    return failure();
  // An axis of unknown size must stand on both sides.
  int64_t from = 1, to = 1;
  for (GridAxis axis : getFromAxes()) {
    int64_t size = grid->getShape()[axis];
    if (!ShapedType::isDynamic(size))
      from *= size;
    else if (!llvm::is_contained(getToAxes(), axis))
      // permute_c2
      return emitOpError("axis ") << grid->axisName(axis)
                                  << " of unknown size must be in to_axes too";
  }
  for (GridAxis axis : getToAxes()) {
    int64_t size = grid->getShape()[axis];
    if (!ShapedType::isDynamic(size))
      to *= size;
    else if (!llvm::is_contained(getFromAxes(), axis))
      // permute_c3
      return emitOpError("axis ")
             << grid->axisName(axis)
             << " of unknown size must be in from_axes too";
  }
  // permute_c4
  if (from != to)
    return emitOpError("from_axes have ")
           << from << " positions and to_axes have " << to
           << "; they must be equally many";
  return success();
}

//===----------------------------------------------------------------------===//
// update_halo
//===----------------------------------------------------------------------===//

LogicalResult UpdateHaloOp::verify() {
  if (failed(checkSplitAxes(*this, getSplitAxes().getAxes())))
    return failure();
  auto type = cast<ShapedType>(getDestination().getType());
  // update_halo_c1
  if (static_cast<int64_t>(getSplitAxes().size()) > type.getRank())
    return emitOpError("split_axes has ")
           << getSplitAxes().size() << " dimensions, but the destination has "
           << type.getRank();
  ArrayRef<int64_t> halos = getStaticHaloSizes();
  // update_halo_c2
  if (llvm::count(halos, ShapedType::kDynamic) !=
      static_cast<int64_t>(getHaloSizes().size()))
    return emitOpError("expects one SSA value per '?' of halo_sizes");
  size_t split = llvm::count_if(
      getSplitAxes(), [](GridAxesAttr list) { return !list.empty(); });
  // update_halo_c3
  if (halos.size() != 2 * split)
    return emitOpError("expects 2 halo sizes for each of ")
           << split << " split dimensions, got " << halos.size();
  size_t next = 0;
  for (auto [dim, axes] : llvm::enumerate(getSplitAxes())) {
    if (axes.empty())
      continue;
    int64_t low = halos[next++], high = halos[next++];
    // update_halo_c4
    for (int64_t width : {low, high})
      if (width < 0 && !ShapedType::isDynamic(width))
        return emitOpError("halo size ")
               << width << " of dimension " << dim << " is negative";
    if (ShapedType::isDynamic(low) || ShapedType::isDynamic(high) ||
        type.isDynamicDim(dim))
      continue;
    // update_halo_c5
    if (low > type.getDimSize(dim) || high > type.getDimSize(dim) - low)
      return emitOpError("halo sizes ")
             << low << " and " << high << " exceed the extent "
             << type.getDimSize(dim) << " of dimension " << dim;
  }
  return success();
}

LogicalResult UpdateHaloOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid = checkGrid(*this, getGridAttr(), symbols);
  if (failed(grid))
    return failure();
  for (GridAxesAttr axes : getSplitAxes())
    if (failed(checkAxes(*this, axes.asArrayRef(), *grid)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

bool combinesElements(ReductionKind kind, Type element) {
  switch (kind) {
  case ReductionKind::BitwiseAnd:
  case ReductionKind::BitwiseOr:
  case ReductionKind::BitwiseXor:
  case ReductionKind::UMin:
  case ReductionKind::UMax:
    return element.isIntOrIndex();
  default:
    return true;
  }
}

static LogicalResult checkKind(Operation *op, ReductionKind kind,
                               Type resultType) {
  Type element = getElementTypeOrSelf(resultType);
  // collective_c8
  if (!combinesElements(kind, element))
    return op->emitOpError("reduction ")
           << keyword(kind) << " needs integer elements, got " << element;
  return success();
}

// The kind fits the elements; the region of a generic reduction combines two
// elements of the result's type.
static LogicalResult checkReduction(Operation *op, MutableArrayRef<Region> body,
                                    ReductionKind kind, Type resultType) {
  if (failed(checkKind(op, kind, resultType)))
    return failure();
  if (body.empty())
    return success();
  // collective_c9
  if (kind != ReductionKind::Generic)
    return op->emitOpError("has a combiner, but its reduction is ")
           << keyword(kind) << ", not generic";
  // collective_c10
  if (body.size() != 1)
    return op->emitOpError("expects at most one combiner");
  Type element = getElementTypeOrSelf(resultType);
  mlir::Block &block = body.front().front();
  // collective_c11
  if (block.getNumArguments() != 2 ||
      block.getArgument(0).getType() != element ||
      block.getArgument(1).getType() != element)
    return op->emitOpError("expects a combiner of two arguments of type ")
           << element;
  auto terminator = dyn_cast<ReturnOp>(block.back());
  // collective_c12
  if (!terminator || terminator.getNumOperands() != 1 ||
      terminator.getOperand(0).getType() != element)
    return op->emitOpError("expects a combiner that ends with shard.return of "
                           "one value of type ")
           << element;
  // Devices combine different numbers of elements, so they would not meet.
  WalkResult walk = block.walk([&](Operation *inner) {
    if (!isCollective(inner))
      return WalkResult::advance();
    // collective_c13
    op->emitOpError("has a combiner with a collective, '")
        << inner->getName()
        << "', which not all devices reach as often; run it in front";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult AllReduceOp::verify() {
  // all_reduce_c1
  if (isa<MemRefType, UnrankedMemRefType>(getInput().getType()) !=
      isa<MemRefType, UnrankedMemRefType>(getResult().getType()))
    return emitOpError("mixes tensors and memrefs");
  return checkReduction(*this, getCombiner(), getReduction(),
                        getResult().getType());
}

LogicalResult ReduceOp::verify() {
  return checkReduction(*this, getCombiner(), getReduction(),
                        getResult().getType());
}

LogicalResult ReduceScatterOp::verify() {
  return checkReduction(*this, getCombiner(), getReduction(),
                        getResult().getType());
}

} // namespace shard
