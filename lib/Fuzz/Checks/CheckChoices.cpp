//===- CheckChoices.cpp - Does propagation choose well? -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckChoices.h"

#include "shard/Cost/Predict.h"
#include "shard/IR/ShardDialect.h"
#include "shard/IR/ShardOps.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

namespace {

/// A value that no hint is about, and the texts of its possible shardings.
struct Choice {
  /// A result of an op, or an argument.
  Value value;
  std::vector<std::string> shardings;
};

} // namespace

/// Programs with more combinations are not searched.
static constexpr size_t kMostCombinations = 800;
/// Fewer bytes are no reason to choose otherwise.
static constexpr int64_t kLeastBytes = 64;

/// All shardings of a tensor of `shape` that divide it evenly, in text: each axis of the
/// grid splits one dimension, or none.
static std::vector<std::string> evenShardings(ArrayRef<int64_t> shape,
                                              ArrayRef<int64_t> grid) {
  std::vector<std::string> texts;
  size_t count = 1, places = shape.size() + 1;
  for (size_t axis = 0; axis < grid.size(); ++axis)
    count *= places;
  for (size_t number = 0; number < count; ++number) {
    std::vector<std::string> lists(shape.size());
    SmallVector<int64_t> parts(shape.size(), 1);
    size_t rest = number;
    for (size_t axis = 0; axis < grid.size(); ++axis, rest /= places) {
      size_t dim = rest % places;
      if (dim == shape.size())
        continue;
      lists[dim] += (lists[dim].empty() ? "" : ", ") + std::to_string(axis);
      parts[dim] *= grid[axis];
    }
    bool even = true;
    std::string text;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      even &= shape[dim] % parts[dim] == 0;
      text += (dim ? ", [" : "[") + lists[dim] + "]";
    }
    if (even)
      texts.push_back("[" + text + "]");
  }
  return texts;
}

/// What is open in `entry`. Inits are what their op wants.
static std::vector<Choice> findChoices(func::FuncOp entry,
                                       ArrayRef<int64_t> grid) {
  std::vector<Choice> choices;
  auto add = [&](Value value) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      choices.push_back({value, evenShardings(type.getShape(), grid)});
  };
  for (BlockArgument argument : entry.getArguments())
    if (!entry.getArgAttr(argument.getArgNumber(), kShardingAttrName))
      add(argument);
  for (Operation &op : entry.getOps())
    if (!isa<linalg::FillOp, tensor::EmptyOp>(op))
      for (Value result : op.getResults())
        add(result);
  return choices;
}

/// What a device sends in the partitioned `module`; -1 if that is not known, or if it is not
/// partitioned.
static int64_t bytesOf(ModuleOp module, StringRef entry,
                       const SpmdPipelineOptions &options) {
  // Some choices contradict each other.
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  PassManager manager(module.getContext());
  buildSpmdPipeline(manager, options);
  if (failed(manager.run(module)))
    return -1;
  CostSum total =
      predictProgram(module.lookupSymbol<func::FuncOp>(entry)).total;
  return total.complete ? int64_t(total.bytesSent) : -1;
}

/// A copy of `module` in which the choices are made as `numbers` say.
static OwningOpRef<ModuleOp> withChoices(ModuleOp module,
                                         ArrayRef<Choice> choices,
                                         ArrayRef<size_t> numbers) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone(mapping));
  for (auto [choice, number] : llvm::zip_equal(choices, numbers)) {
    Value value = mapping.lookup(choice.value);
    auto sharding = cast<ShardingAttr>(parseAttribute(
        "#shard.sharding<@grid, " + choice.shardings[number] + ">",
        module.getContext()));
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      cast<func::FuncOp>(argument.getOwner()->getParentOp())
          .setArgAttr(argument.getArgNumber(), kShardingAttrName, sharding);
      continue;
    }
    OpBuilder builder(module.getContext());
    builder.setInsertionPointAfterValue(value);
    auto constraint = ConstraintOp::create(builder, value.getLoc(),
                                           value.getType(), value, sharding);
    value.replaceAllUsesExcept(constraint, constraint);
  }
  return copy;
}

std::string shard::fuzz::checkChoices(ModuleOp module, func::FuncOp entry,
                                      SpmdPipelineOptions options) {
  if (!entry->hasAttr("choices"))
    return {};
  auto grids = module.getOps<GridOp>();
  std::vector<Choice> choices = findChoices(entry, (*grids.begin()).getShape());
  size_t combinations = 1;
  for (const Choice &choice : choices)
    if ((combinations *= choice.shardings.size()) > kMostCombinations)
      return {};
  // Overlap and parts send as much.
  options.overlap = false;
  options.splitParts = 0;
  OwningOpRef<ModuleOp> chosen = module.clone();
  int64_t bytes = bytesOf(*chosen, entry.getName(), options), least = bytes;
  std::vector<size_t> best;
  for (size_t number = 0; number < combinations; ++number) {
    std::vector<size_t> numbers;
    size_t rest = number;
    for (const Choice &choice : choices) {
      numbers.push_back(rest % choice.shardings.size());
      rest /= choice.shardings.size();
    }
    OwningOpRef<ModuleOp> copy = withChoices(module, choices, numbers);
    int64_t other = bytesOf(*copy, entry.getName(), options);
    if (other >= 0 && other < least) {
      least = other;
      best = numbers;
    }
  }
  if (bytes <= 2 * least || bytes - least < kLeastBytes)
    return {};
  std::string text = "propagation chooses shardings that send " +
                     std::to_string(bytes) + " bytes, others send " +
                     std::to_string(least) + ":";
  for (auto [choice, number] : llvm::zip_equal(choices, best)) {
    Operation *op = choice.value.getDefiningOp();
    text += " " +
            (op ? op->getName().getStringRef().str()
                : "argument " +
                      std::to_string(
                          cast<BlockArgument>(choice.value).getArgNumber())) +
            " " + choice.shardings[number];
  }
  return text;
}
