//===- CheckPassOptions.cpp - Passes by name and options by text ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckPassOptions.h"

#include "CheckForms.h"
#include "Options.h"

#include "shard/Fuzz/Random.h"
#include "shard/Pipelines/Pipelines.h"
#include "shard/Pipelines/Registration.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace shard::fuzz {

namespace {
/// Random options, and the text that says them.
struct ChosenOptions {
  explicit ChosenOptions(Random &rng);

  PropagationOptions propagation;
  SpmdPipelineOptions pipeline;
  std::string textOfPropagation, textOfPipeline;
};
} // namespace

/// One of `values`, which are named in their order.
template <typename T>
static T choose(Random &rng, const char *option,
                ArrayRef<std::pair<const char *, T>> values,
                std::string &text) {
  const auto &[name, value] = values[rng.between(0, values.size() - 1)];
  text += std::string(option) + "=" + name + " ";
  return value;
}

static bool chooseFlag(Random &rng, const char *option, std::string &text) {
  return choose<bool>(rng, option, {{"true", true}, {"false", false}}, text);
}

ChosenOptions::ChosenOptions(Random &rng) {
  using Traversal = PropagationTraversal;
  std::string text;
  propagation.strategy = choose<PropagationStrategy>(
      rng, "strategy",
      {{"basic", PropagationStrategy::Basic},
       {"aggressive", PropagationStrategy::Aggressive}},
      text);
  propagation.traversal =
      choose<Traversal>(rng, "traversal",
                        {{"forward", Traversal::Forward},
                         {"backward", Traversal::Backward},
                         {"forward-backward", Traversal::ForwardBackward},
                         {"backward-forward", Traversal::BackwardForward}},
                        text);
  propagation.uneven = choose<UnevenPolicy>(
      rng, "uneven",
      {{"shard", UnevenPolicy::Shard}, {"replicate", UnevenPolicy::Replicate}},
      text);
  propagation.opPriorities = chooseFlag(rng, "op-priorities", text);
  propagation.userPriorities = chooseFlag(rng, "user-priorities", text);
  textOfPropagation = "shard-propagate{" + text + "}";
  pipeline.propagation = propagation;
  pipeline.partition.globalArguments =
      chooseFlag(rng, "global-arguments", text);
  pipeline.lowerTosa = chooseFlag(rng, "lower-tosa", text);
  pipeline.overlap = chooseFlag(rng, "overlap", text);
  pipeline.haloSteps =
      choose<unsigned>(rng, "halo-steps", {{"1", 1}, {"2", 2}, {"3", 3}}, text);
  textOfPipeline = "shard-spmd{" + text + "}";
}

/// What `run` makes of a copy of `module`, "fails" if it does.
static std::string madeBy(ModuleOp module,
                          llvm::function_ref<LogicalResult(ModuleOp)> run) {
  OwningOpRef<ModuleOp> copy = module.clone();
  return failed(run(*copy)) ? "fails" : print(*copy);
}

static LogicalResult runText(ModuleOp module, StringRef text) {
  PassManager manager(module.getContext());
  if (failed(parsePassPipeline(text, manager)))
    return failure();
  return manager.run(module);
}

std::string checkPassOptions(ModuleOp module, uint64_t seed) {
  // Passes are known to the whole process.
  [[maybe_unused]] static const bool isRegistered =
      (registerShardPasses(), true);
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) {});
  Random rng(seed ^ 0x6f7074696f6e73ull);
  ChosenOptions options(rng);
  std::string text = options.textOfPropagation;
  auto compare = [&](const std::string &one, const std::string &other) {
    return one == other ? std::string()
                        : "by name and options it is otherwise, " + text +
                              ": " + difference(one, other);
  };
  std::string wrong = compare(
      madeBy(module,
             [&](ModuleOp copy) {
               return annotateShardings(copy, options.propagation);
             }),
      madeBy(module, [&](ModuleOp copy) { return runText(copy, text); }));
  if (!wrong.empty() || rng.chance(50))
    return wrong;
  text = options.textOfPipeline;
  return compare(
      madeBy(module,
             [&](ModuleOp copy) {
               PassManager manager(copy.getContext());
               buildSpmdPipeline(manager, options.pipeline);
               return manager.run(copy);
             }),
      madeBy(module, [&](ModuleOp copy) { return runText(copy, text); }));
}

} // namespace shard::fuzz
