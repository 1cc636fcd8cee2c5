//===- ProgramOptions.cpp - --grid and --hint of shard-opt ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramOptions.h"

#include "shard/Execution/Hints.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace cl = llvm::cl;

static cl::opt<std::string>
    gridShape("grid", cl::value_desc("2x2"),
              cl::desc("Shape of the grid, instead of the module's"));
static cl::opt<bool>
    unevenDynamic("uneven-dynamic",
                  cl::desc("Dynamic dimensions need not divide evenly among "
                           "the devices (uneven_dynamic of the grid)"));
static cl::list<std::string> hints(
    "hint", cl::value_desc("target=sharding"),
    cl::desc("A sharding: 'arg0=[[0],[]]', 'result0=...', or of an operand, "
             "'linalg.matmul#2:1=...', in 'main' or the only public "
             "function"));

namespace {
struct ApplyProgramOptions
    : public PassWrapper<ApplyProgramOptions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ApplyProgramOptions)

  StringRef getArgument() const override { return "shard-program-options"; }
  StringRef getDescription() const override {
    return "Applies the options --grid, --uneven-dynamic and --hint";
  }
  void runOnOperation() override {
    if (failed(apply(getOperation())))
      signalPassFailure();
  }

private:
  static LogicalResult apply(ModuleOp module) {
    if (gridShape.getNumOccurrences() > 0 &&
        failed(shard::setGrid(module, gridShape)))
      return failure();
    if (unevenDynamic && failed(shard::setUnevenDynamic(module)))
      return failure();
    if (hints.empty())
      return success();
    FailureOr<func::FuncOp> entry = shard::findEntry(
        module, "",
        "which function is --hint about? call it 'main', or let no other one "
        "be public");
    return failed(entry) ? failure() : shard::applyHints(*entry, hints);
  }
};

/// Runs the passes of a manager that --pass-pipeline made: it replaces what the manager had.
struct RunPipeline : public PassWrapper<RunPipeline, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RunPipeline)

  explicit RunPipeline(OpPassManager pipeline)
      : pipeline(std::move(pipeline)) {}

  StringRef getArgument() const override { return "shard-pass-pipeline"; }
  StringRef getDescription() const override {
    return "Runs the passes of --pass-pipeline";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    pipeline.getDependentDialects(registry);
  }
  void runOnOperation() override {
    if (failed(runPipeline(pipeline, getOperation())))
      signalPassFailure();
  }

private:
  OpPassManager pipeline;
};

/// Adds ApplyProgramOptions in front of the passes of `given`.
LogicalResult setUpPasses(const MlirOptMainConfig &given,
                          PassManager &manager) {
  const cl::Option *text = cl::getRegisteredOptions().lookup("pass-pipeline");
  if (!text || text->getNumOccurrences() == 0) {
    manager.addPass(std::make_unique<ApplyProgramOptions>());
    return given.setupPassPipeline(manager);
  }
  if (failed(given.setupPassPipeline(manager)))
    return failure();
  OpPassManager &passes = manager;
  OpPassManager pipeline = std::move(passes);
  // Inside of a pass MLIR does not look at it.
  std::optional<StringRef> anchor = pipeline.getOpName();
  if (anchor && *anchor != ModuleOp::getOperationName()) {
    llvm::errs() << "error: can't run '" << *anchor << "' pass manager on '"
                 << ModuleOp::getOperationName() << "' op\n";
    return failure();
  }
  passes = OpPassManager(ModuleOp::getOperationName(),
                         OpPassManager::Nesting::Implicit);
  passes.addPass(std::make_unique<ApplyProgramOptions>());
  passes.addPass(std::make_unique<RunPipeline>(std::move(pipeline)));
  return success();
}
} // namespace

bool shard::hasProgramOptions() {
  return gridShape.getNumOccurrences() > 0 || unevenDynamic || !hints.empty();
}

LogicalResult shard::optMainWithProgramOptions(int argc, char **argv,
                                               llvm::StringRef input,
                                               llvm::StringRef output,
                                               DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  MlirOptMainConfig given = config;
  config.setPassPipelineSetupFn(
      [given](PassManager &manager) { return setUpPasses(given, manager); });
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(input, &message);
  std::unique_ptr<llvm::ToolOutputFile> out;
  if (file)
    out = openOutputFile(output, &message);
  if (!out) {
    llvm::errs() << message << "\n";
    return failure();
  }
  if (failed(MlirOptMain(out->os(), std::move(file), registry, config)))
    return failure();
  out->keep();
  return success();
}
