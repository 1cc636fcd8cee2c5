//===- PropagationFlags.cpp - Options of propagation ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of the passes sharding-propagation and shard-partition, by their names.
//
//===----------------------------------------------------------------------===//

#include "PropagationFlags.h"

#include "Extensions.h"

#include "shard/Codegen/Compile.h"
#include "shard/Execution/Hints.h"
#include "shard/Models/FoldNumbers.h"
#include "shard/Reference/Reference.h"
#include "shard/Transforms/Transforms.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace cl = llvm::cl;

using shard::PropagationStrategy;
using shard::PropagationTraversal;
using shard::UnevenPolicy;

static const shard::PropagationOptions defaults;

static cl::opt<PropagationStrategy> strategy(
    "strategy", cl::cat(shard::toolOptions()), cl::init(defaults.strategy),
    cl::desc("How propagation treats conflicts inside one op"),
    cl::values(clEnumValN(PropagationStrategy::Basic, "basic",
                          "pass on only what all tensors of an op agree on"),
               clEnumValN(PropagationStrategy::Aggressive, "aggressive",
                          "settle the conflict and pass on the winner")));
static cl::opt<PropagationTraversal> traversal(
    "traversal", cl::cat(shard::toolOptions()), cl::init(defaults.traversal),
    cl::desc("Which way shardings spread first"),
    cl::values(clEnumValN(PropagationTraversal::Forward, "forward",
                          "from operands to results only"),
               clEnumValN(PropagationTraversal::Backward, "backward",
                          "from results to operands only"),
               clEnumValN(PropagationTraversal::ForwardBackward,
                          "forward-backward", "forward first, then both ways"),
               clEnumValN(PropagationTraversal::BackwardForward,
                          "backward-forward",
                          "backward first, then both ways")));
static cl::opt<UnevenPolicy>
    uneven("uneven", cl::cat(shard::toolOptions()), cl::init(defaults.uneven),
           cl::desc("Whether to split dimensions that axes do not divide"),
           cl::values(clEnumValN(UnevenPolicy::Shard, "shard",
                                 "split them; blocks at the end are padded"),
                      clEnumValN(UnevenPolicy::Replicate, "replicate",
                                 "leave them whole, with a remark")));
static cl::opt<bool>
    opPriorities("op-priorities", cl::cat(shard::toolOptions()),
                 cl::init(defaults.opPriorities),
                 cl::desc("Pass-through ops before contractions, single-use "
                          "chains before others"));
static cl::opt<bool>
    userPriorities("user-priorities", cl::cat(shard::toolOptions()),
                   cl::init(defaults.userPriorities),
                   cl::desc("Spread hints in rounds of their priorities"));
static cl::opt<bool> globalArguments(
    "global-arguments", cl::cat(shard::toolOptions()),
    cl::desc("Arguments arrive whole on every device and are sliced inside"));
static cl::opt<bool>
    explain("explain", cl::cat(shard::toolOptions()),
            cl::desc("Print why each value is sharded as it is (stderr)"));

void shard::readPropagationFlags(SpmdPipelineOptions &options) {
  options.propagation.strategy = strategy;
  options.propagation.traversal = traversal;
  options.propagation.uneven = uneven;
  options.propagation.opPriorities = opPriorities;
  options.propagation.userPriorities = userPriorities;
  options.partition.globalArguments = globalArguments;
}

FailureOr<shard::PropagationExplanation>
shard::explainProgram(func::FuncOp entry, const SpmdPipelineOptions &options) {
  OwningOpRef<ModuleOp> copy = entry->getParentOfType<ModuleOp>().clone();
  eraseUnreachable(copy->lookupSymbol<func::FuncOp>(entry.getName()));
  foldNumbers(*copy);
  if (options.lowerTosa && failed(lowerTosa(*copy)))
    return failure();
  PropagationExplanation explanation;
  if (failed(annotateShardings(*copy, options.propagation, &explanation)))
    return failure();
  return explanation;
}

LogicalResult shard::explainIfAsked(func::FuncOp entry,
                                    const SpmdPipelineOptions &options) {
  if (!explain)
    return success();
  if (isPartitioned(entry))
    return entry.emitError("is partitioned already: there is nothing to "
                           "explain");
  FailureOr<PropagationExplanation> explanation =
      explainProgram(entry, options);
  if (failed(explanation))
    return failure();
  // Standard error is not buffered.
  std::string text;
  llvm::raw_string_ostream stream(text);
  explanation->print(stream);
  llvm::errs() << text;
  return success();
}
