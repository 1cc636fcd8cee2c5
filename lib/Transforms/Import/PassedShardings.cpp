//===- PassedShardings.cpp - Shardings that functions pass on -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/PassedShardings.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shard {

static bool passesSharding(func::FuncOp function) {
  auto isSharding = llvm::IsaPred<ShardingType>;
  return llvm::any_of(function.getArgumentTypes(), isSharding) ||
         llvm::any_of(function.getResultTypes(), isSharding);
}

namespace {
class Resolver {
public:
  explicit Resolver(ModuleOp module) {
    module.walk([&](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        if (function.isPrivate() && !function.isExternal() &&
            passesSharding(function))
          functions.push_back(function);
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        calls[call.getCalleeAttr().getAttr()].insert(call);
      }
    });
    // Calls that are not seen (a function constant) would keep the old signature.
    llvm::erase_if(functions, [&](func::FuncOp function) {
      auto uses = SymbolTable::getSymbolUses(function, module);
      return !uses || size_t(std::distance(uses->begin(), uses->end())) !=
                          callsOf(function).size();
    });
  }

  void run() {
    // A function may return what it got: each round takes at least one sharding
    // out of a signature.
    bool changed = true;
    while (changed) {
      changed = false;
      for (func::FuncOp function : functions) {
        changed |= resolveResults(function);
        changed |= resolveArguments(function);
      }
    }
  }

private:
  using Calls = llvm::SetVector<Operation *>;

  Calls &callsOf(func::FuncOp function) {
    return calls[function.getSymNameAttr()];
  }

  /// The sharding that all of `values` state; null if there is none.
  static ShardingOp common(ArrayRef<Value> values) {
    ShardingOp first =
        values.empty() ? ShardingOp() : getShardingOp(values.front());
    if (!first || first->getNumOperands() ||
        !llvm::all_of(values, [&](Value value) {
          return equalShardings(values.front(), value);
        }))
      return {};
    return first;
  }

  bool resolveResults(func::FuncOp function) {
    SmallVector<Operation *> returns;
    for (mlir::Block &block : function.getBody())
      if (block.getTerminator()->hasTrait<OpTrait::ReturnLike>())
        returns.push_back(block.getTerminator());
    bool changed = false;
    for (unsigned index = function.getNumResults(); index-- > 0;) {
      if (!isa<ShardingType>(function.getResultTypes()[index]))
        continue;
      SmallVector<Value> returned;
      for (Operation *op : returns)
        returned.push_back(op->getOperand(index));
      ShardingOp sharding = common(returned);
      if (!sharding || failed(function.eraseResult(index)))
        continue;
      for (Operation *op : returns)
        op->eraseOperand(index);
      for (Operation *call : callsOf(function).takeVector())
        callsOf(function).insert(
            dropResult(cast<func::CallOp>(call), index, sharding));
      changed = true;
    }
    return changed;
  }

  /// `call` without its result `index`, which is `sharding`.
  static Operation *dropResult(func::CallOp call, unsigned index,
                               ShardingOp sharding) {
    OpBuilder builder(call);
    Value stated = builder.clone(*sharding)->getResult(0);
    SmallVector<Type> types(call.getResultTypes());
    types.erase(types.begin() + index);
    auto shorter = func::CallOp::create(
        builder, call.getLoc(), call.getCallee(), types, call.getOperands());
    shorter->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    SmallVector<Value> results(shorter.getResults());
    results.insert(results.begin() + index, stated);
    call->replaceAllUsesWith(results);
    call->erase();
    return shorter;
  }

  bool resolveArguments(func::FuncOp function) {
    bool changed = false;
    for (unsigned index = function.getNumArguments(); index-- > 0;) {
      BlockArgument argument = function.getArgument(index);
      if (!isa<ShardingType>(argument.getType()))
        continue;
      SmallVector<Value> passed;
      for (Operation *call : callsOf(function))
        passed.push_back(call->getOperand(index));
      ShardingOp sharding = common(passed);
      if (!sharding)
        continue;
      OpBuilder builder(function.getBody());
      argument.replaceAllUsesWith(builder.clone(*sharding)->getResult(0));
      if (failed(function.eraseArgument(index)))
        continue;
      for (Operation *call : callsOf(function))
        call->eraseOperand(index);
      changed = true;
    }
    return changed;
  }

  SmallVector<func::FuncOp> functions;
  llvm::DenseMap<StringAttr, Calls> calls;
};
} // namespace

void resolvePassedShardings(ModuleOp module) {
  if (llvm::any_of(module.getOps<func::FuncOp>(), passesSharding))
    Resolver(module).run();
}

} // namespace shard
