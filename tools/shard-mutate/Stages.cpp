//===- Stages.cpp - What every program goes through -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stages.h"

#include "shard/IR/ImportMesh.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace shard::fuzz;

static constexpr const char *kPipelines[] = {
    "canonicalize",
    "sharding-propagation",
    "sharding-propagation{strategy=basic traversal=backward "
    "uneven=replicate}",
    "shard-partition",
    "shard-spmd",
    "shard-spmd{global-arguments},shard-verify-spmd",
    "shard-verify-spmd",
    "shard-explain{json}",
    "shard-print-loops",
    "shard-lower-tosa,shard-spmd",
    "convert-shard-to-runtime",
    "shard-spmd,shard-lower-to-llvm",
    // Passes of partitioned programs.
    "shard-spmd,shard-assign-groups{devices-per-node=2}",
    "shard-spmd,shard-decompose-collectives{min-gain=-1 "
    "reorder-sums},shard-overlap-collectives{min-gain=-1}",
    "shard-spmd,shard-split-collectives{parts=2 reorder-sums}",
    "shard-spmd,shard-optimize-collectives",
    "shard-spmd,shard-report",
    "shard-spmd,shard-bufferize,convert-shard-to-mpi",
    // Every other pass by itself, on programs that it does not expect.
    "convert-shard-to-mpi",
    "shard-assign-groups{devices-per-node=2}",
    "shard-block-scans{blocks=3}",
    "shard-bufferize",
    "shard-check-extents",
    "shard-choose-halo-steps",
    "shard-close-manual-bodies",
    "shard-complete-tiles",
    "shard-convert-to-llvm",
    "shard-decompose-collectives{min-gain=-1 reorder-sums}",
    "shard-drop-results",
    "shard-expand-combiners",
    "shard-expand-elementary",
    "shard-expand-math",
    "shard-expand-narrow-floats",
    "shard-expand-negative-padding",
    "shard-expand-op-hints",
    "shard-expand-reshapes",
    "shard-fold-collectives",
    "shard-fold-numbers",
    "shard-guard-recursion",
    "shard-hoist-collectives",
    "shard-insert-deallocations",
    "shard-legalize-elements",
    "shard-lift-branches",
    "shard-lower-globals",
    "shard-lower-linalg{kernel-calls}",
    "shard-lower-slices",
    "shard-lower-tensor-ops",
    "shard-lower-tosa",
    "shard-make-total",
    "shard-materialize-reshards",
    "shard-merge-functions",
    "shard-move-collectives",
    "shard-normalize-annotations",
    "shard-normalize-ops",
    "shard-outline-nests{kernel-calls}",
    "shard-overlap-collectives{min-gain=-1}",
    "shard-pack-collectives",
    "shard-prepare-tensors",
    "shard-raise-elementwise",
    "shard-raise-extracts",
    "shard-read-encodings",
    "shard-replace-poison",
    "shard-report{json}",
    "shard-resolve-passed-shardings",
    "shard-separate-places",
    "shard-separate-strided-padding",
    "shard-share-collectives",
    "shard-simplify",
    "shard-simplify-deallocations",
    "shard-sink-collectives",
    "shard-sink-reductions{reorder-sums}",
    "shard-split-calls",
    "shard-split-collectives{parts=2 reorder-sums}",
    "shard-split-creators",
    "shard-spread-insertions",
    "shard-tidy-shardings",
    "shard-verify-partitioned",
    "shard-widen-halos{steps=2}",
    "shard-widen-reductions",
    "shard-wrap-scalars",
};

const std::vector<std::string> &shard::fuzz::pipelines() {
  static const std::vector<std::string> list(std::begin(kPipelines),
                                             std::end(kPipelines));
  return list;
}

void shard::fuzz::registerPasses() {
  static bool once = [] {
    registerUpstreamPasses();
    registerShardPasses();
    registerShardPassesUnderUpstreamNames();
    return true;
  }();
  (void)once;
}

std::unique_ptr<MLIRContext> shard::fuzz::makeWideContext() {
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  registerShard(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  return context;
}

namespace {

/// The first error of a step.
struct FirstError {
  explicit FirstError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error && !any) {
            any = true;
            text = diagnostic.str().substr(0, 300);
          }
          return success();
        }) {}
  bool any = false;
  std::string text;
  ScopedDiagnosticHandler handler;

  /// The verdict about a step that returned `result`.
  Outcome verdict(const std::string &stage, LogicalResult result) const {
    if (succeeded(result) && any)
      return {Verdict::CheckFailed,
              stage + ": succeeds with an error: " + text};
    if (failed(result) && !any)
      return {Verdict::CheckFailed, stage + ": fails without an error"};
    return {};
  }
};

/// Tells each pass, with the program that it gets.
struct TellPasses : PassInstrumentation {
  TellPasses(std::string stage, const std::function<void(const Place &)> &at)
      : stage(std::move(stage)), at(at) {}
  void runBeforePass(Pass *pass, Operation *op) override {
    Place place{stage, "", ""};
    // Adaptors run passes that are told by themselves.
    if (!pass->getArgument().empty()) {
      llvm::raw_string_ostream stream(place.pipeline);
      Operation *root = op;
      while (root->getParentOp())
        root = root->getParentOp();
      stream << "builtin.module(";
      if (op != root)
        stream << op->getName() << "(";
      pass->printAsTextualPipeline(stream);
      stream << (op != root ? "))" : ")");
      llvm::raw_string_ostream program(place.program);
      root->print(program, OpPrintingFlags().printGenericOpForm());
    }
    at(place);
  }
  std::string stage;
  const std::function<void(const Place &)> &at;
};

} // namespace

static OwningOpRef<ModuleOp> parse(MLIRContext &context,
                                   const std::string &text) {
  return parseSourceString<ModuleOp>(text, &context, "program");
}

/// MLIR's verifier lets pass a tensor.pad with a width that is not static and has no
/// operand, which its canonicalizer reads behind the end of the operands. Such a program is
/// none.
static bool hasBrokenPad(ModuleOp module) {
  auto lacks = [](ArrayRef<int64_t> widths, ValueRange operands) {
    return llvm::count_if(widths, ShapedType::isDynamic) !=
           int64_t(operands.size());
  };
  WalkResult walk = module.walk([&](tensor::PadOp pad) {
    return lacks(pad.getStaticLow(), pad.getLow()) ||
                   lacks(pad.getStaticHigh(), pad.getHigh())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// MLIR's folder of tensor.from_elements takes ub.poison for a number, wherever that is.
static bool hasElementsOfPoison(ModuleOp module) {
  bool poison = false, elements = false;
  module.walk([&](Operation *op) {
    poison |= isa<ub::PoisonOp>(op);
    elements |= isa<tensor::FromElementsOp>(op);
  });
  return poison && elements;
}

static Outcome checkBytecode(MLIRContext &context, ModuleOp module) {
  FirstError error(&context);
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(writeBytecodeToFile(module, stream)))
    return error.verdict("bytecode", failure());
  OwningOpRef<ModuleOp> again = parse(context, bytes);
  if (!again)
    return {Verdict::CheckFailed, "bytecode: unreadable: " + error.text};
  return error.verdict("bytecode", success());
}

Outcome shard::fuzz::runStages(MLIRContext &context, const std::string &program,
                               const std::vector<std::string> &pipelines,
                               bool &parsed,
                               const std::function<void(const Place &)> &at) {
  parsed = false;
  auto tell = [&](Place place) {
    if (at)
      at(place);
  };
  if (program.find("mesh") != std::string::npos) {
    tell({"import-mesh", "builtin.module()", program});
    FirstError error(&context);
    llvm::SourceMgr source;
    source.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(program, "program"),
        llvm::SMLoc());
    OwningOpRef<Operation *> module = importMesh(source, &context);
    Outcome outcome = error.verdict("import-mesh", success(bool(module)));
    if (isFailure(outcome.verdict))
      return outcome;
  }

  tell({"parse", "builtin.module()", program});
  OwningOpRef<ModuleOp> module;
  {
    FirstError error(&context);
    module = parse(context, program);
    Outcome outcome = error.verdict("parse", success(bool(module)));
    if (isFailure(outcome.verdict) || !module)
      return outcome;
  }
  if (hasBrokenPad(*module) || hasElementsOfPoison(*module))
    return {};
  parsed = true;
  tell({"bytecode", "", ""});
  Outcome outcome = checkBytecode(context, *module);
  if (isFailure(outcome.verdict))
    return outcome;

  for (const std::string &pipeline : pipelines) {
    tell({pipeline, "", ""});
    FirstError error(&context);
    PassManager manager(&context, ModuleOp::getOperationName());
    if (failed(parsePassPipeline(pipeline, manager, llvm::errs())))
      return {Verdict::Invalid, "no pipeline '" + pipeline + "'"};
    if (at)
      manager.addInstrumentation(std::make_unique<TellPasses>(pipeline, at));
    OwningOpRef<ModuleOp> copy(module->clone());
    outcome = error.verdict(pipeline, manager.run(*copy));
    if (isFailure(outcome.verdict))
      return outcome;
  }
  return {};
}
