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

#include "shard/Fuzz/Makers.h"
#include "shard/Fuzz/Processes.h"
#include "shard/IR/ShardOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>

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

/// Whether `function` has an interface that nothing in `module` depends on.
static bool isFree(func::FuncOp function, ModuleOp module) {
  return function.isPublic() &&
         SymbolTable::symbolKnownUseEmpty(function, module);
}

namespace {
/// Numbers the simplifications that a module has, and makes one of them. Each member
/// visits those of one sort; it returns true if it made the one that is wanted, and
/// else counts `step` down by those that it saw.
class Simplifier {
public:
  Simplifier(ModuleOp module, int64_t &step);

  /// Makes simplification `step`, large ones first.
  bool run();

private:
  bool taken() { return step-- == 0; }
  bool eraseFunctions();
  bool eraseResults();
  bool simplifyOp(Operation *op);
  bool replaceByOperands(Operation *op);
  bool replaceByArguments(Operation *op);
  bool eraseInterfaceHints();
  bool eraseOpHints();
  bool eraseArguments();
  bool shrinkGrid();

  ModuleOp module;
  int64_t &step;
  SmallVector<func::FuncOp> entries;
};
} // namespace

Simplifier::Simplifier(ModuleOp module, int64_t &step)
    : module(module), step(step) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic())
      entries.push_back(function);
}

bool Simplifier::eraseFunctions() {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPrivate() &&
        SymbolTable::symbolKnownUseEmpty(function, module) && taken())
      return function.erase(), true;
  for (func::FuncOp entry : entries)
    if (entries.size() > 1 && isFree(entry, module) && taken())
      return entry.erase(), true;
  return false;
}

bool Simplifier::eraseResults() {
  for (func::FuncOp entry : entries)
    if (entry.getNumResults() > 1 && isFree(entry, module))
      for (unsigned i = 0; i < entry.getNumResults(); ++i)
        if (taken())
          return eraseResult(entry, i), true;
  return false;
}

bool Simplifier::replaceByOperands(Operation *op) {
  bool possible = llvm::all_of(op->getResults(), [](OpResult result) {
    return result.use_empty() || replacement(result);
  });
  if (!possible || !taken())
    return false;
  for (OpResult result : op->getResults())
    if (!result.use_empty())
      result.replaceAllUsesWith(replacement(result));
  op->erase();
  return true;
}

/// Replaces the results by arguments of the entry around the op, unless it is called.
bool Simplifier::replaceByArguments(Operation *op) {
  bool passable = llvm::all_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? tensor.hasStaticShape() : type.isIntOrIndexOrFloat();
  });
  auto entry = op->getParentOfType<func::FuncOp>();
  if (!passable || !entry || !isFree(entry, module) ||
      op->hasTrait<OpTrait::ConstantLike>() ||
      op->getNumOperands() + op->getNumRegions() == 0 || !taken())
    return false;
  for (OpResult result : op->getResults()) {
    if (result.use_empty())
      continue;
    unsigned index = entry.getNumArguments();
    (void)entry.insertArgument(index, result.getType(), {}, result.getLoc());
    result.replaceAllUsesWith(entry.getArgument(index));
  }
  op->erase();
  return true;
}

bool Simplifier::simplifyOp(Operation *op) {
  if (!op->use_empty())
    return replaceByOperands(op) || replaceByArguments(op);
  if (!taken())
    return false;
  op->erase();
  return true;
}

bool Simplifier::eraseInterfaceHints() {
  StringRef key = kShardingAttrName;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, key) && taken())
        return function.removeArgAttr(i, key), true;
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (function.getResultAttr(i, key) && taken())
        return function.removeResultAttr(
                   i, StringAttr::get(module.getContext(), key)),
               true;
  }
  return false;
}

/// The ops that a step may remove or change, in the order of the text.
static SmallVector<Operation *> changeableOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<ModuleOp, func::FuncOp, GridOp>(op) &&
        !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  return ops;
}

bool Simplifier::eraseOpHints() {
  for (Operation *op : changeableOps(module))
    for (StringRef key : {kShardingAttrName, kLoopsAttrName})
      if (op->getDiscardableAttr(key) && taken())
        return op->removeDiscardableAttr(key), true;
  return false;
}

bool Simplifier::eraseArguments() {
  for (func::FuncOp entry : entries)
    if (isFree(entry, module))
      for (unsigned i = 0; i < entry.getNumArguments(); ++i)
        if (entry.getArgument(i).use_empty() && taken())
          return eraseArgument(entry, i), true;
  return false;
}

bool Simplifier::shrinkGrid() {
  bool hasIds = false;
  module.walk([&](GridOp grid) { hasIds |= bool(grid.getDeviceIdsAttr()); });
  if (hasIds && taken()) {
    module.walk([](GridOp grid) { grid.removeDeviceIdsAttr(); });
    return true;
  }
  WalkResult walked = module.walk([&](GridOp grid) {
    SmallVector<int64_t> shape(grid.getShape());
    for (int64_t &size : shape)
      for (int64_t smaller : {1, 2})
        if (smaller < size && taken()) {
          size = smaller;
          grid.setShape(shape);
          grid.removeDeviceIdsAttr();
          return WalkResult::interrupt();
        }
    return WalkResult::advance();
  });
  return walked.wasInterrupted();
}

bool Simplifier::run() {
  if (entries.empty())
    return false;
  if (eraseFunctions() || eraseResults())
    return true;
  // From the end: what leads to nothing else goes first.
  SmallVector<Operation *> ops = changeableOps(module);
  for (Operation *op : llvm::reverse(ops))
    if (simplifyOp(op))
      return true;
  return eraseInterfaceHints() || eraseOpHints() || eraseArguments() ||
         shrinkGrid() || makeSplat(module, step);
}

std::optional<std::string> shard::fuzz::simplify(MLIRContext &context,
                                                 const std::string &program,
                                                 int64_t step) {
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  if (!module)
    return std::nullopt;
  if (Simplifier(*module, step).run()) {
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

std::string shard::fuzz::reduce(std::string program, const Outcome &failure,
                                uint64_t inputSeed, bool stability,
                                double seconds) {
  using Clock = std::chrono::steady_clock;
  static const char *noStep = "no such step";
  // Without the ops of the loop the assertion fails for another reason.
  if (StringRef(failure.message).contains(unrolledMessage))
    return program;
  // Reading symbols takes a second per crash.
  setenv("LLVM_DISABLE_SYMBOLIZATION", "1", 1);
  auto begin = Clock::now();
  bool changed = true;
  while (changed) {
    changed = false;
    for (int64_t step = 0;;) {
      if (std::chrono::duration<double>(Clock::now() - begin).count() > seconds)
        return program;
      std::string candidate;
      Outcome result = runInChild(
          [&](const std::function<void(std::string)> &send) -> Outcome {
            std::unique_ptr<MLIRContext> context = makeContext();
            std::optional<std::string> text = simplify(*context, program, step);
            if (!text)
              return {Verdict::Pass, noStep};
            send(*text);
            if (text->empty())
              return {};
            return check(*context, *text, inputSeed, stability);
          },
          candidate);
      if (result.verdict == Verdict::Pass && result.message == noStep)
        break;
      if (!candidate.empty() && sameFailure(result, failure)) {
        program = candidate;
        changed = true;
      } else {
        ++step;
      }
    }
  }
  return program;
}
