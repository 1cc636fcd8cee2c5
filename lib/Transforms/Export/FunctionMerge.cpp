//===- FunctionMerge.cpp - One function for equal ones --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Export/FunctionMerge.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shard {

/// Whether two functions are equal but for their names.
static bool areAlike(func::FuncOp a, func::FuncOp b) {
  auto attributes = [](func::FuncOp function) {
    NamedAttrList list(function->getAttrDictionary());
    list.erase(SymbolTable::getSymbolAttrName());
    return list.getDictionary(function.getContext());
  };
  return attributes(a) == attributes(b) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

namespace {
/// Merges functions that calls alone use.
class FunctionMerger {
public:
  explicit FunctionMerger(ModuleOp module) {
    module.walk([&](func::CallOp call) {
      calls[call.getCalleeAttr().getAttr()].push_back(call);
    });
  }

  size_t numCalls(func::FuncOp function) const {
    auto known = calls.find(function.getSymNameAttr());
    return known == calls.end() ? 0 : known->second.size();
  }

  /// Lets calls of `function` call the one of `kept` that is equal to it, or adds
  /// it to `kept`.
  void merge(func::FuncOp function, SmallVectorImpl<func::FuncOp> &kept) {
    auto *same = llvm::find_if(
        kept, [&](func::FuncOp other) { return areAlike(other, function); });
    if (same == kept.end()) {
      kept.push_back(function);
      return;
    }
    // The calls in the function go with it.
    function.walk([&](func::CallOp call) {
      llvm::erase(calls[call.getCalleeAttr().getAttr()], call);
    });
    SmallVector<func::CallOp> moved =
        std::move(calls[function.getSymNameAttr()]);
    for (func::CallOp call : moved)
      call.setCallee(same->getSymName());
    llvm::append_range(calls[same->getSymNameAttr()], moved);
    function.erase();
  }

private:
  llvm::DenseMap<StringAttr, SmallVector<func::CallOp>> calls;
};
} // namespace

// Callees first, so that callers that differ in their callees only become equal.
void mergeFunctions(ModuleOp module, const FunctionFamilies &families) {
  if (families.empty())
    return;
  FunctionMerger merger(module);
  for (const auto &family : llvm::reverse(families)) {
    SmallVector<func::FuncOp> kept;
    for (func::FuncOp function : family)
      merger.merge(function, kept);
  }
}

void mergeFunctions(ModuleOp module) {
  FunctionMerger merger(module);
  llvm::DenseMap<Type, SmallVector<func::FuncOp>> kept;
  SmallVector<func::FuncOp> functions = privateCallersFirst(module);
  for (func::FuncOp function : llvm::reverse(functions)) {
    auto uses = SymbolTable::getSymbolUses(function, module);
    if (uses && size_t(std::distance(uses->begin(), uses->end())) ==
                    merger.numCalls(function))
      merger.merge(function, kept[function.getFunctionType()]);
  }
}

} // namespace shard
