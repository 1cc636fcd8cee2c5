//===- Reduce.cpp - Smaller programs that fail alike ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Reduce.h"

#include "Inputs.h"
#include "ReduceShapes.h"

#include "shard/IR/ShardOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

/// Erases ops that nothing uses. Annotations without users say something: they are
/// steps of their own, and so are functions.
static void dropUnused(ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Operation *> unused;
    module.walk([&](Operation *op) {
      if (op->use_empty() && op->getNumResults() > 0 &&
          (isa<ShardingOp>(op) || isMemoryEffectFree(op)) &&
          !isa<ShardOp, ConstraintOp>(op))
        unused.push_back(op);
    });
    // Post-order: what is inside a region comes before the op around it.
    for (Operation *op : unused) {
      if (op->getNumRegions() > 0 && unused.size() > 1)
        continue;
      op->erase();
      changed = true;
    }
  }
}

/// An operand of the op with the type of `result`. Not a tensor.empty: what had
/// been overwritten would be read.
static Value replacement(OpResult result) {
  for (Value operand : result.getOwner()->getOperands())
    if (operand.getType() == result.getType() &&
        !operand.getDefiningOp<tensor::EmptyOp>())
      return operand;
  return {};
}

static void eraseArgument(func::FuncOp function, unsigned index) {
  eraseExtents(function, index);
  (void)function.eraseArgument(index);
}

static void eraseResult(func::FuncOp function, unsigned index) {
  function.walk([&](func::ReturnOp op) { op->eraseOperand(index); });
  (void)function.eraseResult(index);
}

/// Applies the step to `module`; false behind the last one, `step` counted down by
/// those there are.
static bool apply(ModuleOp module, int64_t &step) {
  auto taken = [&]() { return step-- == 0; };
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic())
      entries.push_back(function);
  if (entries.empty())
    return false;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPrivate() &&
        SymbolTable::symbolKnownUseEmpty(function, module) && taken())
      return function.erase(), true;
  for (func::FuncOp entry : entries)
    if (entries.size() > 1 && SymbolTable::symbolKnownUseEmpty(entry, module) &&
        taken())
      return entry.erase(), true;
  for (func::FuncOp entry : entries)
    if (entry.getNumResults() > 1 &&
        SymbolTable::symbolKnownUseEmpty(entry, module))
      for (unsigned i = 0; i < entry.getNumResults(); ++i)
        if (taken())
          return eraseResult(entry, i), true;

  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<ModuleOp, func::FuncOp, GridOp>(op) &&
        !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  // From the end: what leads to nothing else goes first.
  for (Operation *op : llvm::reverse(ops)) {
    if (op->use_empty()) {
      if (taken())
        return op->erase(), true;
      continue;
    }
    // Replaced by an operand.
    bool possible = llvm::all_of(op->getResults(), [](OpResult result) {
      return result.use_empty() || replacement(result);
    });
    if (possible && taken()) {
      for (OpResult result : op->getResults())
        if (!result.use_empty())
          result.replaceAllUsesWith(replacement(result));
      op->erase();
      return true;
    }
    // Replaced by arguments of the entry around it, unless it is called.
    auto tensors = llvm::all_of(op->getResultTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor ? tensor.hasStaticShape() : type.isIntOrIndexOrFloat();
    });
    auto entry = op->getParentOfType<func::FuncOp>();
    bool mayChange = llvm::is_contained(entries, entry) &&
                     SymbolTable::symbolKnownUseEmpty(entry, module);
    if (tensors && mayChange && !op->hasTrait<OpTrait::ConstantLike>() &&
        op->getNumOperands() + op->getNumRegions() > 0 && taken()) {
      for (OpResult result : op->getResults()) {
        if (result.use_empty())
          continue;
        unsigned index = entry.getNumArguments();
        (void)entry.insertArgument(index, result.getType(), {},
                                   result.getLoc());
        result.replaceAllUsesWith(entry.getArgument(index));
      }
      op->erase();
      return true;
    }
  }

  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    StringRef key = kShardingAttrName;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, key) && taken())
        return function.removeArgAttr(i, key), true;
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (function.getResultAttr(i, key) && taken())
        return function.removeResultAttr(
                   i, StringAttr::get(module.getContext(), key)),
               true;
  }
  for (Operation *op : ops)
    for (StringRef key : {kShardingAttrName, kLoopsAttrName})
      if (op->getDiscardableAttr(key) && taken())
        return op->removeDiscardableAttr(key), true;
  for (func::FuncOp entry : entries)
    if (SymbolTable::symbolKnownUseEmpty(entry, module))
      for (unsigned i = 0; i < entry.getNumArguments(); ++i)
        if (entry.getArgument(i).use_empty() && taken())
          return eraseArgument(entry, i), true;

  WalkResult walked = module.walk([&](GridOp grid) {
    SmallVector<int64_t> shape(grid.getShape());
    for (int64_t &size : shape)
      for (int64_t smaller : {1, 2})
        if (smaller < size && taken()) {
          size = smaller;
          grid.setShape(shape);
          return WalkResult::interrupt();
        }
    return WalkResult::advance();
  });
  return walked.wasInterrupted() || makeSplat(module, step);
}

std::optional<std::string> shard::fuzz::simplify(MLIRContext &context,
                                                 const std::string &program,
                                                 int64_t step) {
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  if (!module)
    return std::nullopt;
  if (apply(*module, step)) {
    dropUnused(*module);
  } else {
    std::optional<std::string> smaller = shrinkExtent(program, step);
    if (!smaller)
      return std::nullopt;
    module = parseSourceString<ModuleOp>(*smaller, &context);
  }
  if (!module || failed(verify(*module)))
    return std::string();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  stream << '\n';
  return text;
}
