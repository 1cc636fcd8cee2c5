//===- Registration.cpp - What a tool or a host registers -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Pipelines/Registration.h"

#include "shard/Codegen/Passes.h"
#include "shard/Conversion/Conversion.h"
#include "shard/Conversion/Passes.h"
#include "shard/IR/PassRegistration.h"
#include "shard/IR/ShardDialect.h"
#include "shard/Models/Models.h"
#include "shard/Pipelines/Pipelines.h"
#include "shard/Transforms/Passes.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

void shard::registerShard(DialectRegistry &registry) {
  registerShardDialect(registry);
  registerAllModels(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
}

/// Makes the pass of `create` known as `name`, whatever its own argument is: as
/// a pipeline of one pass, which takes the options of the pass.
static void registerPassAs(StringRef name,
                           const PassAllocatorFunction &create) {
  std::unique_ptr<Pass> pass = create();
  shard::registerPipelineOnce(
      name, pass->getDescription(), pass->getOpName().value_or(""),
      [create](OpPassManager &pm, StringRef options,
               function_ref<LogicalResult(const Twine &)> errorHandler) {
        std::unique_ptr<Pass> pass = create();
        if (failed(pass->initializeOptions(options, errorHandler)))
          return failure();
        pm.addPass(std::move(pass));
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}

static std::unique_ptr<Pass> createPropagation() {
  return shard::createShardingPropagation();
}

static std::unique_ptr<Pass> createPartition() {
  return shard::createShardPartition();
}

static std::unique_ptr<Pass> createToMPI() {
  return shard::createConvertShardToMPI();
}

namespace {
/// The options of `shard-spmd`: those of the two passes, by the same names.
struct SpmdArguments : public PassPipelineOptions<SpmdArguments> {
  using Strategy = shard::PropagationStrategy;
  using Traversal = shard::PropagationTraversal;
  using Uneven = shard::UnevenPolicy;

  Option<Strategy> strategy{
      *this, "strategy",
      llvm::cl::desc("How conflicts inside one op are treated"),
      llvm::cl::init(Strategy::Aggressive),
      llvm::cl::values(
          clEnumValN(Strategy::Basic, "basic",
                     "pass on only what all tensors of an op agree on"),
          clEnumValN(Strategy::Aggressive, "aggressive",
                     "settle the conflict and pass on the winner"))};
  Option<Traversal> traversal{
      *this, "traversal", llvm::cl::desc("Which way shardings spread first"),
      llvm::cl::init(Traversal::BackwardForward),
      llvm::cl::values(
          clEnumValN(Traversal::Forward, "forward",
                     "from operands to results only"),
          clEnumValN(Traversal::Backward, "backward",
                     "from results to operands only"),
          clEnumValN(Traversal::ForwardBackward, "forward-backward",
                     "forward first, then both ways"),
          clEnumValN(Traversal::BackwardForward, "backward-forward",
                     "backward first, then both ways"))};
  Option<Uneven> uneven{
      *this, "uneven",
      llvm::cl::desc("Whether to split dimensions that axes do not divide"),
      llvm::cl::init(Uneven::Shard),
      llvm::cl::values(clEnumValN(Uneven::Shard, "shard",
                                  "split them; blocks at the end are padded"),
                       clEnumValN(Uneven::Replicate, "replicate",
                                  "leave them whole, with a remark"))};
  Option<bool> opPriorities{
      *this, "op-priorities",
      llvm::cl::desc("Pass-through ops before contractions, single-use chains "
                     "before others"),
      llvm::cl::init(true)};
  Option<bool> userPriorities{
      *this, "user-priorities",
      llvm::cl::desc("Spread hints in rounds p0, p1, ... of their priorities"),
      llvm::cl::init(true)};
  Option<bool> globalArguments{
      *this, "global-arguments",
      llvm::cl::desc("Arguments arrive whole on every device and are sliced "
                     "inside, instead of arriving as local blocks"),
      llvm::cl::init(false)};
  Option<bool> lowerTosa{
      *this, "lower-tosa",
      llvm::cl::desc("Lower tosa to linalg first, which has more to shard, "
                     "instead of partitioning tosa ops as such"),
      llvm::cl::init(true)};
  Option<unsigned> haloSteps{
      *this, "halo-steps",
      llvm::cl::desc("Iterations of a stencil that one exchange of halos "
                     "serves; 0: those that are predicted to be best"),
      llvm::cl::init(1)};
  Option<bool> overlap{*this, "overlap",
                       llvm::cl::desc("Run shard-decompose-collectives and "
                                      "shard-overlap-collectives at the end"),
                       llvm::cl::init(false)};
};
} // namespace

static void buildSpmd(OpPassManager &manager, const SpmdArguments &arguments) {
  shard::SpmdPipelineOptions options;
  options.propagation.strategy = arguments.strategy;
  options.propagation.traversal = arguments.traversal;
  options.propagation.uneven = arguments.uneven;
  options.propagation.opPriorities = arguments.opPriorities;
  options.propagation.userPriorities = arguments.userPriorities;
  options.partition.globalArguments = arguments.globalArguments;
  options.lowerTosa = arguments.lowerTosa;
  options.haloSteps = arguments.haloSteps;
  options.overlap = arguments.overlap;
  shard::buildSpmdPipeline(manager, options);
}

void shard::registerShardPasses() {
  registerPassAs("shard-propagate", createPropagation);
  registerPassAs("shard-convert-to-mpi", createToMPI);
  registerPassAs("shard-spmdize", createPartition);
  registerPassOnce([] { return createShardLowerTosa(); });
  registerPassOnce([] { return createShardFoldNumbers(); });
  registerPassOnce([] { return createShardNormalizeOps(); });
  registerPassOnce([] { return createShardRaiseElementwise(); });
  registerPassOnce([] { return createShardDropResults(); });
  registerPassOnce([] { return createShardSeparatePlaces(); });
  registerPassOnce([] { return createShardCompleteTiles(); });
  registerPassOnce([] { return createShardRaiseExtracts(); });
  registerPassOnce([] { return createShardBlockScans(); });
  registerPassOnce([] { return createShardSpreadInsertions(); });
  registerPassOnce([] { return createShardWidenHalos(); });
  registerPassOnce([] { return createShardChooseHaloSteps(); });
  registerPassOnce([] { return createShardExpandReshapes(); });
  registerPassOnce([] { return createShardSplitCalls(); });
  registerPassOnce([] { return createShardResolvePassedShardings(); });
  registerPassOnce([] { return createShardReadEncodings(); });
  registerPassOnce([] { return createShardNormalizeAnnotations(); });
  registerPassOnce([] { return createShardExpandOpHints(); });
  registerPassOnce([] { return createShardCloseManualBodies(); });
  registerPassOnce([] { return createShardSplitCreators(); });
  registerPassOnce([] { return createShardMergeFunctions(); });
  registerPassOnce([] { return createShardTidyShardings(); });
  registerPassOnce([] { return createShardExplain(); });
  registerPassOnce([] { return createShardPrintLoops(); });
  registerPassOnce([] { return createShardReport(); });
  registerPassOnce([] { return createShardMaterializeReshards(); });
  registerPassOnce([] { return createShardSimplify(); });
  registerPassOnce([] { return createShardFoldCollectives(); });
  registerPassOnce([] { return createShardHoistCollectives(); });
  registerPassOnce([] { return createShardShareCollectives(); });
  registerPassOnce([] { return createShardSinkCollectives(); });
  registerPassOnce([] { return createShardSinkReductions(); });
  registerPassOnce([] { return createShardMoveCollectives(); });
  registerPassOnce([] { return createShardDecomposeCollectives(); });
  registerPassOnce([] { return createShardOverlapCollectives(); });
  registerPassOnce([] { return createShardPackCollectives(); });
  registerPassOnce([] { return createShardSplitCollectives(); });
  registerPassOnce([] { return createShardLowerSlices(); });
  registerPassOnce([] { return createShardAssignGroups(); });
  registerPassOnce([] { return createShardVerifySpmd(); });
  registerConversionPasses();
  registerCodegenPasses();
  registerPipelineOnce(
      "shard-optimize-collectives",
      "Send fewer bytes in fewer collectives: all passes of partitioned "
      "programs",
      "builtin.module",
      [](OpPassManager &manager, StringRef options,
         function_ref<LogicalResult(const Twine &)> errorHandler) {
        if (!options.empty())
          return errorHandler("shard-optimize-collectives has no options");
        buildOptimizeCollectivesPipeline(manager);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)>) {});
  registerModulePipelineOnce<SpmdArguments>(
      "shard-spmd",
      "From hints to the program of one device: propagation, partition and "
      "clean-up",
      buildSpmd);
}

void shard::registerShardPassesUnderUpstreamNames() {
  registerPassOnce(createPropagation);
  registerPassOnce(createPartition);
  registerPassOnce(createToMPI);
}
