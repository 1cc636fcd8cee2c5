//===- ShardingUtils.cpp - From the IR to Geometry and back ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardingUtils.h"

#include "shard/Geometry/Refinement.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace shard {

GridOp getGrid(Operation *op, FlatSymbolRefAttr symbol,
               SymbolTableCollection &symbols) {
  if (!symbol)
    return nullptr;
  if (auto grid = symbols.lookupNearestSymbolFrom<GridOp>(op, symbol))
    return grid;
  Operation *scope = symbolScope(op);
  return scope ? symbols.lookupSymbolIn<GridOp>(scope, symbol) : nullptr;
}

Operation *symbolScope(Operation *op) {
  while (op && !op->hasTrait<OpTrait::SymbolTable>())
    op = op->getParentOp();
  return op;
}

bool isCollective(Operation *op) {
  return isa<AllGatherOp, AllReduceOp, AllSliceOp, AllToAllOp, BroadcastOp,
             GatherOp, PermuteOp, RecvOp, RedistributeOp, ReduceOp,
             ReduceScatterOp, ScatterOp, SendOp, ShiftOp, UpdateHaloOp>(op);
}

bool hasSignatureHint(FunctionOpInterface function) {
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    if (function.getArgAttr(i, kShardingAttrName))
      return true;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    if (function.getResultAttr(i, kShardingAttrName))
      return true;
  return false;
}

GridOp getGrid(Operation *op, SymbolTableCollection &symbols) {
  if (auto shard = dyn_cast<ShardOp>(op)) {
    ShardingOp sharding = getShardingOp(shard.getSharding());
    return sharding ? getGrid(op, sharding.getGridAttr(), symbols) : nullptr;
  }
  if (auto constraint = dyn_cast<ConstraintOp>(op))
    return getGrid(op, constraint.getSharding().getGrid(), symbols);
  return getGrid(op, op->getAttrOfType<FlatSymbolRefAttr>("grid"), symbols);
}

FailureOr<Grid> staticGrid(GridOp grid) {
  if (ShapedType::isDynamicShape(grid.getShape()))
    return failure();
  Grid result;
  result.shape.assign(grid.getShape().begin(), grid.getShape().end());
  result.unevenDynamic = grid.getUnevenDynamic();
  return result;
}

FailureOr<std::vector<AxisList>>
axesInRefinement(GridOp coarse, GridOp fine, SymbolTableCollection &symbols) {
  FailureOr<Grid> whole = staticGrid(coarse), cut = staticGrid(fine);
  if (coarse == fine) {
    std::vector<AxisList> same;
    for (int64_t axis = 0; axis < coarse.getRank(); ++axis)
      same.push_back({GridAxis(axis)});
    return same;
  }
  // Grids may refine each other in a circle.
  llvm::SmallPtrSet<Operation *, 4> seen;
  GridOp at = fine;
  while (at && at != coarse && seen.insert(at).second)
    at = getGrid(at, at.getRefinesAttr(), symbols);
  if (at != coarse || failed(whole) || failed(cut))
    return failure();
  std::optional<std::vector<AxisList>> runs = axesWithin(*whole, *cut);
  if (!runs)
    return failure();
  return std::move(*runs);
}

ArrayRef<int64_t> deviceIdsOf(GridOp grid, SymbolTableCollection &symbols) {
  // Grids may refine each other in a circle.
  llvm::SmallPtrSet<Operation *, 4> seen;
  while (grid && grid.getRefinesAttr() && seen.insert(grid).second)
    grid = getGrid(grid, grid.getRefinesAttr(), symbols);
  std::optional<ArrayRef<int64_t>> ids;
  if (grid)
    ids = grid.getDeviceIds();
  if (!ids || llvm::equal(*ids, llvm::seq<int64_t>(0, ids->size())))
    return {};
  return *ids;
}

ShardingOp getShardingOp(Value value) {
  return value.getDefiningOp<ShardingOp>();
}

// A pointer is a number of less than 62 bits.
int64_t runTimeNumber(Value value) {
  return std::numeric_limits<int64_t>::min() + 1 +
         static_cast<int64_t>(
             reinterpret_cast<uintptr_t>(value.getAsOpaquePointer()));
}

Value runTimeValue(int64_t number) {
  if (!isRunTime(number))
    return {};
  auto address = static_cast<uintptr_t>(
      number - (std::numeric_limits<int64_t>::min() + 1));
  return Value::getFromOpaquePointer(reinterpret_cast<void *>(address));
}

/// `statics` with the numbers that stand for `dynamics` at its dynamic entries.
static std::vector<int64_t> withRunTime(ArrayRef<int64_t> statics,
                                        ValueRange dynamics) {
  std::vector<int64_t> numbers(statics);
  for (int64_t &number : numbers) {
    if (!ShapedType::isDynamic(number))
      continue;
    number = runTimeNumber(dynamics.front());
    dynamics = dynamics.drop_front();
  }
  return numbers;
}

/// The inverse.
static SmallVector<int64_t> withoutRunTime(ArrayRef<int64_t> numbers,
                                           SmallVectorImpl<Value> &dynamics) {
  SmallVector<int64_t> statics(numbers);
  for (int64_t &number : statics)
    if (Value value = runTimeValue(number)) {
      dynamics.push_back(value);
      number = ShapedType::kDynamic;
    }
  return statics;
}

/// Whether `numbers` are there when `value` is made, by an op that is no edge of control
/// flow.
static bool areMadeBefore(ValueRange numbers, Value value,
                          DominanceInfo &dominance) {
  Operation *def = value.getDefiningOp();
  if (!def ||
      isa<RegionBranchOpInterface, CallOpInterface, ManualComputationOp>(def))
    return false;
  return llvm::all_of(numbers, [&](Value number) {
    return dominance.properlyDominates(number, def);
  });
}

void startAtAnnotations(ArrayRef<ShardOp> annotations) {
  DominanceInfo dominance;
  for (ShardOp annotation : annotations) {
    ShardingOp sharding = getShardingOp(annotation.getSharding());
    if (sharding && sharding->getNumOperands() != 0 &&
        !areMadeBefore(sharding->getOperands(), annotation.getSrc(), dominance))
      annotation.setAnnotateForUsers(true);
  }
}

FailureOr<Sharding> resolve(ShardingOp op, int64_t rank,
                            EmitErrorFn emitError) {
  auto fail = [&](const Twine &why) -> FailureOr<Sharding> {
    if (emitError)
      emitError() << why;
    return failure();
  };
  ArrayRef<GridAxesAttr> axes = op.getSplitAxes().getAxes();
  while (!axes.empty() && axes.back().empty())
    axes = axes.drop_back();
  if (static_cast<int64_t>(axes.size()) > rank)
    return fail("sharding splits dimension " + Twine(axes.size() - 1) +
                " of a tensor of rank " + Twine(rank));
  Sharding result = Sharding::replicated(rank);
  for (auto [dim, list] : llvm::enumerate(axes)) {
    result.dims[dim].assign(list.asArrayRef().begin(), list.asArrayRef().end());
  }
  if (PartialAxesAttr partial = op.getPartialAttr()) {
    result.partial.assign(partial.getAxes().begin(), partial.getAxes().end());
    result.reduction = partial.getKind();
  }
  result.halos = withRunTime(op.getStaticHaloSizes(), op.getDynamicHaloSizes());
  // Halos of width 0 are no halos.
  if (llvm::all_of(result.halos, [](int64_t width) { return width == 0; }))
    result.halos.clear();
  result.offsets = withRunTime(op.getStaticShardedDimsOffsets(),
                               op.getDynamicShardedDimsOffsets());
  return result;
}

bool equalShardings(Value a, Value b) {
  if (a == b)
    return true;
  ShardingOp first = getShardingOp(a), second = getShardingOp(b);
  if (!first || !second || first.getGridAttr() != second.getGridAttr() ||
      first.getPartialAttr() != second.getPartialAttr() ||
      first.getStaticHaloSizes() != second.getStaticHaloSizes() ||
      first.getStaticShardedDimsOffsets() !=
          second.getStaticShardedDimsOffsets() ||
      first->getOperands() != second->getOperands())
    return false;
  auto trim = [](ShardingOp op) {
    ArrayRef<GridAxesAttr> axes = op.getSplitAxes().getAxes();
    while (!axes.empty() && axes.back().empty())
      axes = axes.drop_back();
    return axes;
  };
  return trim(first) == trim(second);
}

void reshardChains(ArrayRef<ShardOp> annotations) {
  for (ShardOp annotation : annotations) {
    auto source = annotation.getSrc().getDefiningOp<ShardOp>();
    // Unreachable code may have one that takes its own result.
    if (source && source != annotation && !annotation.getAnnotateForUsers() &&
        getShardingOp(annotation.getSharding()) &&
        getShardingOp(source.getSharding()) &&
        !equalShardings(annotation.getSharding(), source.getSharding()))
      annotation.setAnnotateForUsers(true);
  }
}

ShardingOp buildSharding(OpBuilder &builder, Location loc, StringRef grid,
                         const Sharding &sharding) {
  SmallVector<GridAxesAttr> axes;
  for (const AxisList &list : sharding.dims)
    axes.push_back(builder.getDenseI16ArrayAttr(list));
  while (axes.size() > 1 && axes.back().empty())
    axes.pop_back();
  if (axes.empty())
    axes.push_back(builder.getDenseI16ArrayAttr({}));
  PartialAxesAttr partial;
  if (!sharding.partial.empty())
    partial = PartialAxesAttr::get(builder.getContext(), sharding.reduction,
                                   sharding.partial);
  SmallVector<Value> halos, offsets;
  SmallVector<int64_t> knownHalos = withoutRunTime(sharding.halos, halos),
                       knownOffsets = withoutRunTime(sharding.offsets, offsets);
  return ShardingOp::create(
      builder, loc, ShardingType::get(builder.getContext()),
      FlatSymbolRefAttr::get(builder.getContext(), grid),
      GridAxesArrayAttr::get(builder.getContext(), axes), partial,
      builder.getDenseI64ArrayAttr(knownOffsets), offsets,
      builder.getDenseI64ArrayAttr(knownHalos), halos);
}

ShardingAttr getShardingAttr(FlatSymbolRefAttr grid, const Sharding &sharding) {
  MLIRContext *context = grid.getContext();
  auto convert = [&](const AxisList &list) {
    SmallVector<AxisRefAttr> axes;
    for (GridAxis axis : list)
      axes.push_back(AxisRefAttr::get(context, static_cast<int64_t>(axis)));
    return axes;
  };
  SmallVector<DimShardingAttr> dims;
  for (const AxisList &list : sharding.dims)
    dims.push_back(DimShardingAttr::get(context, convert(list), false, -1));
  ReductionKindAttr kind;
  if (!sharding.partial.empty())
    kind = ReductionKindAttr::get(context, sharding.reduction);
  return ShardingAttr::get(context, grid, dims, kind, convert(sharding.partial),
                           {}, sharding.halos, sharding.offsets);
}

FailureOr<Sharding> toSharding(const ResolvedSharding &sharding) {
  if (sharding.hasSubAxes)
    return failure();
  Sharding result = Sharding::replicated(sharding.dims.size());
  for (auto [dim, list] : llvm::zip_equal(result.dims, sharding.dims))
    for (const AxisPart &axis : list.axes)
      dim.push_back(axis.axis);
  for (const AxisPart &axis : sharding.partial)
    result.partial.push_back(axis.axis);
  llvm::sort(result.partial);
  result.reduction = sharding.reduction;
  result.halos.assign(sharding.halos.begin(), sharding.halos.end());
  result.offsets.assign(sharding.offsets.begin(), sharding.offsets.end());
  return result;
}

RankedTensorType localType(RankedTensorType type, const Grid &grid,
                           const Sharding &sharding) {
  std::vector<int64_t> shape =
      localShape(grid, type.getShape().vec(), sharding);
  return type.clone(shape);
}

//===----------------------------------------------------------------------===//
// resolve(ShardingAttr)
//===----------------------------------------------------------------------===//

namespace {
// Resolves the axes of one attribute and remembers them, to find overlaps
// between references by name and by number.
struct AxisResolver {
  GridOp grid;
  EmitErrorFn emitError;
  SmallVector<AxisPart> seen;

  bool hasSubAxes = false;

  LogicalResult resolveAxis(AxisRefAttr ref, SmallVectorImpl<AxisPart> &out,
                            const Twine &where) {
    std::optional<AxisPart> axis = grid.axisPart(ref);
    // resolve_c1
    if (!axis && ref.getName()) {
      InFlightDiagnostic error = emitError()
                                 << where << " names axis " << ref.getName()
                                 << ", which grid @" << grid.getSymName()
                                 << " does not have";
      if (std::optional<ArrayAttr> names = grid.getAxisNames())
        llvm::interleaveComma(*names, error << "; its axes are ");
      else
        error << "; its axes have no names, only numbers";
      return error;
    }
    // resolve_c2
    if (!axis)
      return emitError() << where << " names axis " << ref.getNumber()
                         << ", but grid @" << grid.getSymName() << " has only "
                         << grid.getRank() << " axes";
    if (ref.isSubAxis()) {
      hasSubAxes = true;
      int64_t whole = grid.getShape()[axis->axis];
      // resolve_c3
      if (ShapedType::isDynamic(whole))
        return emitError() << where << " has the sub-axis " << ref.str()
                           << " of an axis of unknown size";
      // resolve_c4
      if (whole % axis->end() != 0)
        return emitError() << where << " has the sub-axis " << ref.str()
                           << ", which does not divide the axis of size "
                           << whole;
      // resolve_c14
      if (axis->size >= whole)
        return emitError() << where << " has the sub-axis " << ref.str()
                           << ", which is the whole axis of size " << whole
                           << ": a sub-axis is smaller; name the axis alone";
    }
    // resolve_c5
    if (llvm::any_of(
            seen, [&](const AxisPart &other) { return axis->overlaps(other); }))
      return emitError() << where << " uses axis " << ref.str()
                         << ", which is in use already";
    seen.push_back(*axis);
    out.push_back(*axis);
    return success();
  }

  LogicalResult resolveAxes(ArrayRef<AxisRefAttr> refs,
                            SmallVectorImpl<AxisPart> &out,
                            const Twine &where) {
    for (AxisRefAttr ref : refs)
      if (failed(resolveAxis(ref, out, where)))
        return failure();
    return success();
  }
};

// The number of blocks of a dimension, kDynamic if it is not known.
int64_t countBlocks(const ResolvedDim &dim) {
  int64_t blocks = 1;
  for (const AxisPart &axis : dim.axes)
    if (ShapedType::isDynamic(axis.size) ||
        llvm::MulOverflow(blocks, axis.size, blocks))
      return ShapedType::kDynamic;
  return blocks;
}

LogicalResult checkOffsets(const ResolvedSharding &sharding, ShapedType type,
                           EmitErrorFn emitError) {
  ArrayRef<int64_t> rest = sharding.offsets;
  for (auto [index, dim] : llvm::enumerate(sharding.dims)) {
    if (dim.axes.empty())
      continue;
    int64_t blocks = countBlocks(dim);
    // resolve_c6
    if (ShapedType::isDynamic(blocks))
      return emitError() << "offsets need a grid of known sizes";
    // resolve_c7
    if (static_cast<int64_t>(rest.size()) < blocks + 1)
      return emitError() << "dimension " << index << " has " << blocks
                         << " blocks and needs " << blocks + 1
                         << " offsets, got " << rest.size();
    ArrayRef<int64_t> bounds = rest.take_front(blocks + 1);
    // resolve_c8
    if (bounds.front() != 0)
      return emitError() << "offsets of dimension " << index << " start at "
                         << bounds.front() << ", not at 0";
    // resolve_c9
    if (!llvm::is_sorted(bounds))
      return emitError() << "offsets of dimension " << index << " decrease";
    // resolve_c10
    if (type && !type.isDynamicDim(index) &&
        bounds.back() != type.getDimSize(index))
      return emitError() << "offsets of dimension " << index << " end at "
                         << bounds.back() << ", not at its extent "
                         << type.getDimSize(index);
    rest = rest.drop_front(blocks + 1);
  }
  // resolve_c11
  if (!rest.empty())
    return emitError() << "takes " << sharding.offsets.size() - rest.size()
                       << " offsets, one more for each split dimension than it "
                          "has blocks, got "
                       << sharding.offsets.size();
  return success();
}
} // namespace

FailureOr<ResolvedSharding> resolve(ShardingAttr sharding, GridOp grid,
                                    Type type, EmitErrorFn emitError) {
  auto shaped = dyn_cast_if_present<ShapedType>(type);
  if (shaped && !shaped.hasRank())
    shaped = nullptr;
  // resolve_c12
  if (shaped &&
      shaped.getRank() != static_cast<int64_t>(sharding.getDims().size()))
    return emitError() << "sharding has " << sharding.getDims().size()
                       << " dimensions, but " << type << " has rank "
                       << shaped.getRank(),
           failure();
  ResolvedSharding result;
  AxisResolver resolver{grid, emitError, {}};
  for (auto [index, dim] : llvm::enumerate(sharding.getDims())) {
    ResolvedDim &out = result.dims.emplace_back();
    out.open = dim.getOpen();
    out.priority = dim.getPriority();
    if (failed(resolver.resolveAxes(dim.getAxes(), out.axes,
                                    "dimension " + Twine(index))))
      return failure();
  }
  if (ReductionKindAttr kind = sharding.getPartialKind())
    result.reduction = kind.getValue();
  // resolve_c13
  if (shaped && sharding.getPartialKind() &&
      !combinesElements(result.reduction, shaped.getElementType()))
    return emitError() << "is partial by " << keyword(result.reduction)
                       << ", which is for integers, but the elements are "
                       << shaped.getElementType(),
           failure();
  if (failed(resolver.resolveAxes(sharding.getPartialAxes(), result.partial,
                                  "partial")) ||
      failed(resolver.resolveAxes(sharding.getReplicatedAxes(),
                                  result.replicated, "replicated")))
    return failure();
  result.hasSubAxes = resolver.hasSubAxes;
  // Halos of width 0 are no halos.
  if (llvm::any_of(sharding.getHalos(), [](int64_t width) { return width; }))
    llvm::append_range(result.halos, sharding.getHalos());
  llvm::append_range(result.offsets, sharding.getOffsets());
  if (!result.offsets.empty() &&
      failed(checkOffsets(result, shaped, emitError)))
    return failure();
  return result;
}

bool hasHint(Operation *op) {
  return llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute attribute) {
    Dialect *dialect = attribute.getNameDialect();
    return dialect &&
           dialect->getNamespace() == ShardDialect::getDialectNamespace();
  });
}

} // namespace shard
