//===- ShardDialect.cpp - The shard dialect -------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardDialect.h"

#include "shard/IR/HaloWindows.h"
#include "shard/IR/PropagateAttr.h"
#include "shard/IR/ShardBytecode.h"
#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/IR/Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "shard/IR/ShardDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "shard/IR/ShardTypes.cpp.inc"

namespace shard {

void registerShardDialect(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, BuiltinDialect *) {
    context->getOrLoadDialect<ShardDialect>();
  });
}

namespace {
/// Ops of the dialect may move into a caller, and all ops into the body of a
/// manual computation, where no hint is lost or changes its meaning.
struct ShardInliner : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const override {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override {
    return true;
  }
  bool isLegalToInline(Operation *op, Region *into, bool,
                       IRMapping &) const override {
    auto callee = op->getParentOfType<FunctionOpInterface>();
    // A hint of the signature is lost where the function is inlined.
    if (callee && hasSignatureHint(callee))
      return false;
    // The numbers of groups count per function: one that the caller has, maybe
    // from another call, would become one group with it.
    auto group = dyn_cast<GroupOp>(op);
    auto caller = into->getParentOfType<FunctionOpInterface>();
    if (!group || !caller)
      return true;
    WalkResult walk = caller->walk([&](GroupOp other) {
      return other.getId() == group.getId() ? WalkResult::interrupt()
                                            : WalkResult::advance();
    });
    return !walk.wasInterrupted();
  }
};
} // namespace

void ShardDialect::initialize() {
  addBytecodeInterface(this);
  addInterfaces<ShardInliner>();
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "shard/IR/ShardTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shard/IR/ShardOps.cpp.inc"
      >();
}

Operation *ShardDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

namespace {
/// The grid `name` of the nearest symbol table around `op`. A verifier of attributes is
/// given no table of symbols; grids stand first or last in most modules, so that a search
/// from both ends finds them at once, however many functions there are.
GridOp lookupGrid(Operation *op, FlatSymbolRefAttr name) {
  Operation *table = symbolScope(op);
  if (!table || table->getRegion(0).empty())
    return {};
  mlir::Block &body = table->getRegion(0).front();
  auto isIt = [&](Operation &candidate) {
    auto grid = dyn_cast<GridOp>(candidate);
    return grid && grid.getSymNameAttr() == name.getAttr();
  };
  for (auto first = body.begin(), end = body.end(); first != end; ++first) {
    if (isIt(*first))
      return cast<GridOp>(*first);
    if (--end == first)
      break;
    if (isIt(*end))
      return cast<GridOp>(*end);
  }
  return {};
}

FailureOr<GridOp> findGrid(Operation *op, ShardingAttr sharding,
                           EmitErrorFn emitError) {
  GridOp grid = lookupGrid(op, sharding.getGrid());
  // dialect_attr_c1
  if (!grid)
    return emitError() << "no grid is called \""
                       << sharding.getGrid().getValue() << "\"",
           failure();
  return grid;
}

LogicalResult verifyShardingOn(Operation *op, ShardingAttr sharding, Type type,
                               EmitErrorFn emitError) {
  FailureOr<GridOp> grid = findGrid(op, sharding, emitError);
  if (failed(grid))
    return failure();
  // dialect_attr_c2
  if (!isa<RankedTensorType, MemRefType>(type))
    return emitError() << "expects a ranked tensor to shard, got " << type;
  return resolve(sharding, *grid, type, emitError);
}

LogicalResult verifyLocal(Operation *op, LocalAttr local, Type type,
                          EmitErrorFn emitError) {
  ShardingAttr sharding = local.getSharding();
  FailureOr<GridOp> grid = findGrid(op, sharding, emitError);
  if (failed(grid))
    return failure();
  FailureOr<ResolvedSharding> resolved =
      resolve(sharding, *grid, local.getType(), emitError);
  if (failed(resolved))
    return failure();
  FailureOr<Grid> sizes = staticGrid(*grid);
  FailureOr<Sharding> closed = toSharding(*resolved);
  // dialect_attr_c3
  if (failed(closed))
    return emitError() << "expects whole axes, not sub-axes";
  // dialect_attr_c27
  if (llvm::any_of(resolved->dims,
                   [](const ResolvedDim &dim) { return dim.open; }))
    return emitError() << "expects closed dimensions: a block has one sharding";
  if (failed(sizes))
    return success();
  RankedTensorType expected = localType(local.getType(), *sizes, *closed);
  auto shaped = dyn_cast<ShapedType>(type);
  // dialect_attr_c4
  if (!shaped || !shaped.hasRank() ||
      shaped.getElementType() != expected.getElementType() ||
      failed(verifyCompatibleShape(shaped.getShape(), expected.getShape())))
    return emitError() << "expects the local type " << expected << " of "
                       << local.getType() << ", got " << type;
  return success();
}

LogicalResult verifyOnValue(Operation *op, NamedAttribute attribute, Type type,
                            EmitErrorFn emitError) {
  // dialect_attr_c5
  if (attribute.getName() == kShardingAttrName) {
    if (auto sharding = dyn_cast<ShardingAttr>(attribute.getValue()))
      return verifyShardingOn(op, sharding, type, emitError);
    return emitError() << "expects a #shard.sharding attribute";
  }
  // dialect_attr_c6
  if (attribute.getName() == kLocalAttrName) {
    if (auto local = dyn_cast<LocalAttr>(attribute.getValue()))
      return verifyLocal(op, local, type, emitError);
    return emitError() << "expects a #shard.local attribute";
  }
  // dialect_attr_c13
  return emitError()
         << "is none of this dialect: those of arguments and results "
            "are \""
         << kShardingAttrName << "\" and \"" << kLocalAttrName << '"';
}
} // namespace

LogicalResult ShardDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  auto emitError = [&] {
    return op->emitOpError() << "attribute \"" << name << "\" ";
  };
  // dialect_attr_c7
  if (name == kLocalAttrName)
    return emitError() << "is for arguments and results of functions only";
  if (name == kMachineAttrName) {
    // dialect_attr_c15
    if (!isa<GridOp>(op))
      return emitError() << "is for shard.grid only";
    auto figures = dyn_cast<DictionaryAttr>(attribute.getValue());
    // dialect_attr_c16
    if (!figures)
      return emitError() << "expects a dictionary";
    return LogicalResult(readMachine(figures, emitError));
  }
  if (name == kWindowsAttrName)
    return verifyWindows(op, attribute.getValue(), emitError);
  if (name == kPropagateAttrName)
    return verifyPassage(op, attribute.getValue(), emitError);
  if (name == kStepAttrName)
    return verifyStep(op, attribute.getValue(), emitError);
  if (name == kRecomputeAttrName)
    return verifyRecompute(op, attribute.getValue(), emitError);
  if (name == kHaloStepsAttrName)
    return verifyHaloSteps(op, attribute.getValue(), emitError);
  // dialect_attr_c14
  if (name != kShardingAttrName && name != kLoopsAttrName)
    return emitError() << "is none of this dialect: those of ops are \""
                       << kShardingAttrName << "\", \"" << kLoopsAttrName
                       << "\" and \"" << kRecomputeAttrName
                       << "\", that of a loop is \"" << kHaloStepsAttrName
                       << "\", that of a grid is \"" << kMachineAttrName
                       << "\", that of shard.update_halo is \""
                       << kWindowsAttrName
                       << "\", that of shard.constraint is \""
                       << kPropagateAttrName << "\", that of shard.shard is \""
                       << kStepAttrName << '"';
  auto sharding = dyn_cast<ShardingAttr>(attribute.getValue());
  // dialect_attr_c8
  if (!sharding)
    return emitError() << "expects a #shard.sharding attribute";
  if (name == kLoopsAttrName) {
    // dialect_attr_c9
    if (!sharding.getHalos().empty() || !sharding.getOffsets().empty() ||
        sharding.getPartialKind())
      return emitError() << "says which axes shard each loop: no partial axes, "
                            "halos or offsets";
    FailureOr<GridOp> grid = findGrid(op, sharding, emitError);
    return failed(grid)
               ? failure()
               : LogicalResult(resolve(sharding, *grid, Type(), emitError));
  }
  // dialect_attr_c10
  if (op->getNumResults() != 1)
    return emitError() << "expects an op of one result, this one has "
                       << op->getNumResults();
  return verifyShardingOn(op, sharding, op->getResult(0).getType(), emitError);
}

LogicalResult ShardDialect::verifyRegionArgAttribute(Operation *op,
                                                     unsigned region,
                                                     unsigned index,
                                                     NamedAttribute attribute) {
  auto emitError = [&] {
    return op->emitOpError() << "attribute \"" << attribute.getName().getValue()
                             << "\" of argument " << index << " ";
  };
  auto function = dyn_cast<FunctionOpInterface>(op);
  // dialect_attr_c11
  if (!function || index >= function.getNumArguments())
    return emitError() << "is for functions only";
  return verifyOnValue(op, attribute, function.getArgumentTypes()[index],
                       emitError);
}

LogicalResult ShardDialect::verifyRegionResultAttribute(
    Operation *op, unsigned region, unsigned index, NamedAttribute attribute) {
  auto emitError = [&] {
    return op->emitOpError() << "attribute \"" << attribute.getName().getValue()
                             << "\" of result " << index << " ";
  };
  auto function = dyn_cast<FunctionOpInterface>(op);
  // dialect_attr_c12
  if (!function || index >= function.getNumResults())
    return emitError() << "is for functions only";
  return verifyOnValue(op, attribute, function.getResultTypes()[index],
                       emitError);
}

} // namespace shard
