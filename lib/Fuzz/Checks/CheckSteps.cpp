//===- CheckSteps.cpp - Programs that state their steps -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckSteps.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mlir;

namespace shard::fuzz {

static LogicalResult run(ModuleOp module, bool materializes) {
  PassManager manager(module.getContext());
  if (materializes)
    manager.addPass(createShardMaterializeReshards());
  manager.addPass(createShardPartition());
  // What has one user may be folded into it: equal ops become one before.
  manager.addPass(createCSEPass());
  manager.addPass(createShardFoldCollectives());
  return manager.run(module);
}

/// Whether `op` may be what asks for the extent of a dynamic dimension that does not
/// divide evenly: each reshard asks, so that a plan of one reshard asks less often.
static bool asksForExtent(Operation *op, bool isUneven) {
  auto sum = dyn_cast<AllReduceOp>(op);
  auto type =
      sum ? dyn_cast<RankedTensorType>(sum.getInput().getType()) : nullptr;
  return isUneven && type && type.getRank() == 0 &&
         type.getElementType().isInteger(64);
}

/// What `types` are. Where dynamic dimensions do not divide evenly, one program may know an
/// extent that the other one computes, so that only ranks and elements are compared.
static void printTypes(raw_ostream &stream, TypeRange types, bool isUneven) {
  for (Type type : types) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (isUneven && shaped && shaped.hasRank())
      stream << ' ' << shaped.getRank() << " of " << shaped.getElementType();
    else
      stream << ' ' << type;
  }
}

/// How often each collective and each slice occurs.
static std::map<std::string, int> collectivesOf(ModuleOp module) {
  std::map<std::string, int> found;
  bool isUneven = llvm::any_of(module.getOps<GridOp>(), [](GridOp grid) {
    return grid.getUnevenDynamic();
  });
  module.walk([&](Operation *op) {
    if ((!isCollective(op) && !isa<AllSliceOp>(op)) ||
        asksForExtent(op, isUneven))
      return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << op->getName() << ' ' << op->getAttrDictionary();
    printTypes(stream, op->getOperandTypes(), isUneven);
    stream << " ->";
    printTypes(stream, op->getResultTypes(), isUneven);
    ++found[text];
  });
  return found;
}

/// A number, no constant, that a block of `module` computes twice, in words.
static std::string repeatedNumber(ModuleOp module) {
  std::string found;
  module.walk([&](mlir::Block *block) {
    llvm::SmallVector<Operation *> numbers;
    for (Operation &op : *block) {
      if (op.getNumResults() != 1 || op.getNumRegions() != 0 ||
          !op.getResult(0).getType().isIndex() ||
          op.hasTrait<OpTrait::ConstantLike>() || !isMemoryEffectFree(&op))
        continue;
      bool isKnown = llvm::any_of(numbers, [&](Operation *other) {
        return OperationEquivalence::isEquivalentTo(
            &op, other, OperationEquivalence::exactValueMatch, nullptr,
            OperationEquivalence::IgnoreLocations);
      });
      if (isKnown && found.empty())
        llvm::raw_string_ostream(found) << op;
      numbers.push_back(&op);
    }
  });
  return found;
}

/// The same of what partition makes of a program that computes none twice: where nothing is split,
/// all ops stay.
static std::string repeatedByPartition(ModuleOp annotated) {
  OwningOpRef<ModuleOp> local = annotated.clone();
  PassManager manager(local->getContext());
  manager.addPass(createShardPartition());
  if (!repeatedNumber(annotated).empty() || failed(manager.run(*local)))
    return {};
  std::string found = repeatedNumber(*local);
  return found.empty() ? found : "partition computes twice: " + found;
}

std::string checkSteps(ModuleOp annotated) {
  if (std::string found = repeatedByPartition(annotated); !found.empty())
    return found;
  OwningOpRef<ModuleOp> plain = annotated.clone();
  if (failed(run(*plain, false)))
    return {};
  OwningOpRef<ModuleOp> stated = annotated.clone();
  if (failed(run(*stated, true)))
    return "with stated steps, partition fails";
  std::map<std::string, int> before = collectivesOf(*plain),
                             after = collectivesOf(*stated);
  for (const auto &[text, count] : before)
    if (after[text] != count)
      return "with stated steps " + std::to_string(after[text]) +
             " instead of " + std::to_string(count) + " of " + text;
  for (const auto &[text, count] : after)
    if (count && !before.count(text))
      return "with stated steps " + std::to_string(count) + " of " + text;
  return {};
}

} // namespace shard::fuzz
