//===- Components.cpp - Functions that are solved together ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Components.h"
#include "ReadProgram.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace shard::propagation {

namespace {
class ComponentFinder {
public:
  ComponentFinder(Operation *root, SymbolTableCollection &symbols)
      : root(root), symbols(symbols) {}

  LogicalResult run(llvm::SmallVectorImpl<Component> &components) {
    if (auto function = dyn_cast<FunctionOpInterface>(root))
      addFunction(function);
    else
      root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
        addFunction(function);
        return WalkResult::skip();
      });
    for (size_t i = 0; i < functions.size(); ++i)
      if (failed(scan(i)))
        return failure();
    llvm::DenseMap<unsigned, unsigned> numberOf;
    for (size_t i = 0; i < functions.size(); ++i) {
      unsigned leader = classes.getLeaderValue(i);
      auto [entry, isNew] = numberOf.try_emplace(leader, components.size());
      if (isNew)
        components.emplace_back();
      Component &component = components[entry->second];
      component.functions.push_back(functions[i]);
      component.grids.insert_range(grids[i]);
    }
    llvm::erase_if(components,
                   [](auto &component) { return component.grids.empty(); });
    // Its callers, who are not looked at, would keep the old signature. A public
    // function is called by what it states.
    auto function = dyn_cast<FunctionOpInterface>(root);
    if (function && function.isPrivate() && !components.empty())
      return function.emitError()
             << "propagation of a private function must see its calls; run it "
                "on the module";
    return success();
  }

private:
  void addFunction(FunctionOpInterface function) {
    if (function.isExternal() && !hasSignatureHint(function))
      return;
    numbers[function] = functions.size();
    classes.insert(functions.size());
    functions.push_back(function);
    grids.emplace_back();
  }

  LogicalResult name(unsigned number, FlatSymbolRefAttr symbol,
                     Operation *from) {
    if (!symbol || (last.first == number && last.second == symbol))
      return success();
    GridOp grid = getGrid(from, symbol, symbols);
    if (!grid)
      return from->emitError() << "there is no grid called " << symbol;
    grids[number].insert(grid);
    last = {number, symbol};
    return success();
  }

  LogicalResult nameAttr(unsigned number, Attribute attr) {
    auto sharding = dyn_cast_or_null<ShardingAttr>(attr);
    return sharding ? name(number, sharding.getGrid(), functions[number])
                    : success();
  }

  LogicalResult scan(unsigned number) {
    FunctionOpInterface function = functions[number];
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (failed(nameAttr(number, function.getArgAttr(i, kShardingAttrName))))
        return failure();
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      if (failed(
              nameAttr(number, function.getResultAttr(i, kShardingAttrName))))
        return failure();
    Dialect *dialect = root->getContext()->getLoadedDialect<ShardDialect>();
    WalkResult walked =
        function.getFunctionBody().walk([&](Operation *op) -> WalkResult {
          if (op->getDialect() == dialect)
            return scanHint(number, op);
          auto call = dyn_cast<CallOpInterface>(op);
          return call ? scanCall(number, call) : WalkResult::advance();
        });
    return failure(walked.wasInterrupted());
  }

  WalkResult scanHint(unsigned number, Operation *op) {
    FlatSymbolRefAttr symbol;
    if (auto shard = dyn_cast<ShardOp>(op)) {
      if (ShardingOp sharding = getShardingOp(shard.getSharding()))
        symbol = sharding.getGridAttr();
    } else if (auto constraint = dyn_cast<ConstraintOp>(op)) {
      symbol = constraint.getSharding().getGrid();
    } else if (auto manual = dyn_cast<ManualComputationOp>(op)) {
      symbol = manual.getGridAttr();
    }
    return WalkResult(name(number, symbol, op));
  }

  WalkResult scanCall(unsigned number, CallOpInterface call) {
    Operation *callee = call.resolveCallableInTable(&symbols);
    if (!callee)
      return WalkResult::advance();
    if (root == functions[number]) {
      call.emitError()
          << "propagation of one function cannot follow a call; run "
             "it on the module";
      return WalkResult::interrupt();
    }
    auto known = numbers.find(callee);
    if (known != numbers.end())
      classes.unionSets(number, known->second);
    return WalkResult::advance();
  }

  Operation *root;
  SymbolTableCollection &symbols;
  std::vector<FunctionOpInterface> functions;
  std::vector<llvm::SmallSetVector<GridOp, 1>> grids;
  /// The function and the symbol that were looked up last.
  std::pair<unsigned, FlatSymbolRefAttr> last;
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::EquivalenceClasses<unsigned> classes;
};
} // namespace

LogicalResult findComponents(Operation *root, SymbolTableCollection &symbols,
                             llvm::SmallVectorImpl<Component> &components) {
  return ComponentFinder(root, symbols).run(components);
}

} // namespace shard::propagation
