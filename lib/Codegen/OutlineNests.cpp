//===- OutlineNests.cpp - A function for each distinct loop nest ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

/// The value that `buffer` is a view of, or itself.
static Value rootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (!isa<MemRefType>(view.getViewSource().getType()))
      break;
    buffer = view.getViewSource();
  }
  return buffer;
}

/// Whether `root` is memory of its own: no other root of a function is the same.
static bool isFresh(Value root) {
  auto allocation = root.getDefiningOp<MemoryEffectOpInterface>();
  return allocation &&
         allocation.getEffectOnValue<MemoryEffects::Allocate>(root).has_value();
}

/// Whether `root` is certainly none of the function's own allocations. Results of
/// loops, branches and calls may be one.
static bool isForeign(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return root.getDefiningOp<memref::GetGlobalOp>() != nullptr;
}

namespace {

/// Moves ops into functions. Equal ones share a function.
class Outliner {
public:
  explicit Outliner(ModuleOp module)
      : module(module), builder(module.getContext()) {}

  void outline(linalg::LinalgOp op);

private:
  /// Sorts what `op` needs from outside into arguments and constants to copy.
  void collect(linalg::LinalgOp op, SetVector<Value> &arguments,
               SetVector<Value> &constants);
  SmallVector<bool> findUnaliased(linalg::LinalgOp op,
                                  ArrayRef<Value> arguments);
  func::FuncOp makeFunction(linalg::LinalgOp op, ArrayRef<Value> arguments,
                            ArrayRef<Value> constants);

  ModuleOp module;
  OpBuilder builder;
  /// The functions by their text without their name.
  llvm::StringMap<func::FuncOp> functions;
};

} // namespace

void Outliner::collect(linalg::LinalgOp op, SetVector<Value> &arguments,
                       SetVector<Value> &constants) {
  SetVector<Value> needed(op->getOperands().begin(), op->getOperands().end());
  getUsedValuesDefinedAbove(op->getRegions(), needed);
  for (Value value : needed) {
    Operation *definition = value.getDefiningOp();
    bool isConstant = definition && matchPattern(definition, m_Constant());
    (isConstant ? constants : arguments).insert(value);
  }
}

/// For each argument, whether the op writes it and reaches its memory through no
/// other argument.
SmallVector<bool> Outliner::findUnaliased(linalg::LinalgOp op,
                                          ArrayRef<Value> arguments) {
  SmallVector<Value> roots;
  for (Value argument : arguments)
    if (isa<MemRefType>(argument.getType()))
      roots.push_back(rootOf(argument));
  bool known = llvm::all_of(
      roots, [](Value root) { return isFresh(root) || isForeign(root); });
  SmallVector<bool> unaliased;
  for (Value argument : arguments) {
    bool isWritten = llvm::is_contained(op.getDpsInits(), argument);
    Value root = isWritten ? rootOf(argument) : Value();
    unaliased.push_back(known && isWritten && isFresh(root) &&
                        llvm::count(roots, root) == 1);
  }
  return unaliased;
}

func::FuncOp Outliner::makeFunction(linalg::LinalgOp op,
                                    ArrayRef<Value> arguments,
                                    ArrayRef<Value> constants) {
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(
      builder, loc, "nest",
      builder.getFunctionType(TypeRange(ValueRange(arguments)), {}));
  function.setPrivate();
  function->setAttr("llvm.linkage",
                    LLVM::LinkageAttr::get(builder.getContext(),
                                           LLVM::linkage::Linkage::Internal));
  SmallVector<int32_t> pointers;
  int32_t position = 0;
  for (auto [argument, alone] :
       llvm::zip(arguments, findUnaliased(op, arguments))) {
    // A memref becomes two pointers, of which code uses the second one, an offset,
    // sizes and strides.
    if (alone)
      pointers.push_back(position + 1);
    auto type = dyn_cast<MemRefType>(argument.getType());
    position += type ? 3 + 2 * type.getRank() : 1;
  }
  if (!pointers.empty())
    function->setAttr(unaliasedName, builder.getDenseI32ArrayAttr(pointers));
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(arguments, function.getArguments());
  for (Value constant : constants)
    builder.clone(*constant.getDefiningOp(), mapping);
  builder.clone(*op, mapping);
  func::ReturnOp::create(builder, loc);
  return function;
}

void Outliner::outline(linalg::LinalgOp op) {
  SetVector<Value> arguments, constants;
  collect(op, arguments, constants);
  func::FuncOp function =
      makeFunction(op, arguments.getArrayRef(), constants.getArrayRef());
  std::string text;
  llvm::raw_string_ostream(text) << function;
  auto [known, isNew] = functions.try_emplace(text, function);
  if (isNew)
    function.setName(nestName(op->getParentOfType<func::FuncOp>().getName(),
                              functions.size()));
  else
    function.erase();
  builder.setInsertionPoint(op);
  func::CallOp::create(builder, op.getLoc(), known->second,
                       arguments.getArrayRef());
  op->erase();
}

LogicalResult codegen::expandForalls(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<scf::ForallOp> parallel;
  module.walk([&](scf::ForallOp op) { parallel.push_back(op); });
  for (scf::ForallOp op : parallel) {
    if (op.getNumResults() > 0)
      return op.emitError("operates on tensors after bufferization");
    rewriter.setInsertionPoint(op);
    if (failed(scf::forallToForLoop(rewriter, op)))
      return op.emitError("cannot become a loop");
  }
  return success();
}

void codegen::expandCopies(ModuleOp module) {
  SmallVector<memref::CopyOp> copies;
  module.walk([&](memref::CopyOp op) {
    auto from = dyn_cast<MemRefType>(op.getSource().getType());
    auto to = dyn_cast<MemRefType>(op.getTarget().getType());
    if (from && to &&
        !(from.getLayout().isIdentity() && to.getLayout().isIdentity()))
      copies.push_back(op);
  });
  for (memref::CopyOp op : copies) {
    OpBuilder builder(op);
    auto type = cast<MemRefType>(op.getTarget().getType());
    AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    linalg::GenericOp::create(
        builder, op.getLoc(), ValueRange{op.getSource()},
        ValueRange{op.getTarget()}, ArrayRef<AffineMap>{identity, identity},
        iterators, [](OpBuilder &nested, Location loc, ValueRange args) {
          linalg::YieldOp::create(nested, loc, args[0]);
        });
    op.erase();
  }
}

std::string codegen::nestName(StringRef function, unsigned number) {
  return (function + nestMarker + Twine(number)).str();
}

void codegen::outlineNests(ModuleOp module, bool kernelCalls) {
  expandCopies(module);
  SmallVector<linalg::LinalgOp> ops;
  module.walk([&](linalg::LinalgOp op) {
    if (op.hasPureBufferSemantics() && op->getParentOfType<func::FuncOp>() &&
        !(kernelCalls && matchContraction(op)))
      ops.push_back(op);
  });
  Outliner outliner(module);
  for (linalg::LinalgOp op : ops)
    outliner.outline(op);
}
