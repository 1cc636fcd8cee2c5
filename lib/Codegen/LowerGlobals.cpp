//===- LowerGlobals.cpp - Globals of ml_program as buffers of a run ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mutable global is a variable of the program. All devices of a grid run in one
// process, each with variables of its own: the entry makes a buffer for each of
// them, with the initial value, and hands them to what it calls.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

namespace {

/// The globals of a module, in the order of the text.
struct Globals {
  SmallVector<ml_program::GlobalOp> ops;
  SmallVector<MemRefType> types;

  std::optional<unsigned> find(Operation *user, SymbolRefAttr name) const {
    Operation *target = SymbolTable::lookupNearestSymbolFrom(user, name);
    for (auto [index, op] : llvm::enumerate(ops))
      if (op == target)
        return index;
    return std::nullopt;
  }
};

} // namespace

/// The constant that `global` begins with, or null if none is given.
static FailureOr<Value> initialValue(OpBuilder &builder, Location loc,
                                     ml_program::GlobalOp global) {
  std::optional<Attribute> attribute = global.getValue();
  if (!attribute)
    return Value();
  auto typed = dyn_cast<TypedAttr>(*attribute);
  if (!typed || !arith::ConstantOp::isBuildableWith(typed, global.getType()))
    return global.emitError("has an initial value that a run does not have");
  return arith::ConstantOp::create(builder, loc, typed).getResult();
}

static void storeInto(OpBuilder &builder, Location loc, Value value,
                      Value buffer) {
  if (!isa<TensorType>(value.getType())) {
    memref::StoreOp::create(builder, loc, value, buffer);
    return;
  }
  auto store = bufferization::MaterializeInDestinationOp::create(
      builder, loc, TypeRange(), value, buffer);
  store.setRestrict(true);
  store.setWritable(true);
}

/// What `buffer` holds right here; later stores do not change it.
static Value loadFrom(OpBuilder &builder, Location loc, Type type,
                      Value buffer) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return memref::LoadOp::create(builder, loc, buffer);
  Value shared = bufferization::ToTensorOp::create(builder, loc, tensor, buffer,
                                                   /*restrict=*/true,
                                                   /*writable=*/false);
  return bufferization::AllocTensorOp::create(builder, loc, tensor,
                                              ValueRange(), shared);
}

/// Constants need no buffer.
static LogicalResult lowerConstantLoads(ModuleOp module) {
  WalkResult walk = module.walk([](ml_program::GlobalLoadConstOp op) {
    auto global = dyn_cast_if_present<ml_program::GlobalOp>(
        SymbolTable::lookupNearestSymbolFrom(op, op.getGlobalAttr()));
    OpBuilder builder(op);
    FailureOr<Value> value = failure();
    if (global)
      value = initialValue(builder, op.getLoc(), global);
    if (failed(value) || !*value) {
      op.emitError("loads a constant that has no value");
      return WalkResult::interrupt();
    }
    op.replaceAllUsesWith(*value);
    op.erase();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// The variables of `module`; reports one that a run cannot keep.
static FailureOr<Globals> collectGlobals(ModuleOp module) {
  Globals globals;
  for (auto global : module.getOps<ml_program::GlobalOp>()) {
    if (SymbolTable::symbolKnownUseEmpty(global, module))
      continue;
    auto tensor = dyn_cast<RankedTensorType>(global.getType());
    Type element = tensor ? tensor.getElementType() : global.getType();
    if ((tensor && !tensor.hasStaticShape()) ||
        !MemRefType::isValidElementType(element))
      return global.emitError("has a type of which a run cannot keep a value");
    globals.ops.push_back(global);
    globals.types.push_back(MemRefType::get(
        tensor ? tensor.getShape() : ArrayRef<int64_t>(), element));
  }
  return globals;
}

namespace {
/// The buffers of all globals, as each function with a body has them.
using BuffersOfFunctions = llvm::DenseMap<Operation *, SmallVector<Value>>;
} // namespace

/// Makes the buffers in `entry`, and arguments for them of all other functions.
static LogicalResult makeBuffers(ModuleOp module, func::FuncOp entry,
                                 Globals &globals,
                                 BuffersOfFunctions &buffers) {
  OpBuilder builder(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    SmallVector<Value> &own = buffers[function];
    if (function == entry)
      builder.setInsertionPointToStart(&function.getBody().front());
    for (auto [global, type] : llvm::zip_equal(globals.ops, globals.types)) {
      Location loc = global.getLoc();
      if (function != entry) {
        unsigned number = function.getNumArguments();
        if (failed(function.insertArgument(number, type, {}, loc)))
          return failure();
        own.push_back(function.getArgument(number));
        continue;
      }
      own.push_back(memref::AllocOp::create(builder, loc, type));
      FailureOr<Value> initial = initialValue(builder, loc, global);
      if (failed(initial))
        return failure();
      if (*initial)
        storeInto(builder, loc, *initial, own.back());
    }
  }
  return success();
}

/// Makes `op` use the buffers; reports an op that cannot.
static LogicalResult useBuffers(Operation *op, func::FuncOp entry,
                                const Globals &globals,
                                const BuffersOfFunctions &buffers) {
  auto found = buffers.find(op->getParentOfType<func::FuncOp>());
  if (found == buffers.end())
    return success();
  ArrayRef<Value> own = found->second;
  OpBuilder builder(op);
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = dyn_cast_if_present<func::FuncOp>(
        SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()));
    if (callee && callee != entry && buffers.contains(callee))
      call.getOperandsMutable().append(own);
  } else if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op)) {
    if (std::optional<unsigned> at = globals.find(op, load.getGlobalAttr())) {
      load.replaceAllUsesWith(
          loadFrom(builder, op->getLoc(), load.getType(), own[*at]));
      load.erase();
    }
  } else if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op)) {
    if (std::optional<unsigned> at = globals.find(op, store.getGlobalAttr())) {
      storeInto(builder, op->getLoc(), store.getValue(), own[*at]);
      store.erase();
    }
  } else if (isa_and_nonnull<ml_program::MLProgramDialect>(op->getDialect())) {
    return op->emitError("cannot be run: only global_load, global_load_const "
                         "and global_store can");
  }
  return success();
}

LogicalResult codegen::lowerGlobals(ModuleOp module,
                                    ArrayRef<func::FuncOp> entries) {
  if (failed(lowerConstantLoads(module)))
    return failure();
  FailureOr<Globals> globals = collectGlobals(module);
  if (failed(globals))
    return failure();
  if (!globals->ops.empty() && entries.size() != 1)
    return globals->ops.front().emitError()
           << "is a variable of the program, which has " << entries.size()
           << " public functions: option 'entry' of the pipeline says which "
              "one "
              "makes the variables";
  func::FuncOp entry = entries.empty() ? func::FuncOp() : entries.front();
  if (!globals->ops.empty())
    separateEntry(entry);
  BuffersOfFunctions buffers;
  if (failed(makeBuffers(module, entry, *globals, buffers)))
    return failure();
  WalkResult walked = module.walk([&](Operation *op) {
    return failed(useBuffers(op, entry, *globals, buffers))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (auto global :
       llvm::make_early_inc_range(module.getOps<ml_program::GlobalOp>()))
    global.erase();
  return success();
}
