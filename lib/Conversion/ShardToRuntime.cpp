//===- ShardToRuntime.cpp - Pass convert-shard-to-runtime -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveCalls.h"

#include "shard/Conversion/Conversion.h"
#include "shard/Conversion/Passes.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

namespace shard {
#define GEN_PASS_DEF_CONVERTSHARDTORUNTIME
#include "shard/Conversion/Passes.h.inc"
} // namespace shard

namespace {

/// Arithmetic on the coordinates of one grid, at the insertion point.
class GridArithmetic {
public:
  GridArithmetic(OpBuilder &builder, Operation *op, GridOp grid,
                 SymbolTableCollection &symbols)
      : emitter(builder, op, symbols), shape(runtimeShape(grid)) {}

  /// The size of an axis.
  Value extent(int64_t axis) {
    if (shape[axis] >= 0)
      return emitter.index(shape[axis]);
    Value operands[] = {emitter.location(), emitter.index(shape.size()),
                        emitter.constantWords(shape), emitter.index(axis)};
    return emitter.call("shard_rt_grid_extent", operands, true).getResult(0);
  }
  /// How far the devices that differ by one on `axis` are apart.
  Value stride(int64_t axis) {
    Value product;
    for (int64_t i = axis + 1, e = shape.size(); i < e; ++i)
      product = product ? multiply(product, extent(i)) : extent(i);
    return product ? product : emitter.index(1);
  }
  Value linearIndex() {
    return emitter.call("shard_rt_process_linear_index", {}, true).getResult(0);
  }
  /// The coordinate on `axis` of the device at `linear`.
  Value coordinate(Value linear, int64_t axis) {
    Value position = linear;
    if (axis + 1 < int64_t(shape.size()))
      position = arith::DivUIOp::create(emitter.builder, emitter.loc, linear,
                                        stride(axis));
    // Nothing is outside of axis 0.
    if (axis == 0)
      return position;
    return arith::RemUIOp::create(emitter.builder, emitter.loc, position,
                                  extent(axis));
  }
  Value multiply(Value a, Value b) {
    return arith::MulIOp::create(emitter.builder, emitter.loc, a, b);
  }
  int64_t rank() const { return shape.size(); }

  RuntimeEmitter emitter;

private:
  SmallVector<int64_t> shape;
};

/// The listed axes; all of them if the list is empty.
SmallVector<int64_t> axesOrAll(ArrayRef<int16_t> axes, int64_t rank) {
  SmallVector<int64_t> result(axes.begin(), axes.end());
  if (result.empty())
    llvm::append_range(result, llvm::seq<int64_t>(0, rank));
  return result;
}

/// Rewrites one op after another, in place.
class Lowering {
public:
  explicit Lowering(ModuleOp module)
      : module(module), rewriter(module.getContext()) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    module.walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (isa_and_nonnull<ShardDialect>(op->getDialect()) ||
          isa<cf::AssertOp>(op))
        ops.push_back(op);
    });
    // Users first, so that handles without a use are seen as such.
    for (Operation *op : llvm::reverse(ops))
      if (failed(lower(op)))
        return failure();
    eraseGrids(module);
    eraseAttributes();
    return success();
  }

private:
  LogicalResult lower(Operation *op);
  LogicalResult lower(GridShapeOp op, GridArithmetic &grid);
  LogicalResult lower(ProcessMultiIndexOp op, GridArithmetic &grid);
  LogicalResult lower(ProcessLinearIndexOp op, GridArithmetic &grid);
  LogicalResult lower(NeighborsLinearIndicesOp op, GridArithmetic &grid);
  LogicalResult lowerCollective(Operation *op);
  LogicalResult lowerAssert(cf::AssertOp op);
  static void eraseGrids(Operation *root);
  void eraseAttributes();

  ModuleOp module;
  IRRewriter rewriter;
  SymbolTableCollection symbols;
};

} // namespace

LogicalResult Lowering::lower(GridShapeOp op, GridArithmetic &grid) {
  SmallVector<Value> results;
  for (int64_t axis : axesOrAll(op.getAxes(), grid.rank()))
    results.push_back(grid.extent(axis));
  rewriter.replaceOp(op, results);
  return success();
}

LogicalResult Lowering::lower(ProcessMultiIndexOp op, GridArithmetic &grid) {
  Value linear = grid.linearIndex();
  SmallVector<Value> results;
  for (int64_t axis : axesOrAll(op.getAxes(), grid.rank()))
    results.push_back(grid.coordinate(linear, axis));
  rewriter.replaceOp(op, results);
  return success();
}

LogicalResult Lowering::lower(ProcessLinearIndexOp op, GridArithmetic &grid) {
  rewriter.replaceOp(op, grid.linearIndex());
  return success();
}

LogicalResult Lowering::lower(NeighborsLinearIndicesOp op,
                              GridArithmetic &grid) {
  Location loc = op.getLoc();
  int64_t axis = op.getSplitAxes()[0];
  Value linear = grid.emitter.index(0);
  for (auto [i, coordinate] : llvm::enumerate(op.getDevice()))
    linear = arith::AddIOp::create(
        rewriter, loc, grid.multiply(linear, grid.extent(i)), coordinate);
  Value here = op.getDevice()[axis];
  Value stride = grid.stride(axis);
  Value one = grid.emitter.index(1), none = grid.emitter.index(-1);
  Value last = arith::SubIOp::create(rewriter, loc, grid.extent(axis), one);
  Value hasDown = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::sgt, here, grid.emitter.index(0));
  Value hasUp = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                      here, last);
  Value down = arith::SubIOp::create(rewriter, loc, linear, stride);
  Value up = arith::AddIOp::create(rewriter, loc, linear, stride);
  rewriter.replaceOp(
      op,
      {arith::SelectOp::create(rewriter, loc, hasDown, down, none).getResult(),
       arith::SelectOp::create(rewriter, loc, hasUp, up, none).getResult()});
  return success();
}

/// The memref forms: all_reduce into fresh memory, update_halo in place.
LogicalResult Lowering::lowerCollective(Operation *op) {
  FailureOr<CollectiveCall> call = describeCollective(op);
  if (failed(call))
    return failure();
  Value input = op->getOperand(0);
  auto inputType = dyn_cast<MemRefType>(input.getType());
  auto type = dyn_cast<MemRefType>(op->getResult(0).getType());
  if (!type || !inputType)
    return op->emitOpError()
           << "is on " << op->getResult(0).getType()
           << "; only ranked memrefs can be lowered: run one-shot-bufferize "
              "before convert-shard-to-runtime";
  if (isa<UpdateHaloOp>(op)) {
    if (failed(emitCollective(rewriter, op, *call, input, input, symbols)))
      return failure();
    rewriter.replaceOp(op, input);
    return success();
  }
  if (!type.getLayout().isIdentity())
    return op->emitOpError() << "has a result of type " << type
                             << "; fresh memory has the identity layout";
  if (inputType.getElementType() != type.getElementType()) {
    auto convertedType =
        MemRefType::get(inputType.getShape(), type.getElementType());
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < inputType.getRank(); ++dim)
      if (inputType.isDynamicDim(dim))
        sizes.push_back(
            memref::DimOp::create(rewriter, op->getLoc(), input, dim));
    Value converted =
        memref::AllocOp::create(rewriter, op->getLoc(), convertedType, sizes);
    if (failed(emitElementConversion(rewriter, op, input, converted)))
      return failure();
    input = converted;
  }
  FailureOr<SmallVector<Value>> sizes =
      resultSizes(rewriter, op, *call, type, input, symbols);
  if (failed(sizes))
    return failure();
  Value result = memref::AllocOp::create(rewriter, op->getLoc(), type, *sizes);
  if (failed(emitCollective(rewriter, op, *call, input, result, symbols)))
    return failure();
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult Lowering::lowerAssert(cf::AssertOp op) {
  Location loc = op.getLoc();
  Value isTrue = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
  Value fails = arith::XOrIOp::create(rewriter, loc, op.getArg(), isTrue);
  auto branch = scf::IfOp::create(rewriter, loc, fails, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  RuntimeEmitter emitter(rewriter, op, symbols);
  std::string message =
      "at " + describeLocation(loc) + ": " + op.getMsg().str();
  emitter.call("shard_rt_fail", emitter.constantText(message));
  rewriter.eraseOp(op);
  return success();
}

LogicalResult Lowering::lower(Operation *op) {
  rewriter.setInsertionPoint(op);
  if (isa<GridOp>(op))
    return success();
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return lowerAssert(assertion);
  if (isa<AllReduceOp, UpdateHaloOp>(op))
    return lowerCollective(op);
  if (isa<GridShapeOp, ProcessMultiIndexOp, ProcessLinearIndexOp,
          NeighborsLinearIndicesOp>(op)) {
    auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("grid");
    GridOp grid = symbol ? getGrid(op, symbol, symbols) : GridOp();
    if (!grid)
      return op->emitOpError() << "refers to no grid of the module";
    GridArithmetic arithmetic(rewriter, op, grid, symbols);
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case<GridShapeOp, ProcessMultiIndexOp, ProcessLinearIndexOp,
              NeighborsLinearIndicesOp>(
            [&](auto concrete) { return lower(concrete, arithmetic); });
  }
  // Handles of the compiler that nothing refers to.
  if (isa<ShardingOp, GetShardingOp>(op) && op->use_empty()) {
    rewriter.eraseOp(op);
    return success();
  }
  bool onTensors =
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
  if (onTensors && !isa<ShardOp>(op) && op->hasAttr("grid"))
    return op->emitOpError("is on tensors: run one-shot-bufferize before "
                           "convert-shard-to-runtime");
  return op->emitOpError("has no lowering");
}

void Lowering::eraseGrids(Operation *root) {
  SmallVector<GridOp> grids;
  root->walk([&](GridOp grid) { grids.push_back(grid); });
  for (GridOp grid : grids)
    grid.erase();
}

/// Attributes of the dialect mean nothing to what comes next.
void Lowering::eraseAttributes() {
  auto isOurs = [](NamedAttribute attribute) {
    return attribute.getName().getValue().starts_with("shard.");
  };
  auto filter = [&](DictionaryAttr attributes) {
    SmallVector<NamedAttribute> kept;
    for (NamedAttribute attribute : attributes)
      if (!isOurs(attribute))
        kept.push_back(attribute);
    return DictionaryAttr::get(module.getContext(), kept);
  };
  module.walk([&](Operation *op) {
    SmallVector<StringAttr> names;
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (isOurs(attribute))
        names.push_back(attribute.getName());
    for (StringAttr name : names)
      op->removeDiscardableAttr(name);
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return;
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (DictionaryAttr attributes = function.getArgAttrDict(i))
        function.setArgAttrs(i, filter(attributes));
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      if (DictionaryAttr attributes = function.getResultAttrDict(i))
        function.setResultAttrs(i, filter(attributes));
  });
}

LogicalResult shard::convertShardToRuntime(ModuleOp module) {
  SymbolTableCollection symbols;
  if (failed(verifyPartitioned(module)) ||
      failed(expandShardShapes(module, symbols)))
    return failure();
  return Lowering(module).run();
}

namespace {
struct ConvertShardToRuntimePass
    : public shard::impl::ConvertShardToRuntimeBase<ConvertShardToRuntimePass> {
  void runOnOperation() override {
    if (failed(convertShardToRuntime(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void shard::buildShardToRuntimePipeline(OpPassManager &manager) {
  // Copies that the deallocation passes leave behind.
  manager.addPass(createConvertBufferizationToMemRefPass());
  manager.addPass(createConvertShardToRuntime());
}

/// Makes the pass of `create` known, unless the process has one of this name.
static void registerOnce(const PassAllocatorFunction &create) {
  StringRef name = create()->getArgument();
  if (!PassInfo::lookup(name) && !PassPipelineInfo::lookup(name))
    registerPass(create);
}

void shard::registerConversionPasses() {
  registerOnce([] { return createConvertShardToRuntime(); });
  registerOnce([] { return createShardExpandCombiners(); });
  registerOnce([] { return createShardLegalizeElements(); });
  registerOnce([] { return createShardVerifyPartitioned(); });
}
