//===- CheckChoices.cpp - Does propagation choose well? -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckChoices.h"

#include "shard/Cost/Predict.h"
#include "shard/Geometry/Machine.h"
#include "shard/IR/ShardDialect.h"
#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Partitioning/TensorShapes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

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
/// What takes longer by more than this is chosen badly.
static constexpr double kMostRatio = 2;
/// The extents of programs stand for extents that are so many times larger.
static constexpr double kScale = 64;

/// The default machine as programs with extents kScale times larger see it: bytes then grow
/// by the square and operations by the cube of it, and latencies not at all. Without that,
/// the latencies of tiny collectives would hide all other costs.
static Machine scaledMachine() {
  Machine machine = knownMachines().front();
  for (double *rate :
       {&machine.flops8, &machine.flops16, &machine.flops32, &machine.flops64})
    *rate /= kScale;
  machine.linkLatency /= kScale * kScale;
  return machine;
}

/// The axes that a hint of `entry` names, as a set: propagation uses no others.
static uint64_t namedAxes(func::FuncOp entry, GridOp grid) {
  uint64_t axes = 0;
  auto add = [&](Attribute hint, Type type) {
    if (!hint)
      return;
    FailureOr<ResolvedSharding> sharding =
        resolve(cast<ShardingAttr>(hint), grid, cast<RankedTensorType>(type),
                [&] { return entry.emitError(); });
    if (succeeded(sharding))
      for (const ResolvedDim &dim : sharding->dims)
        for (const AxisPart &axis : dim.axes)
          axes |= uint64_t(1) << axis.axis;
  };
  for (unsigned number = 0; number < entry.getNumArguments(); ++number)
    add(entry.getArgAttr(number, kShardingAttrName),
        entry.getArgument(number).getType());
  for (auto [number, type] : llvm::enumerate(entry.getResultTypes()))
    add(entry.getResultAttr(number, kShardingAttrName), type);
  return axes;
}

/// All shardings of a tensor of `shape` that divide it evenly, in text: each of the axes
/// `named` of the grid splits one dimension, or none.
static std::vector<std::string>
evenShardings(ArrayRef<int64_t> shape, ArrayRef<int64_t> grid, uint64_t named) {
  std::vector<std::string> texts;
  size_t count = 1, places = shape.size() + 1;
  for (size_t axis = 0; axis < grid.size(); ++axis)
    count *= places;
  for (size_t number = 0; number < count; ++number) {
    std::vector<std::string> lists(shape.size());
    SmallVector<int64_t> parts(shape.size(), 1);
    bool even = true;
    size_t rest = number;
    for (size_t axis = 0; axis < grid.size(); ++axis, rest /= places) {
      size_t dim = rest % places;
      if (dim == shape.size())
        continue;
      even &= named >> axis & 1;
      lists[dim] += (lists[dim].empty() ? "" : ", ") + std::to_string(axis);
      parts[dim] *= grid[axis];
    }
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
static std::vector<Choice> findChoices(func::FuncOp entry, GridOp grid) {
  std::vector<Choice> choices;
  uint64_t named = namedAxes(entry, grid);
  auto add = [&](Value value) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      choices.push_back(
          {value, evenShardings(type.getShape(), grid.getShape(), named)});
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

/// What one device takes for a partitioned program.
struct Price {
  double seconds;
  int64_t bytesSent;
  /// Of its arguments.
  int64_t bytesKept;
};

/// The price of `module` once it is partitioned; nothing if it is not known, or if it is not
/// partitioned.
static std::optional<Price> priceOf(ModuleOp module, StringRef entry,
                                    const SpmdPipelineOptions &options) {
  // Some choices contradict each other.
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  PassManager manager(module.getContext());
  buildSpmdPipeline(manager, options);
  if (failed(manager.run(module)))
    return std::nullopt;
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  ProgramCost cost = predictProgram(function, scaledMachine());
  if (!cost.total.complete)
    return std::nullopt;
  int64_t kept = 0;
  for (Type type : function.getArgumentTypes())
    kept += cast<RankedTensorType>(type).getNumElements() *
            elementBytes(cast<RankedTensorType>(type));
  return Price{cost.seconds, cost.total.bytesSent, kept};
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
  std::vector<Choice> choices = findChoices(entry, *grids.begin());
  size_t combinations = 1;
  for (const Choice &choice : choices)
    if ((combinations *= choice.shardings.size()) > kMostCombinations)
      return {};
  // Overlap and parts send as much.
  options.overlap = false;
  options.splitParts = 0;
  OwningOpRef<ModuleOp> copy = module.clone();
  std::optional<Price> chosen = priceOf(*copy, entry.getName(), options);
  if (!chosen)
    return {};
  Price least = *chosen;
  std::vector<size_t> best;
  for (size_t number = 0; number < combinations; ++number) {
    std::vector<size_t> numbers;
    size_t rest = number;
    for (const Choice &choice : choices) {
      numbers.push_back(rest % choice.shardings.size());
      rest /= choice.shardings.size();
    }
    copy = withChoices(module, choices, numbers);
    std::optional<Price> other = priceOf(*copy, entry.getName(), options);
    // What is sent less because devices keep more of an argument, such as a weight, is no
    // better choice.
    if (other && other->seconds < least.seconds &&
        other->bytesKept <= chosen->bytesKept) {
      least = *other;
      best = numbers;
    }
  }
  if (chosen->seconds <= kMostRatio * least.seconds ||
      chosen->bytesSent - least.bytesSent < kLeastBytes)
    return {};
  std::string text;
  llvm::raw_string_ostream os(text);
  auto print = [&](const Price &price) {
    os << llvm::format("%.0f", price.seconds * 1e9) << " ns and send "
       << price.bytesSent << " bytes";
  };
  os << "propagation chooses shardings that take ";
  print(*chosen);
  os << ", others take ";
  print(least);
  os << ":";
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
