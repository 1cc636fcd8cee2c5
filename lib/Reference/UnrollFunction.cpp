//===- UnrollFunction.cpp - SPMD programs on one device -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of an SPMD program is what each device of the grid does. `shard.local`
// tells which block of a global tensor a device has; what has none is the same on all.
//
//===----------------------------------------------------------------------===//

#include "shard/Reference/Reference.h"

#include "UnrollManual.h"
#include "Unroller.h"

#include "shard/Geometry/BlockLayout.h"
#include "shard/IR/TensorSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;
using namespace shard;
using namespace shard::reference;

namespace {

/// A global tensor and how it lies on the devices of a grid.
struct GlobalValue {
  RankedTensorType type;
  Grid grid;
  Sharding sharding;
};

/// What a device has along one dimension.
struct LocalBlock {
  shard::Block own;
  /// The extent of the buffer, and where `own` begins in it.
  int64_t extent = 0;
  int64_t low = 0;
  int64_t high = 0;
};

/// Cuts global tensors into the buffers of devices, and puts them together.
class LayoutBuilder {
public:
  LayoutBuilder(OpBuilder &builder, Location loc, const GlobalValue &value)
      : builder(builder), loc(loc), value(value) {}

  /// The buffer of `device`, its halos filled; null where no element may pad it.
  Value cut(Value whole, int64_t device, Type localType) {
    int64_t rank = value.type.getRank();
    Type element = value.type.getElementType();
    SmallVector<OpFoldResult> from, at, sizes, extents;
    bool isPadded = false;
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (value.type.isDynamicDim(dim)) {
        auto [offset, size] = dynamicBlock(whole, dim, device);
        from.push_back(offset);
        at.push_back(builder.getIndexAttr(0));
        sizes.push_back(size);
        extents.push_back(size);
        continue;
      }
      LocalBlock block = blockOf(dim, device);
      int64_t begin = std::max<int64_t>(0, block.own.offset - block.low);
      int64_t end = std::min(value.type.getDimSize(dim),
                             block.own.offset + block.own.size + block.high);
      int64_t size = block.own.size == 0 ? 0 : end - begin;
      from.push_back(builder.getIndexAttr(size == 0 ? 0 : begin));
      at.push_back(builder.getIndexAttr(
          size == 0 ? 0 : block.low - (block.own.offset - begin)));
      sizes.push_back(builder.getIndexAttr(size));
      extents.push_back(builder.getIndexAttr(block.extent));
      isPadded |= size != block.extent;
    }
    Value part = sliceOf(builder, loc, whole, from, sizes);
    if (isPadded) {
      if (!element.isSignlessIntOrIndexOrFloat())
        return Value();
      TypedAttr one = isa<FloatType>(element)
                          ? TypedAttr(builder.getFloatAttr(element, 1))
                          : TypedAttr(builder.getIntegerAttr(element, 1));
      Value scalar = arith::ConstantOp::create(builder, loc, one);
      Value empty = tensor::EmptyOp::create(builder, loc, extents, element);
      Value filled = linalg::FillOp::create(builder, loc, ValueRange{scalar},
                                            ValueRange{empty})
                         .getResult(0);
      part = insertionOf(builder, loc, part, filled, at, sizes);
    }
    return cast(part, localType);
  }

  /// The global tensor of `buffers`, partial values combined, of which replicas
  /// are taken from the first device that has them.
  Value assemble(const Copies &buffers) {
    AxisList splitting;
    for (const AxisList &axes : value.sharding.dims)
      splitting.insert(splitting.end(), axes.begin(), axes.end());
    if (splitting.empty())
      return cast(buffers.front(), value.type);
    int64_t rank = value.type.getRank();
    SmallVector<OpFoldResult> extents =
        tensor::getMixedSizes(builder, loc, buffers.front());
    for (int64_t dim = 0; dim < rank; ++dim)
      if (!value.type.isDynamicDim(dim))
        extents[dim] = builder.getIndexAttr(value.type.getDimSize(dim));
      else
        extents[dim] = dynamicExtent(buffers, dim);
    Value whole = tensor::EmptyOp::create(builder, loc, extents,
                                          value.type.getElementType());
    for (int64_t device : value.grid.groupMembers(0, splitting)) {
      SmallVector<OpFoldResult> from(rank, builder.getIndexAttr(0)), to(from);
      SmallVector<OpFoldResult> sizes =
          tensor::getMixedSizes(builder, loc, buffers[device]);
      bool isEmpty = false;
      for (int64_t dim = 0; dim < rank; ++dim) {
        if (value.type.isDynamicDim(dim)) {
          to[dim] = value.grid.unevenDynamic
                        ? unevenBlock(getValueOrCreateConstantIndexOp(
                                          builder, loc, extents[dim]),
                                      value.sharding.dims[dim], device)
                              .first
                        : product(sizes[dim], positionIn(dim, device));
          continue;
        }
        LocalBlock block = blockOf(dim, device);
        from[dim] = builder.getIndexAttr(block.low);
        to[dim] = builder.getIndexAttr(block.own.offset);
        sizes[dim] = builder.getIndexAttr(block.own.size);
        isEmpty |= block.own.size == 0;
      }
      if (isEmpty)
        continue;
      Value part = sliceOf(builder, loc, buffers[device], from, sizes);
      whole = insertionOf(builder, loc, part, whole, to, sizes);
    }
    return cast(whole, value.type);
  }

private:
  Value cast(Value from, Type type) {
    return from.getType() == type
               ? from
               : tensor::CastOp::create(builder, loc, type, from);
  }

  /// The extent of a dynamic dimension of the tensor that `buffers` are blocks of.
  OpFoldResult dynamicExtent(const Copies &buffers, int64_t dim) {
    const AxisList &axes = value.sharding.dims[dim];
    OpFoldResult first =
        tensor::getMixedSize(builder, loc, buffers.front(), dim);
    if (!value.grid.unevenDynamic)
      return axes.empty() ? first : product(first, value.grid.groupSize(axes));
    Value sum = arith::ConstantIndexOp::create(builder, loc, 0);
    for (int64_t device : value.grid.groupMembers(0, axes))
      sum = arith::AddIOp::create(
          builder, loc, sum,
          getValueOrCreateConstantIndexOp(
              builder, loc,
              tensor::getMixedSize(builder, loc, buffers[device], dim)));
    return OpFoldResult(sum);
  }

  OpFoldResult product(OpFoldResult extent, int64_t factor) {
    Value a = getValueOrCreateConstantIndexOp(builder, loc, extent);
    Value b = arith::ConstantIndexOp::create(builder, loc, factor);
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }

  int64_t positionIn(int64_t dim, int64_t device) const {
    return value.grid.positionInGroup(device, value.sharding.dims[dim]);
  }

  std::pair<OpFoldResult, OpFoldResult> dynamicBlock(Value whole, int64_t dim,
                                                     int64_t device) {
    Value extent = tensor::DimOp::create(builder, loc, whole, dim);
    if (value.grid.unevenDynamic)
      return unevenBlock(extent, value.sharding.dims[dim], device);
    int64_t parts = value.grid.groupSize(value.sharding.dims[dim]);
    Value count = arith::ConstantIndexOp::create(builder, loc, parts);
    Value size = builder.createOrFold<arith::DivUIOp>(loc, extent, count);
    return {product(size, positionIn(dim, device)), size};
  }

  /// The block of `device` of a dimension of `extent`, as blockAt cuts it.
  std::pair<OpFoldResult, OpFoldResult>
  unevenBlock(Value extent, const AxisList &axes, int64_t device) {
    std::vector<int64_t> coordinates = value.grid.coordinates(device);
    auto constant = [&](int64_t number) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, number);
    };
    Value begin = constant(0), end = extent, width = extent;
    for (GridAxis axis : axes) {
      Value parts = constant(value.grid.shape[axis]);
      Value rounded = arith::AddIOp::create(
          builder, loc, width, constant(value.grid.shape[axis] - 1));
      width = arith::DivUIOp::create(builder, loc, rounded, parts);
      Value next = arith::AddIOp::create(
          builder, loc, begin,
          arith::MulIOp::create(builder, loc, width,
                                constant(coordinates[axis])));
      begin = arith::MinUIOp::create(builder, loc, next, end);
      Value last = arith::AddIOp::create(builder, loc, begin, width);
      end = arith::MinUIOp::create(builder, loc, last, end);
    }
    return {begin, arith::SubIOp::create(builder, loc, end, begin).getResult()};
  }

  LocalBlock blockOf(int64_t dim, int64_t device) const {
    const Sharding &sharding = value.sharding;
    const AxisList &axes = sharding.dims[dim];
    LocalBlock block;
    std::vector<int64_t> sizes = value.grid.sizes(axes);
    int64_t extent = value.type.getDimSize(dim);
    int64_t position = positionIn(dim, device);
    // Halos and offsets are listed for split dimensions only.
    size_t splitBefore = 0, boundsBefore = 0;
    for (int64_t other = 0; other < dim; ++other)
      if (!sharding.dims[other].empty()) {
        ++splitBefore;
        boundsBefore += value.grid.groupSize(sharding.dims[other]) + 1;
      }
    if (!sharding.offsets.empty() && !axes.empty()) {
      int64_t begin = sharding.offsets[boundsBefore + position];
      int64_t end = sharding.offsets[boundsBefore + position + 1];
      block.own = {begin, end - begin};
      block.extent = end - begin;
    } else {
      block.own = blockAt(extent, sizes, delinearize(position, sizes));
      block.extent = localExtent(extent, value.grid.groupSize(axes));
    }
    if (!sharding.halos.empty() && !axes.empty()) {
      block.low = sharding.halos[2 * splitBefore];
      block.high = sharding.halos[2 * splitBefore + 1];
      block.extent += block.low + block.high;
    }
    return block;
  }

  OpBuilder &builder;
  Location loc;
  const GlobalValue &value;
};

} // namespace

/// What `shard.local` says of an argument or a result.
static FailureOr<GlobalValue> readGlobal(func::FuncOp function, LocalAttr local,
                                         SymbolTableCollection &symbols) {
  GlobalValue value;
  value.type = local.getType();
  FailureOr<LocalSharding> read = resolveLocal(function, local, symbols);
  if (failed(read))
    return failure();
  value.grid = std::move(read->sizes);
  value.sharding = std::move(read->sharding);
  return value;
}

/// A grid that refines all others that `function` names, or else the first one.
static GridOp finestGrid(func::FuncOp function,
                         SymbolTableCollection &symbols) {
  GridOp finest;
  auto uses = SymbolTable::getSymbolUses(function);
  if (!uses)
    return finest;
  for (const SymbolTable::SymbolUse &use : *uses) {
    auto grid = symbols.lookupNearestSymbolFrom<GridOp>(
        function, cast<SymbolRefAttr>(use.getSymbolRef()));
    if (grid && (!finest || succeeded(axesInRefinement(finest, grid, symbols))))
      finest = grid;
  }
  return finest;
}

/// The scope in which all devices of the grid are manual.
static FailureOr<Scope> scopeOf(func::FuncOp function,
                                SymbolTableCollection &symbols) {
  Scope scope;
  scope.grid = finestGrid(function, symbols);
  auto module = function->getParentOfType<ModuleOp>();
  for (auto grid : module.getOps<GridOp>())
    if (!scope.grid)
      scope.grid = grid;
  if (!scope.grid)
    return function.emitError() << "has collectives, but there is no grid";
  FailureOr<Grid> grid = staticGrid(scope.grid);
  if (failed(grid))
    return scope.grid.emitError("is of unknown size; --grid supplies one");
  scope.devices = *grid;
  scope.axes.resize(grid->rank());
  std::iota(scope.axes.begin(), scope.axes.end(), 0);
  int64_t devices = grid->numDevices();
  if (devices > kMaxManualCopies)
    return function.emitError("is the program of ")
           << devices << " devices; the reference of one device, which copies "
           << "it for each of them, supports " << kMaxManualCopies;
  scope.values.resize(devices);
  scope.members.resize(devices);
  std::iota(scope.members.begin(), scope.members.end(), 0);
  return scope;
}

/// Gives the new entry of `function` arguments of global types, and each device the
/// blocks of `arguments` that it has.
LogicalResult Unroller::cutArguments(func::FuncOp function,
                                     mlir::Block::BlockArgListType arguments,
                                     Scope &scope) {
  mlir::Block &entry = function.getBody().front();
  for (BlockArgument argument : arguments) {
    unsigned number = argument.getArgNumber();
    auto local = function.getArgAttrOfType<LocalAttr>(number, kLocalAttrName);
    function.removeArgAttr(number, kLocalAttrName);
    Value whole = entry.addArgument(
        local ? local.getType() : argument.getType(), argument.getLoc());
    FailureOr<GlobalValue> global =
        local ? readGlobal(function, local, symbols) : GlobalValue();
    if (failed(global))
      return failure();
    if (!global->sharding.partial.empty())
      return function.emitError("has argument ")
             << number << " partial, which the reference of one device does "
             << "not support: how a value falls into parts is not specified";
    for (int64_t device : scope.members) {
      Value own = whole;
      if (local)
        own = LayoutBuilder(builder, argument.getLoc(), *global)
                  .cut(whole, device, argument.getType());
      if (!own)
        return function.emitError("has argument ")
               << number << " with padding of " << local.getType()
               << ", which the reference of one device does not support";
      scope.values[device].map(argument, own);
    }
  }
  return success();
}

/// Result `number` of `function`, put together from what the devices return.
FailureOr<Value> Unroller::assembleResult(func::FuncOp function,
                                          unsigned number, Copies buffers) {
  auto local = function.getResultAttrOfType<LocalAttr>(number, kLocalAttrName);
  function.removeResultAttr(number, builder.getStringAttr(kLocalAttrName));
  if (!local)
    return buffers.front();
  FailureOr<GlobalValue> global = readGlobal(function, local, symbols);
  if (failed(global))
    return failure();
  if (!global->sharding.partial.empty()) {
    FailureOr<Copies> combined =
        CollectiveUnroller(builder, global->grid, {})
            .reduce(function, global->sharding.partial,
                    global->sharding.reduction, buffers,
                    local.getType().getElementType());
    if (failed(combined))
      return failure();
    buffers = *combined;
  }
  return LayoutBuilder(builder, function.getLoc(), *global).assemble(buffers);
}

LogicalResult Unroller::unrollFunction(func::FuncOp function) {
  FailureOr<Scope> scope = scopeOf(function, symbols);
  if (failed(scope))
    return failure();
  // The old body stays in the module, where it finds its grids.
  func::FuncOp source = function.cloneWithoutRegions();
  SymbolTable(function->getParentOfType<ModuleOp>()).insert(source);
  Region &old = source.getBody();
  old.takeBody(function.getBody());
  mlir::Block &entry = function.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&entry);
  if (failed(cutArguments(function, old.getArguments(), *scope)))
    return failure();

  Messages own(builder);
  messages = &own;
  SmallVector<Value> returned;
  if (old.hasOneBlock()) {
    if (failed(copyOps(old.front(), *scope)))
      return failure();
    returned = copiesOf(old.front().getTerminator()->getOperands(), *scope);
  } else {
    auto region = scf::ExecuteRegionOp::create(
        builder, function.getLoc(),
        copiesOf(function.getResultTypes(), *scope));
    if (failed(copyBlocks(old, region.getRegion(), *scope)))
      return failure();
    returned = region.getResults();
  }
  SmallVector<Value> wholes;
  size_t devices = scope->members.size();
  for (unsigned number = 0; number < function.getNumResults(); ++number) {
    FailureOr<Value> whole = assembleResult(
        function, number,
        Copies(ArrayRef(returned).slice(number * devices, devices)));
    if (failed(whole))
      return failure();
    wholes.push_back(*whole);
  }
  func::ReturnOp::create(builder, function.getLoc(), wholes);
  function.setFunctionType(builder.getFunctionType(
      entry.getArgumentTypes(), ValueRange(wholes).getTypes()));
  source.erase();
  return own.finish(entry);
}

bool shard::isPartitioned(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, kLocalAttrName))
      return true;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (function.getResultAttr(i, kLocalAttrName))
      return true;
  return false;
}

/// Whether `function` is what each device of a grid does.
static bool isSpmd(func::FuncOp function) {
  if (isPartitioned(function))
    return true;
  WalkResult walk = function.walk([](Operation *op) {
    bool isAnnotation =
        isa<ShardOp, ConstraintOp, GroupOp, ShardingOp, GetShardingOp, GridOp>(
            op);
    return isa_and_nonnull<ShardDialect>(op->getDialect()) && !isAnnotation
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

LogicalResult reference::unrollSpmdFunctions(ModuleOp module) {
  llvm::SetVector<func::FuncOp> spmd;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && isSpmd(function))
      spmd.insert(function);
  if (spmd.empty())
    return success();
  // Those that call them are such functions too.
  SymbolTableCollection symbols;
  for (size_t before = 0; before != spmd.size();) {
    before = spmd.size();
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](func::CallOp call) {
        auto callee = dyn_cast_or_null<func::FuncOp>(
            call.resolveCallableInTable(&symbols));
        if (callee && spmd.contains(callee))
          spmd.insert(function);
      });
  }
  module.getContext()
      ->loadDialect<arith::ArithDialect, complex::ComplexDialect,
                    cf::ControlFlowDialect, linalg::LinalgDialect,
                    scf::SCFDialect, tensor::TensorDialect>();
  for (func::FuncOp function : spmd)
    if (function.isPublic() ||
        SymbolTable::symbolKnownUseEmpty(function, module))
      if (failed(Unroller(module.getContext()).unrollFunction(function)))
        return failure();
  return success();
}
