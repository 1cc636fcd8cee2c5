//===- CollectiveCalls.cpp - Calls of the runtime by collectives ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveCalls.h"

#include "shard/IR/HaloWindows.h"
#include "shard/IR/Overlap.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Runtime/Runtime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

namespace {

OpFoldResult number(MLIRContext *context, int64_t value) {
  return IntegerAttr::get(IndexType::get(context), value);
}

/// Fills in what an op says, field by field.
struct Description {
  MLIRContext *context;
  CollectiveCall call;

  template <typename Op>
  explicit Description(Op op, StringRef name) : context(op.getContext()) {
    call.name = name;
    call.grid = op.getGridAttr();
  }

  Description &axes(ArrayRef<int16_t> axes) {
    call.axes.assign(axes.begin(), axes.end());
    return *this;
  }
  Description &add(int64_t value) {
    call.arguments.push_back({false, {number(context, value)}});
    return *this;
  }
  Description &add(const APInt &value) { return add(value.getSExtValue()); }
  Description &words(ArrayRef<int64_t> values) {
    call.arguments.push_back({true, {}});
    for (int64_t value : values)
      call.arguments.back().values.push_back(number(context, value));
    return *this;
  }
  Description &words(ArrayRef<int64_t> known, ValueRange unknown) {
    call.arguments.push_back({true, {}});
    auto next = unknown.begin();
    for (int64_t value : known)
      call.arguments.back().values.push_back(ShapedType::isDynamic(value)
                                                 ? OpFoldResult(*next++)
                                                 : number(context, value));
    return *this;
  }
  Description &reduction(ReductionKind kind) {
    call.combines = true;
    return add(int64_t(kind));
  }
  Description &cuts(const APInt &dim) {
    call.cutDim = dim.getSExtValue();
    return *this;
  }
  Description &grows(const APInt &dim) {
    call.growDim = dim.getSExtValue();
    return *this;
  }
  operator FailureOr<CollectiveCall>() { return std::move(call); }
};

FailureOr<CollectiveCall> describe(AllGatherOp op) {
  return Description(op, "all_gather")
      .axes(op.getGridAxes())
      .grows(op.getGatherAxis())
      .add(op.getGatherAxis());
}

FailureOr<CollectiveCall> describe(AllSliceOp op) {
  return Description(op, "all_slice")
      .axes(op.getGridAxes())
      .cuts(op.getSliceAxis())
      .add(op.getSliceAxis());
}

FailureOr<CollectiveCall> describe(AllToAllOp op) {
  return Description(op, "all_to_all")
      .axes(op.getGridAxes())
      .cuts(op.getSplitAxis())
      .grows(op.getConcatAxis())
      .add(op.getSplitAxis())
      .add(op.getConcatAxis());
}

FailureOr<CollectiveCall> describe(PermuteOp op) {
  SmallVector<int64_t> to = {int64_t(op.getToAxes().size())};
  llvm::append_range(to, op.getToAxes());
  return Description(op, "permute").axes(op.getFromAxes()).words(to);
}

FailureOr<CollectiveCall> describe(RedistributeOp op) {
  int64_t rank = op.getExtents().size();
  // Of each dimension the number of its axes, then the axes.
  auto words = [&](GridAxesArrayAttr lists) {
    SmallVector<int64_t> result;
    for (int64_t dim = 0; dim < rank; ++dim) {
      ArrayRef<GridAxis> axes;
      if (dim < int64_t(lists.size()))
        axes = lists.getAxes()[dim].asArrayRef();
      result.push_back(axes.size());
      llvm::append_range(result, axes);
    }
    return result;
  };
  return Description(op, "redistribute")
      .axes(op.getGridAxes())
      .words(op.getExtents())
      .words(words(op.getFrom()))
      .words(words(op.getTo()));
}

FailureOr<CollectiveCall> describe(ShiftOp op) {
  SmallVector<int64_t> along = {int64_t(op.getShiftAxes().size())};
  llvm::append_range(along, op.getShiftAxes());
  return Description(op, "shift")
      .axes(op.getGridAxes())
      .words(along)
      .add(op.getOffset())
      .add(op.getRotate() ? 1 : 0)
      .add(op.getMirror() ? 1 : 0);
}

FailureOr<CollectiveCall> describe(BroadcastOp op) {
  return Description(op, "broadcast")
      .axes(op.getGridAxes())
      .words(op.getRoot(), op.getRootDynamic());
}

FailureOr<CollectiveCall> describe(GatherOp op) {
  return Description(op, "gather")
      .axes(op.getGridAxes())
      .grows(op.getGatherAxis())
      .add(op.getGatherAxis())
      .words(op.getRoot(), op.getRootDynamic());
}

FailureOr<CollectiveCall> describe(ScatterOp op) {
  return Description(op, "scatter")
      .axes(op.getGridAxes())
      .cuts(op.getScatterAxis())
      .add(op.getScatterAxis())
      .words(op.getRoot(), op.getRootDynamic());
}

FailureOr<CollectiveCall> describe(SendOp op) {
  Description result(op, "send");
  result.call.givesResult = false;
  return result.axes(op.getGridAxes())
      .words(op.getDestination(), op.getDestinationDynamic());
}

FailureOr<CollectiveCall> describe(RecvOp op) {
  Description result(op, "recv");
  result.call.takesInput = false;
  result.axes(op.getGridAxes());
  if (std::optional<ArrayRef<int64_t>> source = op.getSource())
    return result.words(*source, op.getSourceDynamic());
  return result.words(ArrayRef<int64_t>());
}

FailureOr<CollectiveCall> describe(AllReduceOp op) {
  return Description(op, "all_reduce")
      .axes(op.getGridAxes())
      .reduction(op.getReduction());
}

FailureOr<CollectiveCall> describe(ReduceOp op) {
  return Description(op, "reduce")
      .axes(op.getGridAxes())
      .reduction(op.getReduction())
      .words(op.getRoot(), op.getRootDynamic());
}

FailureOr<CollectiveCall> describe(ReduceScatterOp op) {
  return Description(op, "reduce_scatter")
      .axes(op.getGridAxes())
      .cuts(op.getScatterAxis())
      .reduction(op.getReduction())
      .add(op.getScatterAxis());
}

FailureOr<CollectiveCall> describe(UpdateHaloOp op) {
  Description result(op, "update_halo");
  int64_t rank = cast<ShapedType>(op.getResult().getType()).getRank();
  SmallVector<int64_t> axesPerDim(rank, 0);
  CallArgument halos{true, {}};
  halos.values.assign(2 * rank, number(op.getContext(), 0));
  // Widths come in pairs, one pair per dimension that axes split.
  ArrayRef<int64_t> known = op.getStaticHaloSizes();
  auto unknown = op.getHaloSizes().begin();
  size_t next = 0;
  for (auto [dim, axes] : llvm::enumerate(op.getSplitAxes())) {
    if (axes.empty() || int64_t(dim) >= rank)
      continue;
    axesPerDim[dim] = axes.size();
    llvm::append_range(result.call.axes, axes.asArrayRef());
    for (size_t side = 0; side < 2 && next < known.size(); ++side, ++next)
      halos.values[2 * dim + side] = ShapedType::isDynamic(known[next])
                                         ? OpFoldResult(*unknown++)
                                         : number(op.getContext(), known[next]);
  }
  result.words(axesPerDim);
  result.call.arguments.push_back(std::move(halos));
  // Without words, all is read.
  SmallVector<int64_t> windows;
  for (const std::optional<WindowReads> &read : getWindows(op)) {
    WindowReads numbers = read.value_or(WindowReads{0, {0, 0, 0}, {0, 0}, 1});
    windows.append({numbers.iterations, numbers.window.stride,
                    numbers.window.offset, numbers.window.reach,
                    numbers.valid.offset, numbers.valid.size, numbers.step});
  }
  return result.words(windows);
}

/// The group of `call` as the runtime's words.
FailureOr<SmallVector<int64_t>> groupWords(Operation *op,
                                           const CollectiveCall &call,
                                           SymbolTableCollection &symbols) {
  GridOp grid = getGrid(op, call.grid, symbols);
  if (!grid)
    return op->emitOpError()
           << "refers to " << call.grid << ", which is no grid of the module";
  SmallVector<int64_t> shape = runtimeShape(grid);
  SmallVector<int64_t> words = {int64_t(shape.size())};
  llvm::append_range(words, shape);
  words.push_back(call.axes.size());
  llvm::append_range(words, call.axes);
  return words;
}

/// Whether the runtime has the reduction of `op` on elements of `type`. The op's verifier has
/// checked that those of integers are on integers.
LogicalResult checkReduction(Operation *op, ReductionKind kind, Type type) {
  StringRef name = stringifyReductionKind(kind);
  bool hasCombiner = op->getNumRegions() > 0 && !op->getRegion(0).empty();
  if (kind == ReductionKind::Generic && hasCombiner)
    return op->emitOpError()
           << "has a combiner, which the runtime cannot call; "
              "run shard-expand-combiners first";
  if (kind == ReductionKind::Generic)
    return op->emitOpError() << "has the reduction generic, but no combiner "
                                "says what it is; give "
                                "one, or use one of the named kinds";
  if (type.isInteger(1) && kind == ReductionKind::Average)
    return op->emitOpError() << "has the reduction average, which has no "
                                "meaning on i1";
  return success();
}

} // namespace

int64_t conversion::runtimeType(Type type, bool combines) {
  if (type.isF16())
    return SHARD_RT_F16;
  if (type.isBF16())
    return SHARD_RT_BF16;
  if (type.isF32())
    return SHARD_RT_F32;
  if (type.isF64())
    return SHARD_RT_F64;
  if (type.isIndex())
    return SHARD_RT_I64;
  unsigned width = 0;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (combines && !integer.isSignless())
      return 0;
    width = integer.getWidth();
  } else if (combines) {
    return 0;
  } else if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isIntOrFloat())
      width = 2 * complex.getElementType().getIntOrFloatBitWidth();
  } else if (type.isIntOrFloat()) {
    width = type.getIntOrFloatBitWidth();
  }
  switch (width) {
  case 1:
    return SHARD_RT_I1;
  case 8:
    return SHARD_RT_I8;
  case 16:
    return SHARD_RT_I16;
  case 32:
    return SHARD_RT_I32;
  case 64:
    return SHARD_RT_I64;
  default:
    return 0;
  }
}

FailureOr<CollectiveCall> conversion::describeCollective(Operation *op) {
  auto described =
      TypeSwitch<Operation *, FailureOr<CollectiveCall>>(op)
          .Case<AllGatherOp, AllReduceOp, AllSliceOp, AllToAllOp, BroadcastOp,
                GatherOp, PermuteOp, RecvOp, RedistributeOp, ReduceOp,
                ReduceScatterOp, ScatterOp, SendOp, ShiftOp, UpdateHaloOp>(
              [](auto collective) { return describe(collective); })
          .Default([](Operation *other) -> FailureOr<CollectiveCall> {
            return other->emitOpError() << "is no collective of the runtime";
          });
  if (failed(described))
    return failure();
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (runtimeType(type, described->combines) == 0)
    return op->emitOpError()
           << "has elements of type " << type << "; the runtime "
           << (described->combines
                   ? "combines f16, bf16, f32, f64, index and signless "
                     "integers of 1, 8, 16, 32 or 64 bits"
                   : "moves elements of 1, 8, 16, 32 or 64 bits");
  if (auto kind = op->getAttrOfType<ReductionKindAttr>("reduction"))
    if (failed(checkReduction(op, kind.getValue(), type)))
      return failure();
  return described;
}

FailureOr<SmallVector<Value>>
conversion::resultSizes(OpBuilder &builder, Operation *op,
                        const CollectiveCall &call, ShapedType type,
                        Value input, SymbolTableCollection &symbols) {
  FailureOr<SmallVector<int64_t>> group = groupWords(op, call, symbols);
  if (failed(group))
    return failure();
  RuntimeEmitter emitter(builder, op, symbols);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    Value extent =
        memref::DimOp::create(builder, op->getLoc(), input, emitter.index(dim));
    bool cuts = dim == call.cutDim, grows = dim == call.growDim;
    auto ask = [&](StringRef name, ArrayRef<Value> operands) {
      SmallVector<Value> all = {emitter.location(),
                                emitter.constantWords(*group)};
      llvm::append_range(all, operands);
      func::CallOp asked =
          emitter.call(("shard_rt_" + name).str(), all, /*hasResult=*/true);
      asked->setAttr(kCollectiveMark,
                     markOf(op->getContext(), name, call.grid, call.axes));
      return asked.getResult(0);
    };
    if (cuts && !grows)
      extent = ask("divide_extent", {extent});
    if (grows && !cuts)
      extent = arith::MulIOp::create(builder, op->getLoc(), extent,
                                     ask("group_size", {}));
    sizes.push_back(extent);
  }
  return sizes;
}

LogicalResult conversion::emitCollective(OpBuilder &builder, Operation *op,
                                         const CollectiveCall &call,
                                         Value input, Value result,
                                         SymbolTableCollection &symbols) {
  FailureOr<SmallVector<int64_t>> group = groupWords(op, call, symbols);
  if (failed(group))
    return failure();
  Location loc = op->getLoc();
  RuntimeEmitter outer(builder, op, symbols);

  // What the function of this call takes: buffers, then numbers that are known
  // only when the program runs.
  SmallVector<Value> operands;
  if (call.takesInput)
    operands.push_back(input);
  bool inPlace = call.takesInput && call.givesResult && input == result;
  if (call.givesResult && !inPlace)
    operands.push_back(result);
  size_t numBuffers = operands.size();
  for (const CallArgument &argument : call.arguments)
    for (OpFoldResult value : argument.values)
      if (auto dynamic = dyn_cast<Value>(value)) {
        if (!dynamic.getType().isIndex())
          dynamic = arith::IndexCastOp::create(builder, loc,
                                               builder.getIndexType(), dynamic);
        operands.push_back(dynamic);
      }
  func::FuncOp function = outer.createFunction(("__shard_" + call.name).str(),
                                               ValueRange(operands).getTypes());
  function->setAttr(kCollectiveMark,
                    markOf(op->getContext(), call.name, call.grid, call.axes,
                           call.arguments));
  func::CallOp::create(builder, loc, function, operands);

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  RuntimeEmitter emitter(builder, op, symbols);
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  SmallVector<Value> arguments = {
      emitter.location(), emitter.constantWords(*group),
      emitter.index(runtimeType(type, call.combines))};
  for (size_t i = 0; i < numBuffers; ++i)
    arguments.push_back(emitter.describeBuffer(function.getArgument(i)));
  if (inPlace)
    arguments.push_back(arguments.back());
  size_t next = numBuffers;
  for (const CallArgument &argument : call.arguments) {
    SmallVector<int64_t> known;
    SmallVector<Value> values;
    for (OpFoldResult value : argument.values) {
      std::optional<int64_t> constant =
          isa<Attribute>(value) ? getConstantIntValue(value) : std::nullopt;
      if (constant)
        known.push_back(*constant);
      values.push_back(constant ? emitter.index(*constant)
                                : Value(function.getArgument(next++)));
    }
    if (!argument.isWords)
      arguments.push_back(values.front());
    else if (values.empty())
      arguments.push_back(emitter.index(0));
    else if (known.size() == values.size())
      arguments.push_back(emitter.constantWords(known));
    else
      arguments.push_back(emitter.stackWords(values));
  }
  if (isStarted(op))
    emitter.call("shard_rt_start", emitter.location());
  emitter.call(("shard_rt_" + call.name).str(), arguments);
  func::ReturnOp::create(builder, loc);
  return success();
}

void conversion::emitWait(OpBuilder &builder, WaitOp op, Value result,
                          Value input, SymbolTableCollection &symbols) {
  Location loc = op.getLoc();
  // Takes the buffers, so that both are in use until then.
  SmallVector<Value> operands{result, input};
  func::FuncOp function =
      RuntimeEmitter(builder, op, symbols)
          .createFunction("__shard_wait", ValueRange(operands).getTypes());
  func::CallOp::create(builder, loc, function, operands);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  RuntimeEmitter emitter(builder, op, symbols);
  SmallVector<Value> arguments{emitter.location()};
  for (Value buffer : function.getArguments())
    arguments.push_back(
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer));
  emitter.call("shard_rt_wait", arguments);
  func::ReturnOp::create(builder, loc);
}
