//===- StoredValues.cpp - What memory holds may differ between devices ----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory varies along the axes along which anything varies that is ever written to it,
// in whatever order: a buffer as the value that it is, with all that it is a view of, and
// a global by its symbol.
//
//===----------------------------------------------------------------------===//

#include "SpmdAnalysis.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

/// Calls `visit` for each symbol that an attribute of `op` names.
static void forEachSymbol(Operation *op,
                          llvm::function_ref<void(StringAttr)> visit) {
  for (NamedAttribute attribute : op->getAttrs())
    if (auto symbol = dyn_cast<SymbolRefAttr>(attribute.getValue()))
      visit(symbol.getLeafReference());
}

AxisSet SpmdAnalysis::storedIn(Operation *op) const {
  AxisSet set = 0;
  if (!stored.empty())
    forEachSymbol(op, [&](StringAttr symbol) { set |= stored.lookup(symbol); });
  return set;
}

/// What the symbols hold that `op` names varies along `set`, in every function.
void SpmdAnalysis::storeIn(Operation *op, AxisSet set) {
  bool grows = growsElsewhere([&] {
    forEachSymbol(op, [&](StringAttr symbol) { grow(stored[symbol], set); });
  });
  if (!grows)
    return;
  for (FunctionOpInterface function : functions)
    wait(function);
}

/// What is written to `buffer` is written to all that it is a view of.
void SpmdAnalysis::storeThrough(Value buffer, AxisSet set) {
  while (isa<BaseMemRefType>(buffer.getType()) &&
         (along(buffer) | set) != along(buffer)) {
    vary(buffer, set);
    Operation *op = buffer.getDefiningOp();
    if (!op || isa<RegionBranchOpInterface, CallOpInterface>(op))
      return;
    storeIn(op, set);
    auto source = llvm::find_if(op->getOperands(), [](Value operand) {
      return isa<BaseMemRefType>(operand.getType());
    });
    if (source == op->getOperands().end())
      return;
    buffer = *source;
  }
}

void SpmdAnalysis::visitStores(Operation *op, AxisSet set) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (set == 0 || !memory || !memory.hasEffect<MemoryEffects::Write>())
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  memory.getEffects<MemoryEffects::Write>(effects);
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (Value buffer = effect.getValue())
      storeThrough(buffer, set);
    else
      storeIn(op, set);
}

} // namespace shard
